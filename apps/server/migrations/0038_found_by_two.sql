-- Hashes alone: to draw the pictures of years from the table would take too long.
INSERT INTO receipt_prints
  SELECT r.deposit_id, r.sent_hash, d.merchant_id
  FROM manual_receipts r JOIN manual_deposits d ON d.deposit_id = r.deposit_id;
CREATE INDEX receipt_prints_print ON receipt_prints (merchant_id, print);

CREATE INDEX payer_numbers_parts ON payer_numbers USING gin (number_parts(payer_key))
  WITH (fastupdate = off);

CREATE UNIQUE INDEX manual_deposits_bank ON manual_deposits (merchant_id, method, bank_key)
  WHERE bank_key IS NOT NULL;

CREATE INDEX manual_payouts_open ON manual_payouts (merchant_id, queued_at, withdrawal_id)
  WHERE state IN ('queued', 'claimed', 'marked', 'marked_failed');
DROP INDEX manual_payouts_waiting;
