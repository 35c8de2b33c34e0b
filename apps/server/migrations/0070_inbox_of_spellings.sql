-- What stands behind a plus sign in an address makes no other inbox (`inboxOf`), so who named it
-- first, and whether anybody has proven it, is asked by the inbox.
CREATE INDEX members_inbox_named ON members
    (merchant_id, regexp_replace(lower(email), '^([^+@]+)\+[^@]*@', '\1@'), created_at, id)
  WHERE email IS NOT NULL;
DROP INDEX members_email_named;
