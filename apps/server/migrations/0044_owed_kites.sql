-- Bets whose flight is over and that are owed are looked for with every flight; they are few.
CREATE INDEX IF NOT EXISTS saranggola_bets_placed ON saranggola_bets (round_id)
  WHERE state = 'placed';
