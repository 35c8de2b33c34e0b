// @vitest-environment jsdom
import type { Game } from "@perya/contract/catalogue";
import type { ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { GameGrid } from "./game-tile.tsx";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string, values?: { game: string }) => `${id} ${values?.game ?? ""}` }),
}));
vi.mock("../../shell/popup-link.tsx", () => ({
  PopupLink: ({ children }: { children: ReactNode }) => <a href="?pop=game">{children}</a>,
}));
vi.mock("@tanstack/react-router", () => ({ Link: () => null, useNavigate: () => () => undefined }));

const page = pageOfEachTest();

beforeEach(() => {
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
});

it("[G2.8-16] a tile has the game's picture, its name, its vendor's name and a star", async () => {
  await draw([game(7)]);
  const tile = document.querySelector("li");
  expect(tile?.querySelector("img")?.getAttribute("src")).toBe("https://cdn.test/7.png");
  const texts = [...(tile?.querySelectorAll("a > span") ?? [])].map((one) => one.textContent);
  expect(texts.slice(1)).toEqual(["Laro 7", "Pista Reels"]);
  const star = tile?.querySelector("button");
  expect(star?.getAttribute("aria-label")).toBe("games.keep Laro 7");
  expect(star?.getAttribute("aria-pressed")).toBe("false");
});

it("[G2.8-17] a tile of a lottery has no star, and any other has one", async () => {
  const types = ["LOTT", "ELOTT", "RNG", "SPORTS"] as const;
  await draw(types.map((gameType, nodeId) => game(nodeId, { gameType })));
  const tiles = [...document.querySelectorAll("li")];
  expect(tiles.map((tile) => tile.querySelector("button") !== null)).toEqual([
    ...[false, false, true, true],
  ]);
});

it("[G2.8-18] each tile has a random theme from 1 to 5, and keeps it when it is drawn again", async () => {
  const chance = vi.spyOn(Math, "random");
  for (const one of [0, 0.199, 0.2, 0.4, 0.6, 0.8, 0.999]) chance.mockReturnValueOnce(one);
  chance.mockReturnValue(0.5);
  const games = Array.from({ length: 7 }, (_, nodeId) => game(nodeId));
  await draw(games);
  expect(themes()).toEqual(["1", "1", "2", "3", "4", "5", "5"]);
  await draw(games.map((one) => ({ ...one, displayName: "Ibang laro" })));
  expect(document.body.textContent).toContain("Ibang laro");
  expect(themes()).toEqual(["1", "1", "2", "3", "4", "5", "5"]);
});

async function draw(games: readonly Game[]): Promise<void> {
  await page.draw(<GameGrid games={games} label="Games" />);
}

function themes(): (string | null)[] {
  const faces = [...document.querySelectorAll("[data-theme]")];
  return faces.map((face) => face.getAttribute("data-theme"));
}

/** All that a tile reads of a game. */
function game(nodeId: number, change: Partial<Game> = {}): Game {
  const named = { displayName: `Laro ${nodeId}`, vendorName: "Pista Reels", vassalage: "PGE" };
  const rest = { gameType: "RNG", isNew: false, houseGame: null, status: "up" };
  const iconUrl = `https://cdn.test/${nodeId}.png`;
  return { nodeId, iconUrl, ...named, ...rest, ...change } as Game;
}
