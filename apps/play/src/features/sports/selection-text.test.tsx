// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import { switchLanguage, withTexts } from "../../shell/text.ts";
import { useSelectionText } from "./selection-text.ts";

const FOOTBALL = { sport: "football", home: "Azkals", away: "Malaya" } as const;
const ESPORTS = { ...FOOTBALL, sport: "esports" } as const;

it("a selection is named by its team, its line and its market, in the player's language", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  await switchLanguage("EN");
  // The texts load with the screen.
  await withTexts("sports", Promise.resolve());
  const texts: ReturnType<typeof useSelectionText>[] = [];
  function Probe() {
    texts.push(useSelectionText());
    return null;
  }
  const root = createRoot(document.body);
  await act(async () => root.render(<Probe />));
  const said = texts.at(-1);
  expect(said?.selectionText(FOOTBALL, "result", "home")).toBe("Azkals");
  expect(said?.selectionText(FOOTBALL, "result", "away")).toBe("Malaya");
  expect(said?.selectionText(FOOTBALL, "result", "draw")).toBe("Draw");
  const markets = [
    said?.marketText(FOOTBALL, "result"),
    said?.marketText(FOOTBALL, "handicap:-1.5"),
    said?.marketText(FOOTBALL, "total:2.5"),
    said?.marketText(ESPORTS, "total:2.5"),
  ];
  expect(new Set(markets).size).toBe(4);
  // The other team's handicap has the other sign.
  const [home = "", away = ""] = (["home", "away"] as const).map((side) =>
    said?.selectionText(FOOTBALL, "handicap:-1.5", side),
  );
  expect(home).toMatch(/^Azkals [+−]\d/);
  expect(away).toMatch(/^Malaya [+−]\d/);
  expect(home.replace(/.* /, "").replace("+", "−")).toBe(away.replace(/.* /, "").replace("+", "−"));
  expect(home.includes("+")).not.toBe(away.includes("+"));
  expect(said?.selectionText(FOOTBALL, "total:2.5", "over")).toMatch(/\d/);
  expect(said?.selectionText(FOOTBALL, "total:2.5", "over")).not.toBe(
    said?.selectionText(FOOTBALL, "total:2.5", "under"),
  );
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});
