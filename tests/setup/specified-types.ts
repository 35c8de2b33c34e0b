/** Game types as the specification names them (games §3), independent of our own list. */
export const SPECIFIED_TYPES = [
  "RNG",
  "LIVE",
  "PVP",
  "FISH",
  "SPORTS",
  "ESPORTS",
  "COCKFIGHT",
  "LOTT",
  "ELOTT",
] as const;
