import type { HouseGame } from "./house-game.ts";

export const saranggola = {
  id: "saranggola",
  kind: "shared",
  name: "Saranggola",
  gameType: "RNG",
  classify: "CRASH",
  isNew: true,
  scene: "saranggola",
  proof: "flight",
  rules: async () => (await import("./saranggola.ts")).saranggolaTerms,
} as const satisfies HouseGame;
