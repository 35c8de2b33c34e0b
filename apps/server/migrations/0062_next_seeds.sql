-- The server seed that a member's next pair will have: its hash is shown before they choose theirs.
CREATE TABLE fairness_next_seeds (
  member_id   text PRIMARY KEY REFERENCES members,
  id          text COLLATE "C" NOT NULL UNIQUE,
  server_seed text NOT NULL,
  seed_hash   text NOT NULL,
  created_at  timestamptz NOT NULL
);
-- Who chose a pair's client seed; null in a pair of before, or of a process of before.
ALTER TABLE fairness_seeds ADD COLUMN chosen_by text CHECK (chosen_by IN ('player', 'house'));
