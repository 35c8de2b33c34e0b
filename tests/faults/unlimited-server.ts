import { buildServer } from "../../apps/server/src/build.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { loadConfig } from "../../apps/server/src/platform/config.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";

/**
 * The product with the demo, in a separate process and without rate limits, for tests that send far
 * more than those allow. On its parent's request it reports the size of its heap after a full
 * garbage collection.
 */
const config = loadConfig({ ...process.env, NODE_ENV: "test", PORT: "0", METRICS_PORT: "0" });
if (!config.ok) throw new Error(config.error.join("; "));
const server = await buildServer({
  config: { ...config.value, logLevel: "fatal", trustProxy: 1 },
  log: createLogger({ level: "fatal" }),
  clock: systemClock,
  entropy: systemEntropy,
  databaseUrl: process.env.DATABASE_URL ?? "",
  rateLimiter: { take: async () => null },
});
await server.loadDemo();
const { url } = await server.listen();
process.on("message", () => {
  globalThis.gc?.();
  process.send?.({ heapBytes: process.memoryUsage().heapUsed });
});
process.once("disconnect", () => process.exit(0));
process.send?.({ url });
