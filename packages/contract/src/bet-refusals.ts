/**
 * What a bet on any shared game may answer. The last three: the brand does not have the game, or
 * not now, or not for this account.
 */
export const BET_REFUSALS = [
  ...(["insufficient_funds", "bets_closed", "id_reused", "member_blocked"] as const),
  ...(["not_found", "maintenance", "real_account_needed"] as const),
] as const;
