import { ensureInstalled } from "./install.mjs";
import { bin, requireNode, run } from "./project.mjs";
import { inTurn } from "./turn.mjs";

requireNode();
await inTurn(ensureInstalled);
process.exitCode = await run(bin("tsx"), ["apps/server/src/restored.ts"]);
