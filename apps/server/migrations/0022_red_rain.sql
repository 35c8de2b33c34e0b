-- Rains of red packets: a brand's, each dealt into its packets when it is planned.
CREATE TABLE red_rains (
  id            text COLLATE "C" PRIMARY KEY,
  merchant_id   text        NOT NULL REFERENCES merchants,
  currency      text        NOT NULL,
  starts_at     timestamptz NOT NULL,
  ends_at       timestamptz NOT NULL CHECK (ends_at > starts_at),
  budget_minor  bigint      NOT NULL CHECK (budget_minor > 0),
  largest_minor bigint      NOT NULL CHECK (largest_minor > 0),
  catch_max     smallint    NOT NULL CHECK (catch_max > 0),
  created_at    timestamptz NOT NULL,
  -- When all that was caught of it was paid and the rest was forgotten; how many were caught.
  closed_at     timestamptz,
  caught        integer     NOT NULL DEFAULT 0,
  -- However many processes plan ahead, a rain stands once.
  UNIQUE (merchant_id, starts_at)
);
CREATE INDEX red_rains_unclosed ON red_rains (ends_at) WHERE closed_at IS NULL;
CREATE INDEX red_rains_told ON red_rains (merchant_id, starts_at DESC)
  WHERE caught > 0 OR closed_at IS NULL;

CREATE TABLE red_packets (
  rain_id        text COLLATE "C" NOT NULL REFERENCES red_rains,
  -- The order in which they are caught.
  number         integer     NOT NULL,
  amount_minor   bigint      NOT NULL CHECK (amount_minor > 0),
  -- Whose it is, from the moment it is caught; the money follows.
  member_id      text COLLATE "C",
  -- Minted by the member's browser: a catch that is sent again is the same one.
  catch_id       text COLLATE "C",
  masked_account text,
  caught_at      timestamptz,
  paid_at        timestamptz,
  PRIMARY KEY (rain_id, number),
  CHECK (num_nulls(member_id, catch_id, masked_account, caught_at) IN (0, 4)),
  CHECK (paid_at IS NULL OR member_id IS NOT NULL)
);
CREATE INDEX red_packets_free ON red_packets (rain_id, number) WHERE member_id IS NULL;
CREATE UNIQUE INDEX red_packets_catch ON red_packets (member_id, catch_id)
  WHERE member_id IS NOT NULL;
