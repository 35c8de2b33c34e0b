-- A code by SMS that was taken stays until its time is over, as a link does: whoever took it and
-- lost the answer is told that it is done. It is used where the two hashes are the same, so that one
-- in its place is not, which a process of before may have put there.
ALTER TABLE sms_codes ADD COLUMN used_hash bytea;
