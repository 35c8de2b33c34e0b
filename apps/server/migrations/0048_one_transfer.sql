-- An account of the house as accounts are compared: without signs and spaces, ten digits or more without
-- the words around them, and a mobile number of the Philippines without what stands for its country.
-- Null for words alone ("see the QR"), which are no account's. Brands and methods that show the same account
-- read the same statement.
CREATE FUNCTION house_key(house jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT regexp_replace(coalesce(substring(plain FROM '[0-9]{10,}'), plain),
          '^(?:63|0)(9[0-9]{9})$', '\1')
        FROM (SELECT regexp_replace(upper((house ->> 'number') COLLATE "C"), '[^A-Z0-9]', '', 'g')
          AS plain) AS given
        WHERE plain ~ '[0-9]' $$;

-- Null for what was opened by a process of before, until a later one counts or decides it.
ALTER TABLE manual_deposits ADD COLUMN house_key text COLLATE "C";
-- As `bank_key`, and good once for all brands; null for what a process of before marked.
ALTER TABLE manual_payouts ADD COLUMN paid_key text COLLATE "C";
