import { ensureInstalled } from "./install.mjs";
import { bin, requireNode, run } from "./project.mjs";
import { ensureRedis } from "./redis.mjs";
import { inTurn } from "./turn.mjs";

/** The campaign of faults; `--seed`, `--rounds`, `--only`, `--seconds`, `--record` are its own. */
requireNode();
await inTurn(ensureInstalled);
await ensureRedis();
process.exitCode = await run(bin("tsx"), ["tests/faults/campaign.ts", ...process.argv.slice(2)]);
