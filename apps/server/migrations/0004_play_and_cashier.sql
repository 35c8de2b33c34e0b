-- One row a round of any vendor: what the game record lists and the wallet calls check.
CREATE TABLE vendor_rounds (
  lane         smallint    NOT NULL,
  account_id   text COLLATE "C"        NOT NULL,
  vendor       text        NOT NULL,
  round_id     text COLLATE "C"        NOT NULL,
  merchant_id  text        NOT NULL,
  game_id      text        NOT NULL,
  currency     text        NOT NULL,
  stake_minor  bigint      NOT NULL CHECK (stake_minor >= 0),
  payout_minor bigint      NOT NULL DEFAULT 0 CHECK (payout_minor >= 0),
  state        text        NOT NULL CHECK (state IN ('open', 'settled', 'voided')),
  opened_at    timestamptz NOT NULL,
  settled_at   timestamptz,
  PRIMARY KEY (lane, account_id, vendor, round_id)
) WITH (fillfactor = 85);
CREATE INDEX vendor_rounds_record ON vendor_rounds (lane, account_id, opened_at DESC, round_id DESC);

-- The house's own rounds: what is needed to deal the same result again.
CREATE TABLE house_rounds (
  lane        smallint    NOT NULL,
  account_id  text COLLATE "C"        NOT NULL,
  round_id    text COLLATE "C"        NOT NULL,
  member_id   text        NOT NULL,
  game_id     text        NOT NULL,
  choices     jsonb       NOT NULL,
  outcome     jsonb       NOT NULL,
  payout_minor bigint     NOT NULL CHECK (payout_minor >= 0),
  seed_id     text COLLATE "C"        NOT NULL,
  nonce       bigint      NOT NULL,
  opened_at   timestamptz NOT NULL,
  PRIMARY KEY (lane, account_id, round_id)
) WITH (fillfactor = 85);
CREATE INDEX house_rounds_latest ON house_rounds (lane, account_id, game_id, opened_at DESC);
CREATE UNIQUE INDEX house_rounds_nonce ON house_rounds (lane, account_id, seed_id, nonce);

CREATE TABLE fairness_seeds (
  id           text COLLATE "C" PRIMARY KEY,
  member_id    text NOT NULL REFERENCES members,
  server_seed  text NOT NULL,
  seed_hash    text NOT NULL,
  client_seed  text NOT NULL,
  next_nonce   bigint NOT NULL DEFAULT 0,
  created_at   timestamptz NOT NULL,
  revealed_at  timestamptz
);
CREATE UNIQUE INDEX fairness_seeds_current ON fairness_seeds (member_id) WHERE revealed_at IS NULL;

-- Saranggola: one shared flight at a time; its seed comes from a chain made beforehand.
CREATE TABLE saranggola_rounds (
  id           text COLLATE "C" PRIMARY KEY,
  number       bigint NOT NULL UNIQUE,
  chain_id     text NOT NULL,
  chain_index  integer NOT NULL,
  seed_hash    text NOT NULL,
  crash_at     integer NOT NULL CHECK (crash_at >= 100),
  phase        text NOT NULL CHECK (phase IN ('waiting', 'flying', 'crashed', 'voided')),
  starts_at    timestamptz NOT NULL,
  ended_at     timestamptz,
  -- Belt to the code's braces: no seed flies twice.
  UNIQUE (chain_id, chain_index)
);
CREATE INDEX saranggola_rounds_phase ON saranggola_rounds (phase) WHERE phase IN ('waiting', 'flying');

CREATE TABLE saranggola_chains (
  id         text COLLATE "C" PRIMARY KEY,
  -- The seed that is revealed last; all others are its repeated SHA-256.
  last_seed  text NOT NULL,
  salt       text NOT NULL,
  length     integer NOT NULL,
  next_index integer NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE saranggola_bets (
  lane           smallint    NOT NULL,
  account_id     text COLLATE "C"        NOT NULL,
  id             text COLLATE "C"        NOT NULL,
  round_id       text COLLATE "C"        NOT NULL,
  member_id      text        NOT NULL,
  masked_account text        NOT NULL,
  currency       text        NOT NULL,
  stake_minor    bigint      NOT NULL CHECK (stake_minor > 0),
  auto_cash_out  integer,
  cashed_out_at  integer,
  payout_minor   bigint      NOT NULL DEFAULT 0,
  state          text        NOT NULL CHECK (state IN ('placed', 'cashed', 'lost', 'voided')),
  placed_at      timestamptz NOT NULL,
  PRIMARY KEY (lane, account_id, id),
  UNIQUE (lane, account_id, round_id)
);
CREATE INDEX saranggola_bets_round ON saranggola_bets (round_id);

-- A lease names the one process that does a job, such as flying the kite; no advisory locks.
CREATE TABLE leases (
  name       text PRIMARY KEY,
  holder     text NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE TABLE deposits (
  lane         smallint    NOT NULL,
  account_id   text COLLATE "C"        NOT NULL,
  id           text COLLATE "C"        NOT NULL,
  merchant_id  text        NOT NULL,
  member_id    text        NOT NULL,
  method       text        NOT NULL,
  provider     text        NOT NULL,
  -- The provider's own name for the payment, once it gave one.
  reference    text,
  currency     text        NOT NULL,
  amount_minor bigint      NOT NULL CHECK (amount_minor > 0),
  state        text        NOT NULL
               CHECK (state IN ('created', 'pending', 'paid', 'failed', 'expired')),
  pay_url      text,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  paid_at      timestamptz,
  failed_at    timestamptz,
  PRIMARY KEY (lane, account_id, id)
);
CREATE UNIQUE INDEX deposits_id ON deposits (id, lane, account_id);
CREATE INDEX deposits_list ON deposits (lane, account_id, created_at DESC, id DESC);
CREATE INDEX deposits_waiting ON deposits (expires_at) WHERE state IN ('created', 'pending');

CREATE TABLE withdrawals (
  lane         smallint    NOT NULL,
  account_id   text COLLATE "C"        NOT NULL,
  id           text COLLATE "C"        NOT NULL,
  merchant_id  text        NOT NULL,
  member_id    text        NOT NULL,
  method       text        NOT NULL,
  provider     text        NOT NULL,
  reference    text,
  destination  text        NOT NULL,
  currency     text        NOT NULL,
  amount_minor bigint      NOT NULL CHECK (amount_minor > 0),
  state        text        NOT NULL
               CHECK (state IN ('held', 'approved', 'sent', 'paid', 'rejected', 'failed')),
  -- [{ state, at }], oldest first
  history      jsonb       NOT NULL,
  created_at   timestamptz NOT NULL,
  PRIMARY KEY (lane, account_id, id)
);
CREATE UNIQUE INDEX withdrawals_id ON withdrawals (id, lane, account_id);
CREATE INDEX withdrawals_list ON withdrawals (lane, account_id, created_at DESC, id DESC);

-- Call-backs taken, so that a repeat is answered as before and moves nothing.
CREATE TABLE payment_events (
  provider  text NOT NULL,
  event_id  text NOT NULL,
  body      jsonb NOT NULL,
  at        timestamptz NOT NULL,
  PRIMARY KEY (provider, event_id)
);

-- The built-in sandbox provider's own books, as if it stood elsewhere.
CREATE TABLE sandbox_payments (
  reference    text PRIMARY KEY,
  kind         text NOT NULL CHECK (kind IN ('deposit', 'withdrawal')),
  external_id  text NOT NULL UNIQUE,
  callback_url text NOT NULL,
  return_url   text,
  currency     text NOT NULL,
  amount_minor bigint NOT NULL,
  label        text NOT NULL,
  status       text NOT NULL CHECK (status IN ('pending', 'paid', 'failed')),
  created_at   timestamptz NOT NULL
);

-- The board of latest wins: real money, at least five times the stake.
CREATE INDEX vendor_rounds_wins ON vendor_rounds (merchant_id, settled_at DESC)
  WHERE state = 'settled' AND currency <> 'FUN' AND payout_minor >= 5 * stake_minor;
