-- Accounts, whole: how members are reached, how they prove who they are, and what was tried.

ALTER TABLE members
  ADD COLUMN dialing_code        text,
  -- The number without its dialling code, digits alone.
  ADD COLUMN mobile_num          text,
  ADD COLUMN mobile_verified_at  timestamptz,
  ADD COLUMN email_verified_at   timestamptz,
  -- Optional registration fields that only the operator reads: idNumber, facebook, payeeName, …
  ADD COLUMN profile             jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN recommender_id      text REFERENCES members,
  ADD COLUMN payment_password_hash text,
  ADD COLUMN password_changed_at timestamptz;
-- A number or an address that is only claimed belongs to nobody yet.
CREATE UNIQUE INDEX members_mobile ON members (merchant_id, dialing_code, mobile_num)
  WHERE mobile_verified_at IS NOT NULL;
CREATE UNIQUE INDEX members_email ON members (merchant_id, lower(email))
  WHERE email_verified_at IS NOT NULL;

ALTER TABLE sessions
  ADD COLUMN method   text NOT NULL DEFAULT 'password'
             CHECK (method IN ('password', 'sms', 'google', 'facebook', 'passkey', 'trial')),
  -- When the player last proved who they are in this session.
  ADD COLUMN fresh_at timestamptz;
UPDATE sessions SET fresh_at = created_at;
ALTER TABLE sessions ALTER COLUMN fresh_at SET NOT NULL, ALTER COLUMN method DROP DEFAULT;

-- Devices from which a member logged in: SHA-256 of a long-lived cookie. A known device is not
-- made to wait for what others tried on the same name.
CREATE TABLE known_devices (
  member_id   text NOT NULL REFERENCES members,
  device_hash bytea NOT NULL,
  first_at    timestamptz NOT NULL,
  last_at     timestamptz NOT NULL,
  PRIMARY KEY (member_id, device_hash)
);
CREATE INDEX known_devices_hash ON known_devices (device_hash);

CREATE TABLE login_events (
  id          text PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants,
  member_id   text NOT NULL REFERENCES members,
  method      text NOT NULL,
  outcome     text NOT NULL CHECK (outcome IN ('done', 'wrong', 'second_factor_wrong', 'refused')),
  address     text NOT NULL,
  user_agent  text NOT NULL,
  at          timestamptz NOT NULL
);
CREATE INDEX login_events_member ON login_events (member_id, at DESC, id DESC);

-- Codes by SMS: one that lives a purpose and number; hashed, five tries, ten minutes.
CREATE TABLE sms_codes (
  merchant_id  text NOT NULL REFERENCES merchants,
  purpose      text NOT NULL
               CHECK (purpose IN ('register', 'login', 'reset', 'verify_mobile')),
  dialing_code text NOT NULL,
  mobile_num   text NOT NULL,
  code_hash    bytea NOT NULL,
  tries_left   smallint NOT NULL CHECK (tries_left >= 0),
  sent_at      timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, purpose, dialing_code, mobile_num)
);
CREATE INDEX sms_codes_expiry ON sms_codes (expires_at);

-- What was spent of a bounded thing in its window, which begins with the first: messages to a
-- number, a prefix, from an address, a device, in a day.
CREATE TABLE abuse_counts (
  merchant_id  text NOT NULL REFERENCES merchants,
  subject      text NOT NULL,
  spent        integer NOT NULL CHECK (spent >= 0),
  window_end   timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, subject)
);
CREATE INDEX abuse_counts_end ON abuse_counts (window_end);

-- Links sent by e-mail: SHA-256 of the token, used once.
CREATE TABLE mail_links (
  token_hash  bytea PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants,
  member_id   text NOT NULL REFERENCES members,
  purpose     text NOT NULL CHECK (purpose IN ('reset', 'verify_email')),
  email       text NOT NULL,
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL,
  used_at     timestamptz
);
CREATE INDEX mail_links_member ON mail_links (member_id);
CREATE INDEX mail_links_expiry ON mail_links (expires_at);

-- Authenticator apps. The secret is sealed under PAYLOAD_KEY; last_step is the newest time step
-- that was accepted, so that a code is taken once.
CREATE TABLE member_totp (
  member_id     text PRIMARY KEY REFERENCES members,
  sealed_secret text NOT NULL,
  confirmed_at  timestamptz,
  last_step     bigint NOT NULL DEFAULT 0
);
CREATE TABLE recovery_codes (
  member_id text NOT NULL REFERENCES members,
  code_hash bytea NOT NULL,
  used_at   timestamptz,
  PRIMARY KEY (member_id, code_hash)
);

CREATE TABLE passkeys (
  id            text PRIMARY KEY,
  merchant_id   text NOT NULL REFERENCES merchants,
  member_id     text NOT NULL REFERENCES members,
  -- What the authenticator calls it, base64url.
  credential_id text NOT NULL,
  public_key    bytea NOT NULL,
  counter       bigint NOT NULL,
  transports    text[] NOT NULL,
  name          text NOT NULL,
  created_at    timestamptz NOT NULL,
  last_used_at  timestamptz,
  UNIQUE (merchant_id, credential_id)
);
CREATE INDEX passkeys_member ON passkeys (member_id);

-- What a passkey must sign, taken once.
CREATE TABLE webauthn_challenges (
  id          text PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants,
  -- Null while nobody is known yet: a login by passkey.
  member_id   text REFERENCES members,
  challenge   text NOT NULL,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX webauthn_challenges_expiry ON webauthn_challenges (expires_at);

-- Logins whose first factor was right and whose second is awaited.
CREATE TABLE pending_logins (
  token_hash  bytea PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants,
  member_id   text NOT NULL REFERENCES members,
  method      text NOT NULL,
  tries_left  smallint NOT NULL CHECK (tries_left >= 0),
  expires_at  timestamptz NOT NULL
);
CREATE INDEX pending_logins_member ON pending_logins (member_id);
CREATE INDEX pending_logins_expiry ON pending_logins (expires_at);

-- Accounts with Google and Facebook that stand for a member.
CREATE TABLE external_identities (
  merchant_id text NOT NULL REFERENCES merchants,
  provider    text NOT NULL CHECK (provider IN ('google', 'facebook')),
  subject     text NOT NULL,
  member_id   text NOT NULL REFERENCES members,
  linked_at   timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, provider, subject),
  UNIQUE (member_id, provider)
);
-- A log-in with such a provider under way: the state's hash, PKCE verifier sealed, taken once.
CREATE TABLE external_flows (
  state_hash      bytea PRIMARY KEY,
  merchant_id     text NOT NULL REFERENCES merchants,
  provider        text NOT NULL,
  sealed_verifier text NOT NULL,
  nonce           text NOT NULL,
  -- SHA-256 of a cookie of the browser that began.
  browser_hash    bytea NOT NULL,
  expires_at      timestamptz NOT NULL
);

-- Codes that invite: whose team a new member joins.
CREATE TABLE invitation_codes (
  merchant_id text NOT NULL REFERENCES merchants,
  code        text NOT NULL CHECK (code = upper(code)),
  member_id   text NOT NULL REFERENCES members,
  created_at  timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, code)
);
