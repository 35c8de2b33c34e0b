-- Which notices a member has opened. Free play marks none.
CREATE TABLE announcement_reads (
  member_id       text NOT NULL REFERENCES members,
  announcement_id text NOT NULL REFERENCES announcements ON DELETE CASCADE,
  read_at         timestamptz NOT NULL,
  PRIMARY KEY (member_id, announcement_id)
);
