-- On a Citus cluster what has a lane is spread by it, and what is marked here stands on every node
-- (`distribute.ts`, decision 61): small tables that bets, payments and wins are read with.
COMMENT ON TABLE merchants IS 'on every node';
COMMENT ON TABLE members IS 'on every node';
COMMENT ON TABLE games IS 'on every node';
COMMENT ON TABLE live_models IS 'on every node';
COMMENT ON TABLE sessions IS 'on every node';
COMMENT ON TABLE fairness_seeds IS 'on every node';

-- A unique key of a table that is spread has its lane. `vendor_transactions` sees to it that an id
-- of a vendor stands for one call.
ALTER TABLE held_wins
  DROP CONSTRAINT held_wins_pkey,
  ADD PRIMARY KEY (id, lane),
  DROP CONSTRAINT held_wins_vendor_transaction_id_key,
  ADD UNIQUE (vendor, transaction_id, lane);
