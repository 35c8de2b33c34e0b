// @vitest-environment jsdom
import type { Game } from "@perya/contract/catalogue";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { VendorGameList } from "./vendor-game-list.tsx";

vi.mock("./game-tile.tsx", () => ({ GameTile: ({ game }: { game: Game }) => game.nodeId }));

it("[G2.8-14] a vendor's line of games, its title included, is absent where it has none", () => {
  expect(renderToStaticMarkup(<VendorGameList games={[]} title="More of it" />)).toBe("");
  expect(renderToStaticMarkup(<VendorGameList games={[]} label="More of it" />)).toBe("");
});

it("[G2.8-14] a vendor's line of games shows the given title, and else has only an accessible name", () => {
  const titled = drawn(3, { title: "More of it" });
  expect(titled.querySelector("h3")?.textContent).toBe("More of it");
  const named = drawn(3, { label: "More of it" });
  expect(named.querySelector("h3")).toBeNull();
  expect(named.querySelector("ul")?.getAttribute("aria-label")).toBe("More of it");
});

it.each([
  [1, false],
  [6, false],
  [7, true],
  [9, true],
])("[G2.8-15] a line of %d games has the mark of many: %s", (count, many) => {
  const line = drawn(count, { label: "More of it" }).querySelector("ul");
  expect(line?.children).toHaveLength(count);
  expect(line?.hasAttribute("data-many")).toBe(many);
});

function drawn(count: number, named: { title?: string; label?: string }): HTMLElement {
  const games = Array.from({ length: count }, (_, nodeId) => ({ nodeId }));
  const place = document.createElement("div");
  // All that the line itself reads of a game.
  place.innerHTML = renderToStaticMarkup(<VendorGameList games={games as Game[]} {...named} />);
  return place;
}
