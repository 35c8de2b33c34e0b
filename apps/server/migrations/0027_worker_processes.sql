-- Runners of jobs that are alive: a lock of one that is not here, or whose beat is old, is a dead
-- one's. The beats are of this database's own clock.
CREATE TABLE worker_processes (
  id      text COLLATE "C" PRIMARY KEY,
  beat_at timestamptz NOT NULL
);
