CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE vendors (
  merchant_id  text NOT NULL REFERENCES merchants,
  code         text NOT NULL,
  game_type    text NOT NULL,
  display_name text NOT NULL,
  status       text NOT NULL CHECK (status IN ('up', 'maintenance')),
  sort         integer NOT NULL,
  PRIMARY KEY (merchant_id, code, game_type)
);

CREATE TABLE games (
  merchant_id   text NOT NULL REFERENCES merchants,
  node_id       integer NOT NULL,
  game_id       text NOT NULL,
  name          text NOT NULL,
  -- Lower case, unaccented: what a search compares with.
  search_name   text NOT NULL,
  game_type     text NOT NULL,
  vendor        text NOT NULL,
  vendor_name   text NOT NULL,
  classify      text NOT NULL DEFAULT '',
  game_code     text NOT NULL,
  min_bet_minor bigint NOT NULL CHECK (min_bet_minor > 0),
  is_new        boolean NOT NULL DEFAULT false,
  support_play  boolean NOT NULL DEFAULT false,
  freeplay      boolean NOT NULL DEFAULT false,
  is_game_h5    text,
  lotto_mode    text,
  rtp           text,
  house_game    text,
  -- Place in the lists: smaller stands first.
  sort          integer NOT NULL,
  -- Place in the hot list; null is not hot.
  hot_sort      integer,
  PRIMARY KEY (merchant_id, node_id),
  UNIQUE (merchant_id, game_id)
);
CREATE INDEX games_by_sort ON games (merchant_id, sort, node_id);
CREATE INDEX games_by_type ON games (merchant_id, game_type, sort, node_id);
CREATE INDEX games_by_vendor ON games (merchant_id, vendor, sort, node_id);
CREATE INDEX games_hot ON games (merchant_id, hot_sort) WHERE hot_sort IS NOT NULL;
CREATE INDEX games_name ON games USING gin (search_name gin_trgm_ops);

CREATE TABLE announcements (
  id          text PRIMARY KEY,
  merchant_id text NOT NULL REFERENCES merchants,
  -- B banner, PL player, PU pop-up, PR promotion, A agent.
  type        text NOT NULL,
  group_name  text NOT NULL,
  category    text,
  -- By language code; TY and EN are always there.
  title       jsonb NOT NULL,
  content     jsonb NOT NULL,
  url         text NOT NULL DEFAULT '',
  scene       text NOT NULL DEFAULT '',
  sort        integer NOT NULL,
  starts_at   timestamptz NOT NULL,
  ends_at     timestamptz
);
CREATE INDEX announcements_running ON announcements (merchant_id, group_name, type, sort);
