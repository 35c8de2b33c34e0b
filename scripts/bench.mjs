import { buildStale } from "./build.mjs";
import { findHeadlessShell } from "./chromium.mjs";
import { BENCH, ensureInstalled } from "./install.mjs";
import { bin, requireNode, run } from "./project.mjs";
import { inTurn } from "./turn.mjs";

requireNode();
await inTurn(async () => {
  await ensureInstalled();
  await ensureInstalled(BENCH);
  await buildStale();
});
// Without a window's parts, which would share the two cores with the measured page.
const chromium = await findHeadlessShell();
if (chromium === null) process.exit(1);
process.exitCode = await run(bin("tsx"), ["bench/main.ts", ...process.argv.slice(2)], {
  env: { ...process.env, CHROMIUM_PATH: chromium },
});
