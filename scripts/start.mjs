import { pathToFileURL } from "node:url";
import { buildStale, SERVER_BUNDLE } from "./build.mjs";
import { ensureInstalled } from "./install.mjs";
import { requireNode } from "./project.mjs";
import { inTurn } from "./turn.mjs";

requireNode();
try {
  await inTurn(async () => {
    await ensureInstalled();
    await buildStale();
  });
} catch (error) {
  process.stderr.write(`Perya could not be built: ${error.message}\n`);
  process.exit(1);
}

// In this same process, so that signals and the exit code are the server's own.
process.setSourceMapsEnabled(true);
await import(pathToFileURL(SERVER_BUNDLE).href);
