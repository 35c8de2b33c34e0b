-- Whose payment an id is. Browsers mint the ids of deposits and withdrawals, and providers know a
-- payment by that id alone, so one that two accounts send at the same moment is the first one's.
CREATE TABLE payment_ids (
  id         text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL
);
INSERT INTO payment_ids (id, account_id)
  SELECT id, account_id FROM deposits UNION ALL SELECT id, account_id FROM withdrawals
  ON CONFLICT DO NOTHING;

-- What each bet of a round has won, by an outside vendor's word: a rollback after a win is about it.
ALTER TABLE vendor_rounds ADD COLUMN won_by_bet jsonb NOT NULL DEFAULT '{}';
