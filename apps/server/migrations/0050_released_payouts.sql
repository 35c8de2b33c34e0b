-- A large pay-out whose claim is to be released waits for somebody else's word that nobody paid it.
ALTER TABLE manual_payouts
  DROP CONSTRAINT manual_payouts_state_check,
  ADD CONSTRAINT manual_payouts_state_check CHECK
    (state IN ('queued', 'claimed', 'marked', 'marked_failed', 'marked_released', 'paid', 'failed'))
    NOT VALID;

-- Who had a pay-out and gave it back, or had it taken from them: they may have paid it. It outlives
-- the pay-out's place in the queue.
CREATE TABLE payout_releases (
  withdrawal_id text COLLATE "C" NOT NULL,
  claimed_by    text COLLATE "C" NOT NULL REFERENCES operators,
  -- Of the first claim of theirs, and the end of the last one.
  claimed_at    timestamptz NOT NULL,
  released_at   timestamptz NOT NULL,
  PRIMARY KEY (withdrawal_id, claimed_by)
);
