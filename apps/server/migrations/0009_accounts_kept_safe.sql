-- A wrong password for a name that nobody has is written down as one for a name that somebody has,
-- so that both take as long; such rows go after a day.
ALTER TABLE login_events ALTER COLUMN member_id DROP NOT NULL;

-- A login ends the session that its browser held, which it knows by the cookie alone.
CREATE INDEX sessions_cookie ON sessions (cookie_half_hash) WHERE ended_at IS NULL;

-- Recovery codes under argon2id, looked up by their first two signs. Those of before stood under
-- another hash and cannot be carried over: their owners switch two-factor login on anew for new ones.
DROP TABLE recovery_codes;
CREATE TABLE recovery_codes (
  member_id text NOT NULL REFERENCES members,
  -- No secret: it only names which hash to compare with.
  prefix    text NOT NULL,
  code_hash text NOT NULL,
  used_at   timestamptz,
  PRIMARY KEY (member_id, prefix)
);
