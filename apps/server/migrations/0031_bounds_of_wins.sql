-- The bounds of a vendor's win are conditions of the statements that book it: nothing is promised
-- beforehand, and nothing is remembered of a transaction that booked nothing.
ALTER TABLE vendor_rounds DROP COLUMN promised_minor;
ALTER TABLE vendor_transactions DROP COLUMN held_reasons;

-- What a vendor paid in a day without an operator, and the bound that the latest win was held to.
ALTER TABLE vendor_days RENAME COLUMN promised_minor TO paid_minor;
ALTER TABLE vendor_days ALTER COLUMN paid_minor DROP DEFAULT;
ALTER TABLE vendor_days ADD COLUMN most_minor bigint;
UPDATE vendor_days SET most_minor = paid_minor;
ALTER TABLE vendor_days
  ALTER COLUMN most_minor SET NOT NULL,
  ADD CHECK (paid_minor BETWEEN 0 AND most_minor);
