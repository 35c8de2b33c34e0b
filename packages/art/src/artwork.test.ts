import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { BANNER_SCENES, bannerSvg } from "./banner.ts";
import { appIconSvg, brandMarkSvg } from "./brand-mark.ts";
import { EMPTY_SCENES, emptySceneSvg } from "./empty-scene.ts";
import { houseSubject } from "./house-art.ts";
import { portraitSvg } from "./portrait.ts";
import { SLOT_SYMBOLS, slotSymbolSvg } from "./slot-symbol.ts";
import { CATEGORIES, MOTIFS, tileSvg } from "./tile.ts";
import { vendorMarkSvg } from "./vendor-mark.ts";

const SEEDS = Array.from({ length: 60 }, (_, i) => `game-${i}`);
const MAX_TILE_GZIP_BYTES = 2_200;

const tiles = CATEGORIES.flatMap((category) => SEEDS.map((seed) => tileSvg({ seed, category })));
const HOUSE = readdirSync(new URL("house", import.meta.url)).map((file) => basename(file, ".ts"));
const house = await Promise.all(
  HOUSE.map(async (motif) => {
    const subject = await houseSubject(motif);
    return CATEGORIES.map((category) => tileSvg({ seed: motif, category, motif, subject }));
  }),
);
const named = [
  ...CATEGORIES.flatMap((category) =>
    MOTIFS[category].map((motif) => tileSvg({ seed: motif, category, motif })),
  ),
  ...house.flat(),
];
const others = [
  ...BANNER_SCENES.map((scene) => bannerSvg({ seed: "1", scene })),
  ...SLOT_SYMBOLS.map(slotSymbolSvg),
  ...EMPTY_SCENES.map(emptySceneSvg),
  ...["LOTT", "ELOTT", "BGS"].map((code) => vendorMarkSvg({ seed: code, letters: code })),
  ...["ligaya", "tala", "mayumi", "hiraya"].map(portraitSvg),
  brandMarkSvg(),
  appIconSvg({ maskable: true }),
  appIconSvg({ maskable: false }),
];

describe("every picture", () => {
  it("is well formed: each tag is closed in order and every number is finite", () => {
    for (const svg of [...tiles, ...named, ...others]) {
      expect(faultOf(svg)).toBe("");
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    }
  });

  it("contains nothing that runs, blurs or is loaded from elsewhere", () => {
    for (const svg of [...tiles, ...named, ...others]) {
      expect(svg).not.toMatch(/<script|<style|<image|<text|<filter|\son\w+=|\sstyle=|href=/i);
    }
  });

  it("refers only to gradients that it defines itself, and defines each once", () => {
    for (const svg of [...tiles, ...named, ...others]) {
      const ids = [...svg.matchAll(/\sid='([^']+)'/g)].map((match) => match[1]);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [, used] of svg.matchAll(/url\(#([^)]+)\)/g)) expect(ids).toContain(used);
    }
  });
});

describe("a tile", () => {
  it("is the same for the same seed", () => {
    for (const category of CATEGORIES) {
      const request = { seed: "game-7", category };
      expect(tileSvg(request)).toBe(tileSvg({ ...request }));
    }
  });

  it("stays under 2.2 kB compressed, whatever its category, seed and motif", () => {
    const sizes = [...tiles, ...named].map((svg) => gzipSync(svg).length);
    expect(Math.max(...sizes)).toBeLessThan(MAX_TILE_GZIP_BYTES);
  });

  it("differs from every other among 400 seeds of one category", () => {
    const drawn = Array.from({ length: 400 }, (_, i) =>
      tileSvg({ seed: `g${i}`, category: "RNG" }),
    );
    expect(new Set(drawn.map(withoutIds)).size).toBe(400);
  });

  it("shares no id with a neighbour on the same page", () => {
    const seen = new Map<string, number>();
    [...tiles, ...named].forEach((svg, index) => {
      for (const [, id = ""] of svg.matchAll(/\sid='([^']+)'/g)) {
        expect(seen.get(id) ?? index).toBe(index);
        seen.set(id, index);
      }
    });
  });

  it("shows the named motif, or one of its category's where the name is unknown", () => {
    const seed = "game-1";
    const mango = tileSvg({ seed, category: "RNG", motif: "mango" });
    const parol = tileSvg({ seed, category: "RNG", motif: "parol" });
    expect(mango).not.toBe(parol);
    expect(tileSvg({ seed, category: "RNG", motif: "nope" })).toBe(
      tileSvg({ seed, category: "RNG" }),
    );
  });

  it("shows the drawing of each house game", () => {
    const seen = new Set(house.flat().map(withoutIds));
    expect(seen.size).toBe(HOUSE.length * CATEGORIES.length);
  });
});

/** Ids differ per seed anyway; two tiles must look different. */
function withoutIds(svg: string): string {
  return svg.replace(/\bp[0-9a-z]{3,9}(?=['")])/g, "");
}

/** The first fault of the markup, or "" where every tag is closed in order. */
function faultOf(svg: string): string {
  const open: string[] = [];
  const rest = svg.replace(
    /<(\/?)([a-zA-Z]+)((?:\s+[a-zA-Z][\w-]*='[^'<>]*')*)\s*(\/?)>/g,
    (...m) => {
      const [, closing, name, , selfClosed] = m;
      if (closing === "/") {
        const expected = open.pop();
        return expected === name ? "" : `</${String(name)}> for <${expected}>`;
      }
      if (selfClosed !== "/") open.push(String(name));
      return "";
    },
  );
  return rest.trim() + open.join(",");
}
