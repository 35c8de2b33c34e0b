/** Kinds of games as the specification names them (games §3), whatever our own list says. */
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
