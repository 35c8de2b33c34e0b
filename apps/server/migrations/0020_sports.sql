-- Sports: fixtures stand with their seed's hash before anybody can bet on them.
CREATE TABLE sports_fixtures (
  id          text COLLATE "C" PRIMARY KEY,
  sport       text COLLATE "C" NOT NULL,
  home        text NOT NULL,
  away        text NOT NULL,
  -- In millionths a decision; public, as the odds are.
  home_chance integer NOT NULL CHECK (home_chance >= 0),
  away_chance integer NOT NULL CHECK (away_chance >= 0),
  starts_at   timestamptz NOT NULL,
  -- When the match is decided, which the seed knows: nobody is told before.
  ends_at     timestamptz NOT NULL CHECK (ends_at > starts_at),
  server_seed text NOT NULL,
  seed_hash   text NOT NULL,
  state       text NOT NULL CHECK (state IN ('open', 'played', 'voided')),
  home_score  smallint,
  away_score  smallint,
  -- When its last bet was paid, lost, refunded or left to wait for other fixtures.
  settled_at  timestamptz,
  created_at  timestamptz NOT NULL,
  -- However many processes plan ahead, a fixture stands once.
  UNIQUE (sport, starts_at),
  CHECK (home_chance + away_chance <= 1000000),
  CHECK ((state = 'played') = (home_score IS NOT NULL AND away_score IS NOT NULL))
);
CREATE INDEX sports_fixtures_unsettled ON sports_fixtures (ends_at) WHERE settled_at IS NULL;
CREATE INDEX sports_fixtures_ended ON sports_fixtures (ends_at);

CREATE TABLE sports_bets (
  lane            smallint    NOT NULL,
  account_id      text COLLATE "C" NOT NULL,
  id              text COLLATE "C" NOT NULL,
  sport           text COLLATE "C" NOT NULL,
  merchant_id     text        NOT NULL,
  currency        text        NOT NULL,
  legs            jsonb       NOT NULL,
  fixture_ids     text[] COLLATE "C" NOT NULL CHECK (cardinality(fixture_ids) > 0),
  stake_minor     bigint      NOT NULL CHECK (stake_minor > 0),
  potential_minor bigint      NOT NULL CHECK (potential_minor >= stake_minor),
  payout_minor    bigint      NOT NULL DEFAULT 0 CHECK (payout_minor >= 0),
  state           text        NOT NULL
    CHECK (state IN ('placed', 'won', 'lost', 'voided', 'cashed')),
  placed_at       timestamptz NOT NULL,
  PRIMARY KEY (lane, account_id, id)
);
CREATE INDEX sports_bets_placed ON sports_bets USING gin (fixture_ids) WHERE state = 'placed';
