-- What a brand's players picked lately for money, of one game alone and counted by game: in free
-- play anybody may pick as often as they like. It may be made CONCURRENTLY before, where there are
-- many tickets. `lottery_tickets_game` stays for what processes of before ask.
CREATE INDEX IF NOT EXISTS lottery_tickets_picked_for_money
  ON lottery_tickets (merchant_id, game_id, placed_at DESC) WHERE currency <> 'FUN';
