-- The ledger: double entry, append-only. Every key starts with the lane (hash of the account,
-- 64 lanes), so the same statements run on a cluster distributed by lane. Ids and keys are ASCII
-- and compared as bytes (COLLATE "C"): a language's order would make every index slower.

CREATE TABLE ledger_accounts (
  lane        smallint    NOT NULL CHECK (lane BETWEEN 0 AND 63),
  id          text COLLATE "C" NOT NULL,
  merchant_id text        NOT NULL,
  owner_id    text        NOT NULL,
  kind        text        NOT NULL,
  currency    text        NOT NULL,
  balance     bigint      NOT NULL DEFAULT 0 CHECK (balance >= 0),
  held        bigint      NOT NULL DEFAULT 0,
  seq         bigint      NOT NULL DEFAULT 0 CHECK (seq >= 0),
  opened_at   timestamptz NOT NULL,
  PRIMARY KEY (lane, id),
  CHECK (held BETWEEN 0 AND balance)
) WITH (fillfactor = 80);

-- One row carries both legs: the account's own and, mirrored, the counter account's.
CREATE TABLE ledger_entries (
  lane            smallint    NOT NULL,
  account_id      text COLLATE "C" NOT NULL,
  seq             bigint      NOT NULL CHECK (seq > 0),
  -- The caller's idempotency key; with the account it names the transfer.
  key             text COLLATE "C" NOT NULL,
  amount          bigint      NOT NULL,
  held_change     bigint      NOT NULL,
  balance_after   bigint      NOT NULL CHECK (balance_after >= 0),
  held_after      bigint      NOT NULL CHECK (held_after BETWEEN 0 AND balance_after),
  counter_account text COLLATE "C" NOT NULL,
  currency        text        NOT NULL,
  kind            text        NOT NULL,
  ref             text COLLATE "C",
  -- The key of the entry that this one ends: a hold posted or voided, a bet rolled back.
  resolves        text COLLATE "C",
  at              timestamptz NOT NULL,
  PRIMARY KEY (lane, account_id, seq)
);
CREATE UNIQUE INDEX ledger_entries_key ON ledger_entries (lane, account_id, key);
CREATE UNIQUE INDEX ledger_entries_resolves ON ledger_entries (lane, account_id, resolves)
  WHERE resolves IS NOT NULL;

-- House, vendor, bonus and payment legs, netted once a batch, so no house row is hot.
CREATE TABLE ledger_lane_totals (
  lane            smallint NOT NULL,
  counter_account text COLLATE "C" NOT NULL,
  currency        text     NOT NULL,
  amount          bigint   NOT NULL,
  PRIMARY KEY (lane, counter_account, currency)
) WITH (fillfactor = 70);
