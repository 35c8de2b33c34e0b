-- What was published of a chain before its flights; null where nothing was, or not yet.
ALTER TABLE saranggola_chains
  ADD COLUMN form smallint NOT NULL DEFAULT 1 CHECK (form IN (1, 2)),
  ADD COLUMN first_index integer,
  ADD COLUMN first_hash text,
  ADD COLUMN committed_at timestamptz,
  ADD COLUMN public_key text,
  ADD COLUMN signature text,
  ADD CONSTRAINT saranggola_chains_form UNIQUE (id, form),
  ADD CONSTRAINT saranggola_chains_committed
    CHECK (num_nulls(first_index, first_hash, committed_at, public_key, signature) IN (0, 5));
-- A process of before this knows form 1 alone: it cannot fly a seed of another by it.
ALTER TABLE saranggola_rounds ADD COLUMN form smallint NOT NULL DEFAULT 1;
ALTER TABLE saranggola_rounds ADD CONSTRAINT saranggola_rounds_form
  FOREIGN KEY (chain_id, form) REFERENCES saranggola_chains (id, form) NOT VALID;
