import type { HouseGame } from "./house-game.ts";

export const cockfight = {
  id: "cockfight",
  kind: "shared",
  name: "Salpukan",
  gameType: "COCKFIGHT",
  classify: "SABONG",
  isNew: true,
  scene: "salpukan",
  proof: { sheet: "road" },
  rules: async () => (await import("./cockfight.ts")).cockfightTerms,
} as const satisfies HouseGame;
