-- When operators took a pay-out over from a provider: from then on they say how it ended, and the
-- provider is neither called for it nor believed.
ALTER TABLE withdrawals ADD COLUMN taken_over_at timestamptz;
