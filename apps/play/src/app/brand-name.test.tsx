// @vitest-environment jsdom
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Reply } from "@perya/client/api";
import { expect, it } from "vitest";
import { pageOfEachTest } from "../../../../tests/play/page-of-each-test.tsx";
import { useOwnTitle } from "../shell/page-head.ts";
import { queries, queryClient } from "../shell/server.ts";

const SOURCE = join(import.meta.dirname, "..");
/** The product's own name as a whole word. */
const NAME = /\bPerya\b/;

const page = pageOfEachTest();

it("the title of a screen that names itself includes the brand's name", async () => {
  // Nothing else of it is read here.
  const status = { info: { brandName: "Fiesta" } } as Reply<"GET /api/v1/status">;
  queryClient.setQueryData(queries.status().queryKey, status);
  await page.draw(<Screen />);
  expect(document.title).toBe("Color Game · Fiesta");
});

it("no text and no screen names the house by the product's name, because the brand may have another", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
  const naming = files.flatMap((file) => {
    if (!/\.(tsx?|json)$/.test(file) || /\.test\./.test(file)) return [];
    const lines = readFileSync(join(SOURCE, file), "utf8").split("\n");
    return lines.filter((line) => NAME.test(line)).map((line) => `${file}: ${line.trim()}`);
  });
  expect(naming.sort()).toEqual([
    // Our own games have this name in every brand.
    'locales/en/home.json: "games.in_house": "Perya Originals",',
    'locales/ty/home.json: "games.in_house": "Perya Originals",',
    'shell/page-head.ts: return status?.info.brandName ?? "Perya";',
  ]);
});

function Screen() {
  useOwnTitle("Color Game");
  return null;
}
