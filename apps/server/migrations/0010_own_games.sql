-- Games that a player keeps, and those they opened last. Nothing joins them into the catalogue's
-- lists: a page of games is the same for everyone.
CREATE TABLE favourites (
  merchant_id text NOT NULL REFERENCES merchants,
  member_id   text NOT NULL REFERENCES members,
  node_id     integer NOT NULL,
  added_at    timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, member_id, node_id)
);
CREATE INDEX favourites_newest ON favourites (merchant_id, member_id, added_at DESC, node_id);

CREATE TABLE recent_games (
  merchant_id text NOT NULL REFERENCES merchants,
  member_id   text NOT NULL REFERENCES members,
  node_id     integer NOT NULL,
  played_at   timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, member_id, node_id)
);
CREATE INDEX recent_games_newest ON recent_games (merchant_id, member_id, played_at DESC, node_id);
