-- What players write to the house, for the office to read.
CREATE TABLE feedback (
  merchant_id text NOT NULL REFERENCES merchants,
  member_id   text NOT NULL REFERENCES members,
  -- Minted by the sender, so that a message that arrives twice is one.
  id          text NOT NULL,
  -- The name that the sender had then.
  sender      text NOT NULL,
  -- 1 deposit, 2 withdrawal, 3 game, 4 customer service, 6 agent application, 0 other.
  type        smallint NOT NULL CHECK (type IN (0, 1, 2, 3, 4, 6)),
  content     text NOT NULL CHECK (char_length(content) BETWEEN 10 AND 200),
  language    text NOT NULL,
  sent_at     timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, member_id, id)
);
CREATE INDEX feedback_newest ON feedback (merchant_id, sent_at DESC, id);
