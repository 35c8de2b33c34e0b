import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOUR_MS } from "@perya/kernel/instant";
import fastify from "fastify";
import { afterAll, describe, expect, it } from "vitest";
import { manualClock } from "../../../../../tests/server/fixtures.ts";
import { servePages } from "./pages.ts";

const clock = manualClock();
const folder = mkdtempSync(join(tmpdir(), "perya-pages-"));
let made = 0;
let fails = false;
const GUARD = "start()";

mkdirSync(join(folder, "assets"));
writeFileSync(
  join(folder, "index.html"),
  `<html lang="fil"><!--head--><script>${GUARD}</script><!--shell--><!--boot-->`,
);
writeFileSync(join(folder, "manifest.webmanifest"), '{"id":"/m/home","name":"of the build"}');
const app = fastify();
app.decorateRequest("sender");
app.addHook("onRequest", async (request) => {
  request.sender = { address: "203.0.113.7", host: "perya.test", hostname: "perya.test" };
});
await servePages(app, {
  ...{ folder, clock, imageOrigins: [] },
  serviceHosts: { scripts: [], connections: [], frames: [] },
  head: async (_, path) => ({
    ...{
      brand: "Fiesta & Co",
      title: "Perya",
      description: "Games",
      canonical: `https://perya.test${path}`,
    },
    ...{ language: "en", connectsTo: [] },
  }),
  manifest: async () => ({ name: "Fiesta & Co" }),
  frames: async () => [],
  robots: async () => null,
  sitemap: async () => null,
  shell: async () => "<script>evil()</script>",
  boot: async () => {
    made++;
    await new Promise((done) => setTimeout(done, 20));
    // Slow work on a slow machine: by now the page would be too old already.
    clock.advance(3_000);
    if (fails) throw new Error("no database");
    return { status: "of the brand" };
  },
  regionClosed: async () => false,
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const ask = (path: string) => app.inject({ url: path, headers: { accept: "text/html" } });

describe("a page of the application", () => {
  it("is made once for all who request it while it is made, and anew if it is old or the clock is set back", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask("/m/home")));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(50).fill(200));
    expect(made).toBe(1);
    await ask("/m/home");
    expect(made).toBe(1);
    clock.advance(2_001);
    await ask("/m/home");
    expect(made).toBe(2);
    await ask("/m/other");
    expect(made).toBe(3);
    clock.set(clock.now() - HOUR_MS);
    await ask("/m/home");
    expect(made).toBe(4);
  });

  it("is one page in every spelling of its address", async () => {
    for (const path of ["/m/inHouse/", "/m/inhouse", "/M/inHouse"]) {
      expect((await ask(path)).body, path).toContain('href="https://perya.test/m/inHouse"');
    }
    expect((await ask("/RNG/")).statusCode).toBe(200);
  });

  it("says in its data when they were read, before the time that making it took", async () => {
    const before = clock.now();
    const { body } = await ask("/m/slow");
    expect(body).toContain(JSON.stringify({ at: before, status: "of the brand" }));
    expect(clock.now()).toBe(before + 3_000);
  });

  it("that could not be made is made anew for the next request", async () => {
    fails = true;
    const failed = await Promise.all([ask("/m/faulty"), ask("/m/faulty")]);
    expect(failed.map(({ statusCode }) => statusCode)).toEqual([500, 500]);
    fails = false;
    expect((await ask("/m/faulty")).statusCode).toBe(200);
  });

  it("runs only the inline code that the build put there, by its hash, and nothing that is filled in", async () => {
    const { headers } = await ask("/m/home");
    const hashed = (code: string) => createHash("sha256").update(code).digest("base64");
    const [scripts] = /script-src [^;]*/.exec(String(headers["content-security-policy"])) ?? [];
    expect(scripts).toBe(`script-src 'self' 'sha256-${hashed(GUARD)}'`);
  });

  it("has its brand's name if a phone lists it among its own, and so has the application", async () => {
    expect((await ask("/m/home")).body).toContain(
      '<meta name="apple-mobile-web-app-title" content="Fiesta &amp; Co" />',
    );
    const manifest = await ask("/manifest.webmanifest");
    expect(manifest.headers["content-type"]).toContain("application/manifest+json");
    expect(manifest.json()).toEqual({ id: "/m/home", name: "Fiesta & Co" });
  });

  it("names an asset that only another version has, and nobody caches its absence", async () => {
    const { statusCode, headers } = await ask("/assets/app-other.js");
    expect(statusCode).toBe(404);
    expect(headers["cache-control"]).toBe("no-store");
  });
});
