import { existsSync, readdirSync } from "node:fs";
import { BANNER_SCENES } from "@perya/art/banner";
import { houseSubject } from "@perya/art/house-art";
import { HOUSE_GAMES } from "@perya/games/house-games";
import { isSoloGameId, soloGames } from "@perya/games/solo-games";
import { expect, it } from "vitest";
import { GAME_SHEETS } from "../apps/play/src/games/game-sheets.ts";

/** A house game's parts besides its manifest are found by its id. */
const CLIENTS = new URL("../apps/play/src/games/", import.meta.url);

it("each house game has rules, a drawing, a banner and a client", async () => {
  for (const { id, rules, scene, kind } of HOUSE_GAMES) {
    expect((await rules()).stake.minMinor, id).toBeGreaterThan(0n);
    expect(await houseSubject(id), id).toBeTypeOf("function");
    expect(BANNER_SCENES, id).toContain(scene);
    expect(existsSync(new URL(`${id}/client.tsx`, CLIENTS)), id).toBe(true);
    expect(isSoloGameId(id), id).toBe(kind === "solo");
  }
});

it("no drawing and no client belongs to a game that has no manifest", () => {
  const ids = HOUSE_GAMES.map(({ id }) => id).sort();
  const drawings = readdirSync(new URL("../packages/art/src/house/", import.meta.url));
  expect(drawings.map((file) => file.replace(/\.ts$/, "")).sort()).toEqual(ids);
  const folders = readdirSync(CLIENTS, { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(ids);
});

it("a shared game other than the flights of Saranggola is proved on a sheet that its client can open", () => {
  for (const { id, kind, proof } of HOUSE_GAMES) {
    if (kind === "solo" || id === "saranggola") continue;
    expect(GAME_SHEETS, id).toContain(typeof proof === "object" && proof.sheet);
  }
});

it("a solo game's rules have the id of its manifest", () => {
  for (const [id, game] of Object.entries(soloGames)) expect(game.id).toBe(id);
});
