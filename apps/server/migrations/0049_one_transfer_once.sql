-- What was decided before: where two brands, or two methods, were credited for one transfer, the first.
UPDATE manual_deposits d SET house_key = house_key(d.house)
  FROM (SELECT DISTINCT ON (house_key(house), bank_key) deposit_id FROM manual_deposits
        WHERE decision = 'confirmed' AND bank_key IS NOT NULL
        ORDER BY house_key(house), bank_key, decided_at, deposit_id) first
  WHERE d.deposit_id = first.deposit_id;
UPDATE manual_payouts q SET paid_key = q.bank_key
  FROM (SELECT DISTINCT ON (bank_key) withdrawal_id FROM manual_payouts
        WHERE state = 'paid' AND bank_key IS NOT NULL
        ORDER BY bank_key, ended_at, withdrawal_id) first
  WHERE q.withdrawal_id = first.withdrawal_id;

-- The indexes by brand (and method) stay: they alone hold for what an old process decides meanwhile.
CREATE UNIQUE INDEX manual_deposits_house ON manual_deposits (house_key, bank_key)
  WHERE house_key IS NOT NULL AND bank_key IS NOT NULL;
CREATE UNIQUE INDEX manual_payouts_paid ON manual_payouts (paid_key) WHERE paid_key IS NOT NULL;

-- For the flags, which compare brands that show the same account.
CREATE INDEX payer_numbers_key ON payer_numbers (payer_key);
CREATE INDEX receipt_prints_anywhere ON receipt_prints (print);
