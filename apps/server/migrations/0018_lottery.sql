-- Lotteries: draws stand with their seed's hash before anybody can bet on them.
CREATE TABLE lottery_draws (
  id          text COLLATE "C" PRIMARY KEY,
  game_id     text COLLATE "C" NOT NULL,
  -- Day and number within it, as players name a draw.
  number      text COLLATE "C" NOT NULL,
  draws_at    timestamptz NOT NULL,
  server_seed text NOT NULL,
  seed_hash   text NOT NULL,
  state       text NOT NULL CHECK (state IN ('open', 'drawn', 'voided')),
  numbers     smallint[],
  -- When its last ticket was paid, lost or refunded.
  settled_at  timestamptz,
  created_at  timestamptz NOT NULL,
  -- However many processes plan ahead, a draw stands once.
  UNIQUE (game_id, draws_at),
  CHECK ((state = 'drawn') = (numbers IS NOT NULL))
);
CREATE INDEX lottery_draws_unsettled ON lottery_draws (draws_at) WHERE settled_at IS NULL;

CREATE TABLE lottery_tickets (
  lane             smallint    NOT NULL,
  account_id       text COLLATE "C" NOT NULL,
  id               text COLLATE "C" NOT NULL,
  draw_id          text COLLATE "C" NOT NULL,
  game_id          text COLLATE "C" NOT NULL,
  merchant_id      text        NOT NULL,
  masked_account   text        NOT NULL,
  currency         text        NOT NULL,
  lines            jsonb       NOT NULL,
  line_stake_minor bigint      NOT NULL CHECK (line_stake_minor > 0),
  stake_minor      bigint      NOT NULL CHECK (stake_minor >= line_stake_minor),
  payout_minor     bigint      NOT NULL DEFAULT 0 CHECK (payout_minor >= 0),
  state            text        NOT NULL CHECK (state IN ('placed', 'won', 'lost', 'voided')),
  placed_at        timestamptz NOT NULL,
  PRIMARY KEY (lane, account_id, id)
);
CREATE INDEX lottery_tickets_placed ON lottery_tickets (draw_id, lane, account_id, id)
  WHERE state = 'placed';
CREATE INDEX lottery_tickets_picked ON lottery_tickets (merchant_id, placed_at);
CREATE INDEX lottery_tickets_won ON lottery_tickets (merchant_id, payout_minor DESC)
  WHERE state = 'won';
