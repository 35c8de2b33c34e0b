-- The virtual cockfight: a match stands with its seed's hash before anybody can bet on it.
CREATE TABLE cockfight_matches (
  id          text COLLATE "C" PRIMARY KEY,
  number      bigint NOT NULL UNIQUE,
  server_seed text NOT NULL,
  seed_hash   text NOT NULL,
  phase       text NOT NULL
              CHECK (phase IN ('betting', 'closed', 'fighting', 'settled', 'cancelled')),
  closes_at   timestamptz NOT NULL,
  fights_at   timestamptz,
  result      text CHECK (result IN ('meron', 'wala', 'draw')),
  -- When its last bet was paid, lost or returned.
  settled_at  timestamptz,
  created_at  timestamptz NOT NULL,
  CHECK ((phase = 'settled') = (result IS NOT NULL))
);
-- One match at a time, however many processes think that they hold the lease.
CREATE UNIQUE INDEX cockfight_matches_current ON cockfight_matches ((true))
  WHERE settled_at IS NULL;

CREATE TABLE cockfight_bets (
  lane         smallint    NOT NULL,
  account_id   text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  match_id     text COLLATE "C" NOT NULL,
  merchant_id  text        NOT NULL,
  member_id    text        NOT NULL,
  currency     text        NOT NULL,
  side         text        NOT NULL CHECK (side IN ('meron', 'wala', 'draw')),
  stake_minor  bigint      NOT NULL CHECK (stake_minor > 0),
  payout_minor bigint      NOT NULL DEFAULT 0 CHECK (payout_minor >= 0),
  state        text        NOT NULL CHECK (state IN ('placed', 'won', 'lost', 'returned')),
  placed_at    timestamptz NOT NULL,
  PRIMARY KEY (lane, account_id, id)
);
-- What the pools are summed from.
CREATE INDEX cockfight_bets_match ON cockfight_bets (match_id, merchant_id, currency, side);
CREATE INDEX cockfight_bets_placed ON cockfight_bets (match_id, lane, account_id, id)
  WHERE state = 'placed';
