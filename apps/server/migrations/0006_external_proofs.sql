-- What Google or Facebook said of a player who came back from there, until the page of the browser
-- that began takes it, once.
CREATE TABLE external_proofs (
  -- SHA-256 of what stands in the page's address.
  flow_hash      bytea PRIMARY KEY,
  merchant_id    text NOT NULL REFERENCES merchants,
  -- As in external_flows.
  browser_hash   bytea NOT NULL,
  provider       text NOT NULL CHECK (provider IN ('google', 'facebook')),
  subject        text NOT NULL,
  email          text,
  email_verified boolean NOT NULL CHECK (email IS NOT NULL OR NOT email_verified),
  expires_at     timestamptz NOT NULL
);
