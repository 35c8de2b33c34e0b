CREATE TABLE merchants (
  id         text PRIMARY KEY,
  code       text NOT NULL UNIQUE,
  name       text NOT NULL,
  currency   text NOT NULL,
  zone       text NOT NULL,
  -- Flags, permission keys, languages, minimum age, field rules, limits: parsed by the brand module.
  settings   jsonb NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE merchant_hosts (
  host        text PRIMARY KEY CHECK (host = lower(host)),
  merchant_id text NOT NULL REFERENCES merchants
);

CREATE TABLE members (
  id             text PRIMARY KEY,
  merchant_id    text NOT NULL REFERENCES merchants,
  username       text NOT NULL CHECK (username = lower(username)),
  nickname       text,
  email          text,
  birthday       date,
  affiliate_code text,
  -- 0 member, 1 and 2 agents, 4 trial, 40 to 42 internal accounts.
  type           smallint NOT NULL,
  password_hash  text,
  blocked        boolean NOT NULL DEFAULT false,
  created_at     timestamptz NOT NULL,
  last_login_at  timestamptz,
  UNIQUE (merchant_id, username)
);

CREATE TABLE sessions (
  id                  text PRIMARY KEY,
  merchant_id         text NOT NULL REFERENCES merchants,
  member_id           text NOT NULL REFERENCES members,
  -- SHA-256 of the half in browser storage and of the half in the cookie; both are needed.
  storage_half_hash   bytea NOT NULL UNIQUE,
  cookie_half_hash    bytea NOT NULL,
  user_agent          text NOT NULL,
  address             text NOT NULL,
  created_at          timestamptz NOT NULL,
  seen_at             timestamptz NOT NULL,
  expires_at          timestamptz NOT NULL,
  ended_at            timestamptz
);
CREATE INDEX sessions_member ON sessions (member_id, created_at DESC);

CREATE TABLE captchas (
  id          text PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants,
  answer_hash bytea NOT NULL,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX captchas_expiry ON captchas (expires_at);

-- Nonces of encrypted bodies, so that a sealed login is taken once.
CREATE TABLE used_nonces (
  nonce      text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX used_nonces_expiry ON used_nonces (expires_at);

-- Failed logins by username and by address; a success forgets the username's.
CREATE TABLE login_failures (
  merchant_id text NOT NULL REFERENCES merchants,
  subject     text NOT NULL,
  failures    integer NOT NULL,
  last_at     timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, subject)
);

-- Key pairs for encrypted bodies, rotated; the private half is sealed under PAYLOAD_KEY.
CREATE TABLE payload_keys (
  kid         text PRIMARY KEY,
  public_jwk  jsonb NOT NULL,
  sealed_jwk  text NOT NULL,
  created_at  timestamptz NOT NULL,
  retires_at  timestamptz NOT NULL
);
