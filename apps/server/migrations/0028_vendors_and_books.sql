-- Whose payment an id is. Browsers mint the ids of deposits and withdrawals, and providers know a
-- payment by that id alone, so one that two accounts send at the same moment is the first one's.
CREATE TABLE payment_ids (
  id         text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL
);
INSERT INTO payment_ids (id, account_id)
  SELECT id, account_id FROM deposits UNION ALL SELECT id, account_id FROM withdrawals
  ON CONFLICT DO NOTHING;

-- What each bet of a round has won, by an outside vendor's word: a rollback after a win is about it.
ALTER TABLE vendor_rounds ADD COLUMN won_by_bet jsonb NOT NULL DEFAULT '{}';

-- What outside vendors pay is bound, a round and a day; a win beyond it waits for an operator.
ALTER TABLE vendor_rounds ADD COLUMN promised_minor bigint NOT NULL DEFAULT 0;
CREATE TABLE vendor_days (
  merchant_id    text   NOT NULL REFERENCES merchants,
  vendor         text   NOT NULL,
  currency       text   NOT NULL,
  -- In the brand's calendar.
  day            date   NOT NULL,
  promised_minor bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (merchant_id, vendor, currency, day)
);
-- Why a win has to wait, empty for one that need not: decided once, with what was promised so far.
ALTER TABLE vendor_transactions ADD COLUMN held_reasons text[];
UPDATE vendor_transactions SET held_reasons = '{}';

CREATE TABLE held_wins (
  id             text COLLATE "C" PRIMARY KEY,
  merchant_id    text        NOT NULL REFERENCES merchants,
  member_id      text        NOT NULL REFERENCES members,
  lane           smallint    NOT NULL,
  account_id     text COLLATE "C" NOT NULL,
  vendor         text        NOT NULL,
  transaction_id text COLLATE "C" NOT NULL,
  bet_id         text COLLATE "C" NOT NULL,
  round_id       text COLLATE "C" NOT NULL,
  game_id        text        NOT NULL,
  currency       text        NOT NULL,
  stake_minor    bigint      NOT NULL,
  amount_minor   bigint      NOT NULL CHECK (amount_minor > 0),
  reasons        text[]      NOT NULL CHECK (cardinality(reasons) > 0),
  state          text        NOT NULL
                 CHECK (state IN ('held', 'marked', 'released', 'refused')),
  held_at        timestamptz NOT NULL,
  -- Who would let it go, where somebody else has to say so too.
  marked_by      text COLLATE "C" REFERENCES operators,
  decided_by     text COLLATE "C" REFERENCES operators,
  decided_at     timestamptz,
  reason         text,
  UNIQUE (vendor, transaction_id),
  CHECK ((state IN ('released', 'refused')) = (decided_by IS NOT NULL)),
  CHECK (state <> 'marked' OR marked_by IS NOT NULL),
  -- Four eyes are those of two people.
  CHECK (state <> 'released' OR marked_by IS NULL OR marked_by <> decided_by)
);
CREATE INDEX held_wins_waiting ON held_wins (merchant_id, held_at, id)
  WHERE state IN ('held', 'marked');
CREATE INDEX held_wins_round ON held_wins (lane, account_id, vendor, round_id);

-- Bets and wins in real money by game and day (UTC), netted a lane and batch.
CREATE TABLE game_days (
  merchant_id  text     NOT NULL,
  day          date     NOT NULL,
  vendor       text     NOT NULL,
  game_id      text     NOT NULL,
  currency     text     NOT NULL,
  lane         smallint NOT NULL,
  bets         bigint   NOT NULL,
  staked_minor bigint   NOT NULL,
  paid_minor   bigint   NOT NULL,
  PRIMARY KEY (merchant_id, day, vendor, game_id, currency, lane)
) WITH (fillfactor = 70);
