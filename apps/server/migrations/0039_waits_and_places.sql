-- A free-play account that was played with stays, for books stand on what it played: found so
-- once, it is not looked at again.
ALTER TABLE members ADD COLUMN trial_kept boolean;
-- When the payment password was set anew without the one before.
ALTER TABLE members ADD COLUMN payment_password_reset_at timestamptz;

-- How many members were given the same at an address: each has a row that names it.
ALTER TABLE gift_claims ADD COLUMN place bytea;
