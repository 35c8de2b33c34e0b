import { createLogger } from "../../apps/server/src/platform/log.ts";
import { startEmbedded } from "../../apps/server/src/platform/postgres/embedded.ts";

/** A process that holds the embedded database of the given folder until it is killed. */
const dataDir = process.argv[2] ?? "";
const server = await startEmbedded({ dataDir, log: createLogger({ level: "silent" }) });
process.stdout.write(`${JSON.stringify({ url: server.url, pid: server.pid })}\n`);
process.once("SIGTERM", () => server.stop().then(() => process.exit(0)));
setInterval(() => {}, 60_000);
