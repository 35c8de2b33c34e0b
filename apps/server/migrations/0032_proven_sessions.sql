-- A log-in is no proof: whoever holds the session has it too. What was proven in a session is told
-- apart from how it began; a proof that was given before this step is asked for again.
ALTER TABLE sessions
  DROP COLUMN fresh_at,
  -- When the player last proved who they are in this session; null: not since they logged in.
  ADD COLUMN proven_at timestamptz;

-- What a session began to add to its account, and can be ended outside of it, dies with it. What
-- is under way names no session, and is asked for again.
DELETE FROM mail_links WHERE purpose = 'verify_email';
ALTER TABLE mail_links
  -- The session that asked; null for a reset link, which a visitor asks for.
  ADD COLUMN session_id text,
  ADD CHECK ((purpose = 'verify_email') = (session_id IS NOT NULL));

DELETE FROM external_flows WHERE member_id IS NOT NULL;
DELETE FROM external_proofs WHERE member_id IS NOT NULL;
-- The session that adds the account; null for a log-in.
ALTER TABLE external_flows
  ADD COLUMN session_id text,
  ADD CHECK ((member_id IS NULL) = (session_id IS NULL));
ALTER TABLE external_proofs
  ADD COLUMN session_id text,
  ADD CHECK ((member_id IS NULL) = (session_id IS NULL));
