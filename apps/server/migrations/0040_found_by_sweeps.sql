-- What the sweeps find the oldest rows by. Those IF NOT EXISTS may be made CONCURRENTLY before,
-- under the same names, where a table is so large that its writers would wait. All of them wait
-- until the last one is made, so what a log-in or a play writes to comes last.
CREATE INDEX IF NOT EXISTS external_flows_expiry ON external_flows (expires_at);
CREATE INDEX IF NOT EXISTS external_proofs_expiry ON external_proofs (expires_at);

-- So that a member's row goes without a walk over every table that refers to members.
CREATE INDEX IF NOT EXISTS invitation_codes_member ON invitation_codes (member_id);
CREATE INDEX IF NOT EXISTS feedback_member ON feedback (member_id);
CREATE INDEX IF NOT EXISTS promotion_uploads_member ON promotion_uploads (member_id);
CREATE INDEX IF NOT EXISTS promotion_applications_member ON promotion_applications (member_id);
CREATE INDEX IF NOT EXISTS agent_contracts_upline ON agent_contracts (upline_id);
CREATE INDEX IF NOT EXISTS agent_contracts_member ON agent_contracts (member_id);
CREATE INDEX IF NOT EXISTS held_wins_member ON held_wins (member_id);
CREATE INDEX IF NOT EXISTS favourites_member ON favourites (member_id);

CREATE INDEX IF NOT EXISTS gift_claims_rains ON gift_claims (at) WHERE occasion LIKE 'rain:%';
CREATE INDEX IF NOT EXISTS gift_claims_member ON gift_claims (member_id);
CREATE INDEX gift_claims_place ON gift_claims (merchant_id, occasion, place)
  WHERE place IS NOT NULL;

CREATE INDEX IF NOT EXISTS login_failures_age ON login_failures (last_at);
CREATE INDEX IF NOT EXISTS known_devices_age ON known_devices (last_at);
CREATE INDEX IF NOT EXISTS login_events_unknown ON login_events (at) WHERE member_id IS NULL;
CREATE INDEX IF NOT EXISTS login_events_age ON login_events (at) WHERE member_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS recent_games_member ON recent_games (member_id);
CREATE INDEX IF NOT EXISTS game_days_day ON game_days (day);
CREATE INDEX IF NOT EXISTS vendor_days_day ON vendor_days (day);
CREATE INDEX IF NOT EXISTS vendor_plays_member ON vendor_plays (member_id);
CREATE INDEX IF NOT EXISTS members_recommended ON members (recommender_id)
  WHERE recommender_id IS NOT NULL;
CREATE INDEX members_unused_trials ON members (created_at, id)
  WHERE type = 4 AND trial_kept IS NULL;
CREATE INDEX IF NOT EXISTS sessions_expiry ON sessions (expires_at);
