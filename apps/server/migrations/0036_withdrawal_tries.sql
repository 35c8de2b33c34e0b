-- When a provider was last called to take the pay-out: one that may have it is not held back.
ALTER TABLE withdrawals ADD COLUMN tried_at timestamptz;
UPDATE withdrawals SET tried_at = now() WHERE state = 'approved';
