-- What a module lets others read of its tables (decision 56): a view bears its module's name first.
CREATE VIEW identity_members AS
  SELECT id, merchant_id, username, nickname, type, blocked, recommender_id, created_at,
    proofs_changed_at, password_changed_at
  FROM members;
CREATE VIEW identity_sessions AS
  SELECT id, member_id, address, seen_at, expires_at, ended_at FROM sessions;
CREATE VIEW identity_logins AS SELECT member_id, outcome, at FROM login_events;
CREATE VIEW brand_merchants AS SELECT id, currency FROM merchants;
CREATE VIEW operators_names AS SELECT id, name FROM operators;
CREATE VIEW catalogue_games AS
  SELECT merchant_id, game_id, node_id, name, game_type, vendor, vendor_name, min_bet_minor,
    is_game_h5, sort
  FROM games;
CREATE VIEW ledger_wallets AS SELECT lane, id, merchant_id, owner_id FROM ledger_accounts;
CREATE VIEW ledger_booked AS
  SELECT lane, account_id, key, kind, ref, amount, held_change, counter_account, resolves, at
  FROM ledger_entries;
CREATE VIEW vendors_rounds AS
  SELECT lane, account_id, vendor, round_id, state, stake_minor, payout_minor, opened_at, settled_at
  FROM vendor_rounds;

-- Ids of shared rounds, which no solo round may have: both are one row of the player's record. A
-- game of shared rounds under the house's own vendor adds its table here.
CREATE VIEW rounds_shared_ids AS SELECT id FROM saranggola_rounds;
