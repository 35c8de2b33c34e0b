-- Tables with a lane are placed on a cluster like this one, so that a lane is on one node
-- (`distribute.ts`, decision 61). Their foreign keys lead to it.
COMMENT ON TABLE ledger_accounts IS 'spread first';

-- The cashier asks whether a session's owner ended it.
CREATE OR REPLACE VIEW identity_sessions AS
  SELECT id, member_id, address, seen_at, expires_at, ended_at, ended_by_owner FROM sessions;
