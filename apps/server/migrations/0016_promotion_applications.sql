-- Pictures that players send with an application, drawn anew by us and so without what their
-- phones wrote into them. Until an application takes it, a picture is swept away after a day.
CREATE TABLE promotion_uploads (
  merchant_id    text NOT NULL REFERENCES merchants,
  member_id      text NOT NULL REFERENCES members,
  -- Minted by the sender, so that a picture that arrives twice is one.
  id             text NOT NULL,
  -- Of what was sent.
  sent_hash      bytea NOT NULL,
  -- JPEG.
  image          bytea NOT NULL CHECK (octet_length(image) <= 4194304),
  width          integer NOT NULL,
  height         integer NOT NULL,
  sent_at        timestamptz NOT NULL,
  application_id text,
  -- Its place in the application.
  place          smallint CHECK (place BETWEEN 1 AND 3),
  PRIMARY KEY (merchant_id, member_id, id),
  CHECK ((application_id IS NULL) = (place IS NULL)),
  UNIQUE (merchant_id, member_id, application_id, place)
);
CREATE INDEX promotion_uploads_loose ON promotion_uploads (sent_at) WHERE application_id IS NULL;

CREATE TABLE promotion_applications (
  merchant_id  text NOT NULL REFERENCES merchants,
  member_id    text NOT NULL REFERENCES members,
  -- Minted by the sender, so that an application that arrives twice is one.
  id           text NOT NULL,
  promotion_id text NOT NULL REFERENCES announcements,
  remark       text NOT NULL CHECK (char_length(remark) <= 140),
  state        text NOT NULL CHECK (state IN ('pending', 'approved', 'rejected')),
  -- What the house says to it; empty while it is pending.
  answer       text NOT NULL DEFAULT '',
  sent_at      timestamptz NOT NULL,
  decided_at   timestamptz,
  PRIMARY KEY (merchant_id, member_id, id),
  CHECK ((state = 'pending') = (decided_at IS NULL))
);
-- One at a time of a player and promotion.
CREATE UNIQUE INDEX promotion_applications_pending
  ON promotion_applications (merchant_id, member_id, promotion_id) WHERE state = 'pending';
CREATE INDEX promotion_applications_newest
  ON promotion_applications (merchant_id, sent_at DESC, id);

ALTER TABLE promotion_uploads ADD FOREIGN KEY (merchant_id, member_id, application_id)
  REFERENCES promotion_applications;
