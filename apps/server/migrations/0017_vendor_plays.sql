-- A player at an outside vendor: made by a launch, opened once with its token, named by the
-- vendor in every wallet call.
CREATE TABLE vendor_plays (
  id          text COLLATE "C" PRIMARY KEY,
  token_hash  bytea NOT NULL UNIQUE,
  merchant_id text NOT NULL REFERENCES merchants,
  member_id   text NOT NULL REFERENCES members,
  -- The login that launched the game: bets end with it, wins and rollbacks do not.
  session_id  text NOT NULL,
  vendor      text NOT NULL,
  game_id     text NOT NULL,
  currency    text NOT NULL,
  language    text NOT NULL,
  created_at  timestamptz NOT NULL,
  opened_at   timestamptz
);
CREATE INDEX vendor_plays_age ON vendor_plays (created_at);

-- Whose transaction an id is: a vendor must not use one for two players.
CREATE TABLE vendor_transactions (
  vendor     text NOT NULL,
  id         text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  at         timestamptz NOT NULL,
  PRIMARY KEY (vendor, id)
);
CREATE INDEX vendor_transactions_age ON vendor_transactions (at);

-- The vendor simulator's own books, as if it stood elsewhere.
CREATE TABLE simulator_tables (
  key_hash   bytea PRIMARY KEY,
  vendor     text NOT NULL,
  play       text NOT NULL,
  game_id    text NOT NULL,
  lobby      boolean NOT NULL,
  currency   text NOT NULL,
  language   text NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE simulator_rounds (
  vendor       text NOT NULL,
  play         text NOT NULL,
  id           text NOT NULL,
  game_id      text NOT NULL,
  currency     text NOT NULL,
  stake_minor  bigint NOT NULL CHECK (stake_minor > 0),
  -- Where the wheel stopped, drawn before the bet was sent.
  slot         smallint NOT NULL,
  payout_minor bigint NOT NULL CHECK (payout_minor >= 0),
  state        text NOT NULL
               CHECK (state IN ('betting', 'paying', 'cancelling', 'done', 'refused', 'voided')),
  -- Why the bet was not taken.
  refusal      text,
  created_at   timestamptz NOT NULL,
  PRIMARY KEY (vendor, play, id)
);
CREATE INDEX simulator_rounds_latest ON simulator_rounds (vendor, play, created_at DESC, id DESC);
