import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOUR_MS } from "@perya/kernel/instant";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manualClock } from "../../../../../tests/server/fixtures.ts";
import { PLAY_ADDRESSES } from "../../site-pages.ts";
import { servePages } from "./pages.ts";

const clock = manualClock();
const folder = mkdtempSync(join(tmpdir(), "perya-pages-"));
const officeFolder = mkdtempSync(join(tmpdir(), "perya-office-"));
let app: FastifyInstance;
let made = 0;
let fails = false;
const GUARD = "start()";
const OFFICE_GUARD = "open()";

beforeAll(async () => {
  mkdirSync(join(folder, "assets"));
  writeFileSync(
    join(folder, "index.html"),
    `<html lang="fil"><!--head--><script>${GUARD}</script><!--shell--><!--boot-->`,
  );
  writeFileSync(join(folder, "manifest.webmanifest"), '{"id":"/m/home","name":"of the build"}');
  writeFileSync(join(folder, "sw.js"), "play");
  writeFileSync(join(folder, "assets", "app-1.js"), "play");
  app = fastify();
  app.decorateRequest("sender");
  app.addHook("onRequest", async (request) => {
    request.sender = { address: "203.0.113.7", host: "perya.test", hostname: "perya.test" };
  });
  await servePages(app, {
    ...{ addresses: PLAY_ADDRESSES, folder, clock, imageOrigins: [] },
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
    robots: async () => "of play",
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
  await serveOffice();
});

/** A second app beside the player's: its page, its worker and an asset say "office". */
async function serveOffice(): Promise<void> {
  mkdirSync(join(officeFolder, "assets"));
  writeFileSync(
    join(officeFolder, "index.html"),
    `<html lang="fil"><!--head--><script>${OFFICE_GUARD}</script><!--shell--><!--boot-->`,
  );
  writeFileSync(join(officeFolder, "manifest.webmanifest"), '{"id":"/office/home"}');
  for (const name of ["sw.js", "assets/app-1.js", "assets/app-2.js"]) {
    writeFileSync(join(officeFolder, name), "office");
  }
  await servePages(app, {
    addresses: {
      ...{ prefix: "/office", home: "/office/home", notPages: /^\/assets(\/|$)/ },
      pageAt: (path) => (/^\/office\/(home|members)$/.test(path) ? path : null),
    },
    ...{ folder: officeFolder, clock, imageOrigins: ["https://office.test"] },
    serviceHosts: { scripts: [], connections: [], frames: [] },
    head: async (_, path) => ({
      ...{ brand: "Office", title: "Office", description: "", language: "de", connectsTo: [] },
      canonical: `https://perya.test${path}`,
    }),
    manifest: async () => ({ name: "Office" }),
    frames: async () => [],
    shell: async () => "",
    boot: async () => ({ status: "of the office" }),
    regionClosed: async () => true,
  });
}

afterAll(async () => {
  await app?.close();
  rmSync(folder, { recursive: true });
  rmSync(officeFolder, { recursive: true });
});

const ask = (path: string) => app.inject({ url: path, headers: { accept: "text/html" } });

const hashed = (code: string) => createHash("sha256").update(code).digest("base64");

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

describe("two apps of one server", () => {
  it("each send unknown paths to their own home, and neither answers a path of the other", async () => {
    const target = async (path: string) => (await ask(path)).headers.location;
    expect(await target("/office/unknown?tab=1")).toBe("/office/home");
    expect(await target("/office")).toBe("/office/home");
    expect(await target("/office/m/home")).toBe("/office/home");
    expect(await target("/unknown")).toBe("/m/home");
    expect(await target("/officers")).toBe("/m/home");
    expect(await target("/members")).toBe("/m/home");
    expect((await ask("/office/rng")).statusCode).toBe(302);
    expect((await ask("/m/office/home")).body).toContain("of the brand");
  });

  it("each have pages of their own index, in their own language, with their own data and policy", async () => {
    const [play, office] = [await ask("/m/home"), await ask("/office/home")];
    for (const { statusCode, headers } of [play, office]) {
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({ "cache-control": "no-cache", vary: "accept-encoding" });
    }
    expect(office.body).toMatch(/^<html lang="de">.*open\(\).*"status":"of the office"/s);
    expect(play.body).toMatch(/^<html lang="en">.*start\(\).*"status":"of the brand"/s);
    const policies = [play, office].map(({ headers }) =>
      String(headers["content-security-policy"]),
    );
    expect(policies.map((policy) => policy.includes(hashed(GUARD)))).toEqual([true, false]);
    expect(policies.map((policy) => policy.includes(hashed(OFFICE_GUARD)))).toEqual([false, true]);
    expect(policies.map((policy) => policy.includes("https://office.test"))).toEqual([false, true]);
  });

  it("each serve their own worker, which no cache keeps, and their own assets, which stay for a year", async () => {
    for (const [prefix, app] of [
      ["", "play"],
      ["/office", "office"],
    ]) {
      const worker = await ask(`${prefix}/sw.js`);
      expect([worker.body, worker.headers["cache-control"]]).toEqual([app, "no-cache"]);
      // Its folder bounds its scope.
      expect(worker.headers["service-worker-allowed"]).toBeUndefined();
      const asset = await ask(`${prefix}/assets/app-1.js`);
      expect(asset.body).toBe(app);
      expect(asset.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      const missing = await ask(`${prefix}/assets/gone.js`);
      expect([missing.statusCode, missing.headers["cache-control"]]).toEqual([404, "no-store"]);
    }
    expect((await ask("/assets/app-2.js")).statusCode).toBe(404);
    expect((await ask("/office/manifest.webmanifest")).json()).toEqual({
      ...{ id: "/office/home", name: "Office" },
    });
    expect((await ask("/robots.txt")).body).toBe("of play");
    expect((await ask("/office/robots.txt")).headers.location).toBe("/office/home");
  });
});
