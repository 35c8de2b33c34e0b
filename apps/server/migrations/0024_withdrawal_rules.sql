-- Withdrawals go out by rule within daily sums, and nothing that waits is forgotten.

ALTER TABLE withdrawals
  -- What stands for the browser that asked: a known device, else its address.
  ADD COLUMN device       text COLLATE "C",
  -- Why the rule did not let it out; none where it did.
  ADD COLUMN wait_reasons text[] NOT NULL DEFAULT '{}',
  ADD COLUMN approved_at  timestamptz,
  -- What an operator or the provider says to a rejection or a failure.
  ADD COLUMN reason       text,
  -- When the sweep looks at it, should it still stand as it does; null: nothing is awaited.
  ADD COLUMN look_at      timestamptz;
UPDATE withdrawals SET look_at = created_at WHERE state IN ('held', 'approved', 'sent');
UPDATE withdrawals SET approved_at = created_at WHERE state IN ('approved', 'sent', 'paid');

CREATE INDEX withdrawals_look ON withdrawals (look_at) WHERE look_at IS NOT NULL;
-- What was let out lately, by player, by destination and by device.
CREATE INDEX withdrawals_player_day ON withdrawals (lane, account_id, approved_at)
  WHERE approved_at IS NOT NULL;
CREATE INDEX withdrawals_destination_day ON withdrawals (merchant_id, destination, approved_at)
  WHERE approved_at IS NOT NULL;
CREATE INDEX withdrawals_device_day ON withdrawals (merchant_id, device, approved_at)
  WHERE approved_at IS NOT NULL;
CREATE INDEX withdrawals_known_destination ON withdrawals (lane, account_id, destination, created_at);
-- What waits for an operator, oldest first.
CREATE INDEX withdrawals_held ON withdrawals (merchant_id, created_at, id) WHERE state = 'held';

-- Approvals by rule of one brand pass here one at a time, so that they count each other.
CREATE TABLE approval_gates (
  merchant_id text PRIMARY KEY REFERENCES merchants
);

ALTER TABLE deposits
  -- What really came, where it is paid.
  ADD COLUMN received_minor bigint CHECK (received_minor > 0),
  ADD COLUMN reason         text,
  ADD COLUMN look_at        timestamptz;
UPDATE deposits SET received_minor = amount_minor WHERE state = 'paid';
UPDATE deposits SET look_at = created_at WHERE state IN ('created', 'pending');
CREATE INDEX deposits_look ON deposits (look_at) WHERE look_at IS NOT NULL;
