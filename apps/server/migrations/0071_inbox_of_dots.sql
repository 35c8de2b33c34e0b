-- Dots before the `@` make no other inbox with the one provider that reads over them, under its two
-- names (`inboxOf`). Elsewhere they are another person's.
CREATE INDEX members_inbox_named_by_all ON members
    (merchant_id,
     (CASE WHEN lower(email) ~ '@(gmail|googlemail)\.com$'
        THEN replace(split_part(regexp_replace(lower(email), '^([^+@]+)\+[^@]*@', '\1@'), '@', 1),
          '.', '') || '@gmail.com'
        ELSE regexp_replace(lower(email), '^([^+@]+)\+[^@]*@', '\1@') END),
     created_at, id)
  WHERE email IS NOT NULL;
DROP INDEX members_inbox_named;
