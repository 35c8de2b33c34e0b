-- Who let a withdrawal out; one alone, or two where the amount asks for it.
ALTER TABLE withdrawals
  ADD COLUMN first_approver  text COLLATE "C" REFERENCES operators,
  ADD COLUMN second_approver text COLLATE "C" REFERENCES operators,
  ADD CONSTRAINT withdrawals_four_eyes CHECK (second_approver <> first_approver) NOT VALID;
