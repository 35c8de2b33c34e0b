-- A name is one person's for good, in whatever case and with whatever marks, signs and spaces.
ALTER TABLE operators
  -- Letters and digits alone, as `nameKey` folds them; null for one who is not added again.
  ADD COLUMN name_key text COLLATE "C" CHECK (name_key ~ '^[a-z0-9]+$');
DROP INDEX operators_name;

-- Of several who are one by that, whoever acts now stays, or who was first; the tokens of the
-- others are closed, and what they have in hand is that one's. Names in letters that look like
-- Latin ones tell nobody apart: their tokens are closed, for the house to add them anew.
CREATE TEMPORARY TABLE persons ON COMMIT DROP AS
  SELECT id, key, CASE WHEN key IS NULL THEN NULL
      ELSE first_value(id) OVER (PARTITION BY merchant_id, key
                                 ORDER BY revoked_at IS NOT NULL, created_at, id) END AS keeper
  FROM (SELECT *, substring(lower(regexp_replace(normalize(name, NFKD),
                    '[\u0300-\u036F ._''-]', '', 'g')) FROM '^[a-z0-9]+$') AS key
        FROM operators) o;
UPDATE operators o SET revoked_at = coalesce(revoked_at, now())
  FROM persons p WHERE p.id = o.id AND p.keeper IS DISTINCT FROM p.id;
UPDATE operators o SET name_key = p.key FROM persons p WHERE p.keeper = o.id AND p.id = o.id;

UPDATE manual_payouts q SET claimed_by = p.keeper FROM persons p
  WHERE p.id = q.claimed_by AND p.keeper <> p.id AND q.state IN ('claimed', 'marked');
UPDATE manual_payouts q SET marked_by = p.keeper FROM persons p
  WHERE p.id = q.marked_by AND p.keeper <> p.id AND q.state = 'marked';
UPDATE held_wins w SET marked_by = p.keeper FROM persons p
  WHERE p.id = w.marked_by AND p.keeper <> p.id AND w.state = 'marked';
-- Counting takes nobody anything: it is done anew.
UPDATE manual_deposits d SET counted_minor = NULL, counted_by = NULL FROM persons p
  WHERE p.id = d.counted_by AND p.keeper IS DISTINCT FROM p.id AND d.decision IS NULL;
DROP TABLE persons;

ALTER TABLE operators ADD CHECK (name_key IS NOT NULL OR revoked_at IS NOT NULL);
CREATE UNIQUE INDEX operators_name ON operators (merchant_id, name_key);
