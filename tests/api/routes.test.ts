import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { afterAll, expect, it } from "vitest";
import { declared } from "./authorization-harness.ts";
import { startServer } from "./running-server.ts";

/** Routes besides the calls; they require no login. */
const PAGES = [
  "GET /art/banner/:file",
  "GET /art/portrait/:file",
  "GET /art/tile/:file",
  "GET /art/vendor/:file",
  "GET /assets/*",
  "GET /auth/callback/:provider",
  "GET /common/v.1.0.1/ping.json",
  "GET /docs",
  "GET /docs/json",
  "GET /docs/static/*",
  "GET /docs/static/index.html",
  "GET /docs/static/swagger-initializer.js",
  "GET /docs/yaml",
  "HEAD /docs/",
  "GET /livez",
  "GET /readyz",
  "GET /robots.txt",
  "GET /sitemap.xml",
  "GET /version",
  // These never exist in production.
  "GET /outbox",
  "GET /pay/sandbox/:reference",
  "POST /pay/sandbox/:reference",
  "GET /sandbox/vendor/:vendor/play",
  "GET /sandbox/vendor/table.js",
  "POST /sandbox/vendor/table",
];
/** Fastify publishes each new server on this channel, before it has a route. */
const BEGUN = "fastify.initialization";
const BUILT = new URL("../../apps/play/dist/", import.meta.url);

const standing = new Set<string>();

subscribe(BEGUN, note);
const server = await startServer();

afterAll(async () => {
  unsubscribe(BEGUN, note);
  await server.stop();
});

it("the routes are the contract's calls and the pages named here, so that the authorization matrix misses no call", () => {
  const calls = declared.map(([key]) => key.replace(/\{(\w+)\}/g, ":$1"));
  // Fastify answers HEAD by the handler of GET, and the player's build has many files.
  const served = [...standing].filter((route) => !isOfGet(route) && !isFileOfPlayer(route));
  expect(served.sort()).toEqual([...calls, ...PAGES].sort());
});

it("the document at /docs describes each of the contract's calls, as JSON and as YAML", async () => {
  const { paths } = await (await fetch(`${server.url}/docs/json`)).json();
  const told = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(told.sort()).toEqual(declared.map(([key]) => key).sort());
  const yaml = await (await fetch(`${server.url}/docs/yaml`)).text();
  for (const path of Object.keys(paths)) expect(yaml).toContain(`\n  ${path}:\n`);
});

function note(message: unknown): void {
  // This is the channel's message as Fastify documents it.
  const { fastify } = message as { readonly fastify: FastifyInstance };
  fastify.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) standing.add(`${one} ${url}`);
  });
}

function isOfGet(route: string): boolean {
  return route.startsWith("HEAD ") && standing.has(route.replace("HEAD ", "GET "));
}

/** A file of the player's build, like `/sw.js`; a path with a parameter or a star is no file. */
function isFileOfPlayer(route: string): boolean {
  const file = /^GET \/([\w./-]+)$/.exec(route)?.[1];
  return file !== undefined && /\.\w+$/.test(file) && existsSync(new URL(file, BUILT));
}
