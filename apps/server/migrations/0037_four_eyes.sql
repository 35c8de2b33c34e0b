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
-- what we drew of it.
CREATE TABLE receipt_prints (
  deposit_id  text COLLATE "C" NOT NULL REFERENCES manual_deposits,
  print       bytea NOT NULL,
  merchant_id text  NOT NULL REFERENCES merchants,
  PRIMARY KEY (deposit_id, print)
);
-- Hashes alone: to draw the pictures of years from the table would take too long.
INSERT INTO receipt_prints
  SELECT r.deposit_id, r.sent_hash, d.merchant_id
  FROM manual_receipts r JOIN manual_deposits d ON d.deposit_id = r.deposit_id;
CREATE INDEX receipt_prints_print ON receipt_prints (merchant_id, print);

-- Whatever stands in a number stands there with all of its parts of six signs.
CREATE FUNCTION number_parts(number text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT array_agg(substr(number, i, 6)) FROM generate_series(1, length(number) - 5) i $$;
CREATE INDEX payer_numbers_parts ON payer_numbers USING gin (number_parts(payer_key))
  WITH (fastupdate = off);

-- The number that an operator reads in the statement of the house's account: good once for it.
ALTER TABLE manual_deposits
  ADD COLUMN method         text COLLATE "C",
  ADD COLUMN bank_reference text,
  ADD COLUMN bank_key       text COLLATE "C";
CREATE UNIQUE INDEX manual_deposits_bank ON manual_deposits (merchant_id, method, bank_key)
  WHERE bank_key IS NOT NULL;

-- A large pay-out that its operator says cannot be made waits for somebody else's word.
ALTER TABLE manual_payouts
  DROP CONSTRAINT manual_payouts_state_check,
  ADD CONSTRAINT manual_payouts_state_check CHECK
    (state IN ('queued', 'claimed', 'marked', 'marked_failed', 'paid', 'failed')) NOT VALID;
CREATE INDEX manual_payouts_open ON manual_payouts (merchant_id, queued_at, withdrawal_id)
  WHERE state IN ('queued', 'claimed', 'marked', 'marked_failed');
DROP INDEX manual_payouts_waiting;

-- Who let a withdrawal out; one alone, or two where the amount asks for it.
ALTER TABLE withdrawals
  ADD COLUMN first_approver  text COLLATE "C" REFERENCES operators,
  ADD COLUMN second_approver text COLLATE "C" REFERENCES operators,
  ADD CONSTRAINT withdrawals_four_eyes CHECK (second_approver <> first_approver) NOT VALID;
