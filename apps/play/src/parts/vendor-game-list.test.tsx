// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { VendorGameList } from "./vendor-game-list.tsx";

it("[G2.8-14] a vendor's line of games is nothing at all where there are none, its title included", () => {
  expect(renderToStaticMarkup(<VendorGameList games={[]} title="More of it" />)).toBe("");
  expect(renderToStaticMarkup(<VendorGameList games={[]} label="More of it" />)).toBe("");
});
