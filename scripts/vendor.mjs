import { ensureInstalled } from "./install.mjs";
import { bin, requireNode, run } from "./project.mjs";
import { inTurn } from "./turn.mjs";

requireNode();
await inTurn(ensureInstalled);
const given = process.argv.slice(2);
process.exitCode = await run(bin("tsx"), ["apps/server/src/vendor.ts", ...given]);
