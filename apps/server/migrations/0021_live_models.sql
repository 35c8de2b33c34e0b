-- Who deals at a brand's live tables; the portrait is drawn from the id.
CREATE TABLE live_models (
  merchant_id text NOT NULL REFERENCES merchants,
  id          text NOT NULL,
  name        text NOT NULL,
  -- The table that they deal at.
  node_id     integer NOT NULL,
  -- Whether they deal at all these days, and whether they are on the air now.
  active      boolean NOT NULL,
  streaming   boolean NOT NULL CHECK (active OR NOT streaming),
  sort        integer NOT NULL,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, node_id) REFERENCES games ON DELETE CASCADE
);
