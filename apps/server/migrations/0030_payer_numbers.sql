-- Every number that a player gave for a deposit by hand stays its own, also after a better one: a
-- transfer that an operator has seen pays nothing else. A refused deposit frees its numbers.
CREATE TABLE payer_numbers (
  merchant_id text             NOT NULL REFERENCES merchants,
  payer_key   text COLLATE "C" NOT NULL,
  deposit_id  text COLLATE "C" NOT NULL REFERENCES manual_deposits,
  PRIMARY KEY (merchant_id, payer_key)
);
CREATE INDEX payer_numbers_deposit ON payer_numbers (deposit_id);
INSERT INTO payer_numbers
  SELECT merchant_id, payer_key, deposit_id FROM manual_deposits
  WHERE payer_key IS NOT NULL AND decision IS DISTINCT FROM 'refused';
DROP INDEX manual_deposits_payer;

-- What one operator says came, where the amount asks for a second one who says the same.
ALTER TABLE manual_deposits
  ADD COLUMN counted_minor bigint CHECK (counted_minor > 0),
  ADD COLUMN counted_by text COLLATE "C" REFERENCES operators,
  ADD CHECK ((counted_minor IS NULL) = (counted_by IS NULL));
