import type { HouseGame } from "./house-game.ts";

export const colorGame = {
  id: "color-game",
  kind: "solo",
  name: "Color Game",
  gameType: "RNG",
  classify: "TABLE",
  isNew: false,
  scene: "color-game",
  proof: "fairness-page",
  rules: async () => (await import("./color-game.ts")).colorGame,
} as const satisfies HouseGame;
