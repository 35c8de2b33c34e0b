ALTER TABLE withdrawals
  -- The latest change of its player's account that is among the reasons: whoever lets it out knows of
  -- that one, and of none that comes later.
  ADD COLUMN account_changed_at timestamptz,
  -- Which session asked; null for one of before, or of a process of an earlier version.
  ADD COLUMN session_id text;

-- Ended by its member from elsewhere: on another device, or by a new password.
ALTER TABLE sessions ADD COLUMN ended_by_owner boolean NOT NULL DEFAULT false;

-- The latest change of the account of which whoever claimed a pay-out was told.
ALTER TABLE manual_payouts ADD COLUMN change_told_at timestamptz;
