-- What a brand's players picked lately, of one game alone and counted by game. It may be made
-- CONCURRENTLY before, where there are many tickets. `lottery_tickets_picked` stays for what
-- processes of before ask.
CREATE INDEX IF NOT EXISTS lottery_tickets_game
  ON lottery_tickets (merchant_id, game_id, placed_at DESC);
