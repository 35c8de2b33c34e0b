-- What a brand explains to its players, an entry of the help centre a row.
CREATE TABLE help_entries (
  merchant_id text NOT NULL REFERENCES merchants,
  -- What a link opens the entry by: faq, terms, …
  tag         text NOT NULL CHECK (tag ~ '^[a-z0-9-]{1,40}$'),
  -- By language code; TY and EN are always there.
  title       jsonb NOT NULL,
  content     jsonb NOT NULL,
  sort        integer NOT NULL,
  PRIMARY KEY (merchant_id, tag)
);
