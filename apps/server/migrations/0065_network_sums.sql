-- What was let out lately, by the wide block of addresses that it was asked for from.

CREATE INDEX withdrawals_network_day ON withdrawals (merchant_id, network, approved_at)
  WHERE approved_at IS NOT NULL AND network IS NOT NULL;
