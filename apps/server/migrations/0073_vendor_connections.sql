-- How each outside vendor is reached and recognised. The secret is sealed under a key that is not in
-- the database.
CREATE TABLE vendor_connections (
  vendor        text PRIMARY KEY CHECK (vendor ~ '^[A-Z0-9_]{1,30}$'),
  protocol      text        NOT NULL,
  launch_url    text        NOT NULL,
  sealed_secret text        NOT NULL,
  changed_at    timestamptz NOT NULL
);
