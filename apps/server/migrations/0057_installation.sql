-- Whether players' own money is here, or a demo's and the sandbox's, written at the first start. A
-- database that is older has no row until its next start.
CREATE TABLE installation (
  is_only       boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  is_production boolean NOT NULL
);
