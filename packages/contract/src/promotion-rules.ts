/** The categories of promotions, in the order of their menu (games §2.10). */
export const PROMO_CATEGORIES = [
  "new_player",
  "deposit_promo",
  "app_download",
  "rng_promo",
  "live_promo",
  "pvp_promo",
  "sport_promo",
  "fish_promo",
  "lotto_promo",
  "rebate_promo",
  "player_rank_rules",
  "point_mall",
  "other_promo",
] as const;
export type PromoCategory = (typeof PROMO_CATEGORIES)[number];

/** The size of one picture sent with an application: 5 MB (games §2.10). */
export const PICTURE_MAX_BYTES = 5 * 1024 * 1024;
export const PICTURES_MAX = 3;
export const REMARK_MAX = 140;
