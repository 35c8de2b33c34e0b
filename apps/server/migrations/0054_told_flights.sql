-- False from when a kite flies in the books until its keeper has told of it. A keeper of before this
-- says nothing of it, and its kites fly for everybody.
ALTER TABLE saranggola_rounds ADD COLUMN told boolean NOT NULL DEFAULT true;
