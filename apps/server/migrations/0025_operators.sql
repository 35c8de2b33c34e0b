-- People of the house who act for one brand, by tokens of which we keep the hash alone.
CREATE TABLE operators (
  id          text COLLATE "C" PRIMARY KEY,
  merchant_id text        NOT NULL REFERENCES merchants,
  name        text        NOT NULL,
  token_hash  bytea       NOT NULL UNIQUE,
  permissions text[]      NOT NULL,
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL CHECK (expires_at > created_at),
  revoked_at  timestamptz
);
-- A name is one person's: four eyes are two names.
CREATE UNIQUE INDEX operators_name ON operators (merchant_id, lower(name)) WHERE revoked_at IS NULL;

-- Who did what and when. Rows come, and never change or go.
CREATE TABLE operator_actions (
  id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  merchant_id text        NOT NULL REFERENCES merchants,
  operator_id text COLLATE "C" NOT NULL REFERENCES operators,
  action      text        NOT NULL,
  -- The id of what it was done to.
  subject     text COLLATE "C" NOT NULL,
  detail      jsonb       NOT NULL,
  request_id  text        NOT NULL,
  address     text        NOT NULL,
  at          timestamptz NOT NULL
);
CREATE INDEX operator_actions_newest ON operator_actions (merchant_id, id DESC);
CREATE INDEX operator_actions_subject ON operator_actions (subject, id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER operator_actions_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_actions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
