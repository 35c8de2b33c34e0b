-- Whether players may apply for a promotion.
ALTER TABLE announcements ADD COLUMN takes_applications boolean NOT NULL DEFAULT false;
-- Only promotions have a category, and only one that the menu has.
ALTER TABLE announcements ADD CONSTRAINT announcements_category CHECK (
  (category IS NOT NULL) = (type = 'PR')
  AND (category IS NULL OR category IN (
    'new_player', 'deposit_promo', 'app_download', 'rng_promo', 'live_promo', 'pvp_promo',
    'sport_promo', 'fish_promo', 'lotto_promo', 'rebate_promo', 'player_rank_rules', 'point_mall',
    'other_promo'))
);
ALTER TABLE announcements ADD CONSTRAINT announcements_applications CHECK (
  type = 'PR' OR NOT takes_applications
);
