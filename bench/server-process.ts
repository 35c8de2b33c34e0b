import { buildServer } from "../apps/server/src/build.ts";
import { systemClock } from "../apps/server/src/platform/clock.ts";
import { loadConfig } from "../apps/server/src/platform/config.ts";
import { systemEntropy } from "../apps/server/src/platform/entropy.ts";
import { localRateLimiter } from "../apps/server/src/platform/http/rate-limit.ts";
import { createLogger } from "../apps/server/src/platform/log.ts";

/** The server as in production, with the demo's brand; rates are counted, not enforced. */
const config = loadConfig({ ...process.env, NODE_ENV: "development", DEMO_DATA: "false" });
if (!config.ok) throw new Error(config.error.join("; "));
const limiter = localRateLimiter(systemClock);
const server = await buildServer({
  // Production accepts only https addresses, and these programs have none.
  config: {
    ...config.value,
    environment: "production",
    logLevel: "error",
    host: "127.0.0.1",
  },
  log: createLogger({ level: "error" }),
  clock: systemClock,
  entropy: systemEntropy,
  databaseUrl: process.env.DATABASE_URL ?? "",
  rateLimiter: {
    take: (bounds, windowMs, count) => {
      const unbounded = bounds.map((bound) => ({ ...bound, max: Number.MAX_SAFE_INTEGER }));
      return limiter.take(unbounded, windowMs, count);
    },
  },
});
await server.loadDemo();
const { url } = await server.listen();
process.stdout.write(`listening ${url}\n`);
process.once("SIGTERM", () => {
  void server.close().then(() => process.exit(0));
});
