-- What one operator alone let in or out, so that many small sums are as much as a large one. Rows
-- go when they are older than what counts.
CREATE TABLE lone_acts (
  operator_id  text COLLATE "C" NOT NULL REFERENCES operators,
  -- The payment or the win: it counts once, however many steps of it one operator took.
  subject      text COLLATE "C" NOT NULL,
  member_id    text COLLATE "C" NOT NULL,
  amount_minor bigint      NOT NULL CHECK (amount_minor > 0),
  at           timestamptz NOT NULL,
  PRIMARY KEY (operator_id, subject)
);
CREATE INDEX lone_acts_day ON lone_acts (operator_id, at) INCLUDE (member_id, amount_minor);

-- Every picture of a receipt that was ever sent for a deposit, as a SHA-256 of what was sent and of
-- what we drew of it. The next migration fills it.
CREATE TABLE receipt_prints (
  deposit_id  text COLLATE "C" NOT NULL REFERENCES manual_deposits,
  print       bytea NOT NULL,
  merchant_id text  NOT NULL REFERENCES merchants,
  PRIMARY KEY (deposit_id, print)
);

-- Whatever stands in a number stands there with all of its parts of six signs.
CREATE FUNCTION number_parts(number text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT array_agg(substr(number, i, 6)) FROM generate_series(1, length(number) - 5) i $$;

-- The number that an operator reads in the statement of the house's account: good once for it.
ALTER TABLE manual_deposits
  ADD COLUMN method         text COLLATE "C",
  ADD COLUMN bank_reference text,
  ADD COLUMN bank_key       text COLLATE "C";

-- A large pay-out that its operator says cannot be made waits for somebody else's word.
ALTER TABLE manual_payouts
  DROP CONSTRAINT manual_payouts_state_check,
  ADD CONSTRAINT manual_payouts_state_check CHECK
    (state IN ('queued', 'claimed', 'marked', 'marked_failed', 'paid', 'failed')) NOT VALID;

-- Who let a withdrawal out; one alone, or two where the amount asks for it.
ALTER TABLE withdrawals
  ADD COLUMN first_approver  text COLLATE "C" REFERENCES operators,
  ADD COLUMN second_approver text COLLATE "C" REFERENCES operators,
  ADD CONSTRAINT withdrawals_four_eyes CHECK (second_approver <> first_approver) NOT VALID;
