-- What is proven belongs to who asked for it, and dies with any change of what it proves.

-- One code lives for each purpose, number and asker, so that nobody uses up another's tries. Those
-- on their way are asked for again; they live for ten minutes.
DELETE FROM sms_codes;
ALTER TABLE sms_codes
  -- SHA-256 of what only the asker has: a cookie of the browser, or the session.
  ADD COLUMN asker     bytea NOT NULL,
  -- Whose number the code shows; null while nobody is known yet.
  ADD COLUMN member_id text REFERENCES members,
  DROP CONSTRAINT sms_codes_pkey,
  ADD PRIMARY KEY (merchant_id, purpose, dialing_code, mobile_num, asker);
CREATE INDEX sms_codes_member ON sms_codes (member_id) WHERE member_id IS NOT NULL;

DELETE FROM webauthn_challenges;
ALTER TABLE webauthn_challenges
  ADD COLUMN purpose    text NOT NULL CHECK (purpose IN ('login', 'registration', 'payment')),
  -- The session that asked; null for a login.
  ADD COLUMN session_id text,
  ADD CHECK ((purpose = 'login') = (member_id IS NULL)),
  ADD CHECK ((member_id IS NULL) = (session_id IS NULL));
CREATE INDEX webauthn_challenges_member ON webauthn_challenges (member_id)
  WHERE member_id IS NOT NULL;

-- A secret that no code has confirmed is the session's that asked for it, for a while.
DELETE FROM member_totp WHERE confirmed_at IS NULL;
ALTER TABLE member_totp
  ADD COLUMN begun_at   timestamptz,
  ADD COLUMN session_id text;

CREATE INDEX external_flows_member ON external_flows (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX external_proofs_member ON external_proofs (member_id) WHERE member_id IS NOT NULL;

-- A session showed by payment password or passkey that it wants just this withdrawal.
CREATE TABLE payment_proofs (
  session_id  text COLLATE "C" NOT NULL,
  -- SHA-256 of method, destination and amount.
  wish_hash   bytea NOT NULL,
  merchant_id text NOT NULL REFERENCES merchants,
  member_id   text NOT NULL REFERENCES members,
  expires_at  timestamptz NOT NULL,
  -- The withdrawal that it was taken for, once.
  used_for    text COLLATE "C",
  PRIMARY KEY (session_id, wish_hash)
);
CREATE INDEX payment_proofs_member ON payment_proofs (member_id);
CREATE INDEX payment_proofs_expiry ON payment_proofs (expires_at);

-- Who took what the house gives on one occasion, by what siblings have in common: a device, or the
-- account that their money goes to. Whose account was first, alone takes more.
CREATE TABLE gift_claims (
  merchant_id text NOT NULL REFERENCES merchants,
  -- What was given, such as one rain.
  occasion    text COLLATE "C" NOT NULL,
  -- SHA-256 of the kind and the value.
  claimant    bytea NOT NULL,
  member_id   text NOT NULL REFERENCES members,
  at          timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, occasion, claimant)
);
CREATE INDEX gift_claims_at ON gift_claims (at);
