-- What a player lists of a wallet by kind, such as deposits among a million bets. Bets and wins are
-- no part of it, so that a round writes nothing more. It may be made CONCURRENTLY before, where
-- there are many entries: no bet is taken while it is made otherwise.
CREATE INDEX IF NOT EXISTS ledger_entries_rare
  ON ledger_entries (lane, account_id, kind, seq DESC) WHERE kind NOT IN ('bet', 'win');
