-- Tasks that run by the clock, each with the minute for which it was planned last: by this
-- database's own clock, so one that lies ahead of it was written by a wrong one.
CREATE TABLE planned_tasks (
  task       text COLLATE "C" PRIMARY KEY,
  planned_at timestamptz NOT NULL
);
