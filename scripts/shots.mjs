import { buildStale } from "./build.mjs";
import { findChromium } from "./chromium.mjs";
import { ensureInstalled } from "./install.mjs";
import { bin, requireNode, run } from "./project.mjs";
import { inTurn } from "./turn.mjs";

requireNode();
await inTurn(async () => {
  await ensureInstalled();
  await buildStale();
});
const chromium = await findChromium();
if (chromium === null) process.exit(1);
process.exitCode = await run(bin("tsx"), ["tests/shots/shots.ts", ...process.argv.slice(2)], {
  env: { ...process.env, CHROMIUM_PATH: chromium },
});
