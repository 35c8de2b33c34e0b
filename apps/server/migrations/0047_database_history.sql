-- Which history of the database its secrets belong to. A restore, and a standby that takes over,
-- begin another one, in which what was told last may not have happened.
CREATE TABLE database_history (
  is_only           boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  system_identifier text NOT NULL,
  timeline          bigint NOT NULL,
  noted_at          timestamptz NOT NULL
);
