-- The last act of anybody's when an operator was given the present token: what they said before it is
-- no word of theirs any more. A number, as clocks may be set back.
ALTER TABLE operators ADD COLUMN words_after bigint NOT NULL DEFAULT 0;
