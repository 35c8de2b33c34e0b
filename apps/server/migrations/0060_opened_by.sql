-- Which session opened a deposit; null for one of before, of a process of an earlier version, or that
-- operators wrote in again.
ALTER TABLE deposits ADD COLUMN session_id text;
