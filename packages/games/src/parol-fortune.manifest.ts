import type { HouseGame } from "./house-game.ts";

export const parolFortune = {
  id: "parol-fortune",
  kind: "solo",
  name: "Parol Fortune",
  gameType: "RNG",
  classify: "VIDEO",
  isNew: false,
  scene: "parol",
  proof: "fairness-page",
  rules: async () => (await import("./parol-fortune.ts")).parolFortune,
} as const satisfies HouseGame;
