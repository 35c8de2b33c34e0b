-- A team is read downwards from who invited whom.
CREATE INDEX members_recommender ON members (merchant_id, recommender_id)
  WHERE recommender_id IS NOT NULL;

-- What agents promise those right below them; accepted, it holds from the next day on.
CREATE TABLE agent_contracts (
  merchant_id text NOT NULL REFERENCES merchants,
  upline_id   text NOT NULL REFERENCES members,
  -- Minted by the upline, so that an offer that arrives twice is one.
  id          text COLLATE "C" NOT NULL,
  -- The agent to whom it is offered.
  member_id   text NOT NULL REFERENCES members,
  kind        text NOT NULL CHECK (kind IN ('daily', 'hourly', 'dividend')),
  period      text CHECK (period IN ('WEEK', 'HALF_MONTH', 'MONTH')),
  currency    text NOT NULL,
  -- [{ fromMinor, activeMembers, basisPoints, amountMinor }], rising; amounts as decimal text.
  tiers       jsonb NOT NULL CHECK (jsonb_array_length(tiers) BETWEEN 1 AND 10),
  state       text NOT NULL CHECK (state IN ('pending', 'accepted', 'declined', 'withdrawn')),
  offered_at  timestamptz NOT NULL,
  decided_at  timestamptz,
  -- In the brand's calendar: the first day, and the first that it no longer holds on.
  starts_on   date,
  ends_on     date,
  PRIMARY KEY (merchant_id, upline_id, id),
  UNIQUE (merchant_id, member_id, id),
  CHECK (upline_id <> member_id),
  CHECK ((kind = 'dividend') = (period IS NOT NULL)),
  CHECK ((state = 'pending') = (decided_at IS NULL)),
  CHECK ((state = 'accepted') = (starts_on IS NOT NULL)),
  CHECK (ends_on IS NULL OR (starts_on IS NOT NULL AND ends_on >= starts_on))
);
-- One of a kind waits for an agent, and one holds.
CREATE UNIQUE INDEX agent_contracts_pending
  ON agent_contracts (merchant_id, member_id, kind) WHERE state = 'pending';
CREATE UNIQUE INDEX agent_contracts_holding
  ON agent_contracts (merchant_id, member_id, kind) WHERE state = 'accepted' AND ends_on IS NULL;
CREATE INDEX agent_contracts_newest
  ON agent_contracts (merchant_id, member_id, kind, offered_at DESC, id);
