-- A member who is logged in may add an account outside; null for a login.
ALTER TABLE external_flows ADD COLUMN member_id text REFERENCES members;
-- What the proof is good for: a login, the registration that a stranger's login becomes, or a
-- member's own account.
ALTER TABLE external_proofs
  ADD COLUMN purpose   text NOT NULL DEFAULT 'login'
             CHECK (purpose IN ('login', 'registration', 'link')),
  ADD COLUMN member_id text REFERENCES members,
  ADD CHECK ((purpose = 'link') = (member_id IS NOT NULL));
ALTER TABLE external_proofs ALTER COLUMN purpose DROP DEFAULT;
