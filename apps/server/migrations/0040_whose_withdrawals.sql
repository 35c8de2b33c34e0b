-- The latest change of its player's account that is among the reasons: whoever lets it out knows of
-- that one, and of none that comes later.
ALTER TABLE withdrawals ADD COLUMN account_changed_at timestamptz;
