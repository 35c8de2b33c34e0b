-- Payments by hand: players send to the house's own wallets and accounts, operators pay out.

CREATE TABLE manual_deposits (
  deposit_id      text COLLATE "C" PRIMARY KEY,
  merchant_id     text        NOT NULL REFERENCES merchants,
  -- What the player writes into the transfer.
  code            text COLLATE "C" NOT NULL,
  currency        text        NOT NULL,
  -- The house's account as it was shown to the player.
  house           jsonb       NOT NULL,
  -- The transfer's number as the player gives it, and as numbers are compared.
  payer_reference text,
  payer_key       text COLLATE "C",
  -- Somebody gave the same number for another deposit.
  flagged         boolean     NOT NULL DEFAULT false,
  sent_at         timestamptz,
  decision        text        CHECK (decision IN ('confirmed', 'refused')),
  received_minor  bigint      CHECK (received_minor > 0),
  reason          text,
  decided_by      text COLLATE "C" REFERENCES operators,
  decided_at      timestamptz,
  UNIQUE (merchant_id, code),
  CHECK ((decision IS NOT NULL) = (decided_at IS NOT NULL)),
  CHECK ((decision = 'confirmed') = (received_minor IS NOT NULL))
);
-- One transfer pays one deposit; a refused one frees its number for who really sent it.
CREATE UNIQUE INDEX manual_deposits_payer ON manual_deposits (merchant_id, payer_key)
  WHERE payer_key IS NOT NULL AND decision IS DISTINCT FROM 'refused';
CREATE INDEX manual_deposits_waiting ON manual_deposits (merchant_id, sent_at, deposit_id)
  WHERE sent_at IS NOT NULL AND decision IS NULL;

-- Drawn anew by us, and so without what the phone wrote into it.
CREATE TABLE manual_receipts (
  deposit_id text COLLATE "C" PRIMARY KEY REFERENCES manual_deposits,
  sent_hash  bytea       NOT NULL,
  image      bytea       NOT NULL CHECK (octet_length(image) <= 4194304),
  width      integer     NOT NULL,
  height     integer     NOT NULL,
  sent_at    timestamptz NOT NULL
);

CREATE TABLE manual_payouts (
  withdrawal_id  text COLLATE "C" PRIMARY KEY,
  merchant_id    text        NOT NULL REFERENCES merchants,
  amount_minor   bigint      NOT NULL CHECK (amount_minor > 0),
  currency       text        NOT NULL,
  state          text        NOT NULL
                 CHECK (state IN ('queued', 'claimed', 'marked', 'paid', 'failed')),
  queued_at      timestamptz NOT NULL,
  claimed_by     text COLLATE "C" REFERENCES operators,
  claimed_at     timestamptz,
  bank_reference text,
  bank_key       text COLLATE "C",
  marked_by      text COLLATE "C" REFERENCES operators,
  marked_at      timestamptz,
  confirmed_by   text COLLATE "C" REFERENCES operators,
  reason         text,
  ended_at       timestamptz,
  CHECK ((state = 'queued') = (claimed_by IS NULL)),
  -- Four eyes are those of two people.
  CHECK (confirmed_by IS NULL OR confirmed_by <> marked_by)
);
CREATE UNIQUE INDEX manual_payouts_bank ON manual_payouts (merchant_id, bank_key)
  WHERE bank_key IS NOT NULL;
CREATE INDEX manual_payouts_waiting ON manual_payouts (merchant_id, queued_at, withdrawal_id)
  WHERE state IN ('queued', 'claimed', 'marked');
