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
