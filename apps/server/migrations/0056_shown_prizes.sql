-- A brand's largest prizes that are shown: none of free play, where anybody may win any number of
-- them. It may be made CONCURRENTLY before, where there are many tickets. `lottery_tickets_won`
-- stays for what processes of before ask.
CREATE INDEX IF NOT EXISTS lottery_tickets_prizes
  ON lottery_tickets (merchant_id, payout_minor DESC) WHERE state = 'won' AND currency <> 'FUN';
