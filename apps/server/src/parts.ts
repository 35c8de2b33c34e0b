import type { Clock, Entropy } from "@perya/kernel/instant";
import { createBrands } from "./modules/brand/brand.ts";
import type { Argon2 } from "./modules/identity/identity.ts";
import { Ledger } from "./modules/ledger/ledger.ts";
import { VendorWallet } from "./modules/vendors/vendors.ts";
import { outgoingMessages } from "./outgoing-messages.ts";
import { localBus, redisBus } from "./platform/bus.ts";
import type { Config } from "./platform/config.ts";
import { createMetrics } from "./platform/http/metrics.ts";
import {
  localRateLimiter,
  type RateLimiter,
  redisRateLimiter,
} from "./platform/http/rate-limit.ts";
import { type Jobs, migrateJobs } from "./platform/jobs.ts";
import type { Logger } from "./platform/log.ts";
import { isCluster } from "./platform/postgres/distribute.ts";
import { DatabaseHistory } from "./platform/postgres/history.ts";
import { createPool } from "./platform/postgres/pool.ts";
import type { SiteRedis } from "./platform/redis.ts";
import type { ModuleParts } from "./platform/server-module.ts";
import { siteName } from "./platform/site-name.ts";
import { renewSeenChance } from "./seen-chance.ts";

export interface ServerDependencies {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly databaseUrl: string;
  /** Counts rates in place of this process's memory. */
  readonly rateLimiter?: RateLimiter;
  /** Work of a human check; tests ask for less than a player's phone does. */
  readonly humanCheckMaxNumber?: number;
  readonly argon2?: Argon2;
}

/** Parts that exist only once the modules do. */
interface Late extends Pick<ModuleParts, "tell" | "publish"> {
  /** The database goes on from an earlier moment. */
  readonly giveWay: () => void;
}

export type Parts = Awaited<ReturnType<typeof createParts>>;

const POOL_MAX = 20;

export async function createParts(deps: ServerDependencies, { tell, publish, giveWay }: Late) {
  const { config, log, clock, entropy, databaseUrl } = deps;
  const pool = createPool(databaseUrl, { max: POOL_MAX, log });
  const healthPool = createPool(databaseUrl, { max: 1, log });
  const history = new DatabaseHistory({
    pool,
    renew: () => renewSeenChance(pool),
    onChange: () => {
      log.warn("the database goes on from an earlier moment: what was shown gives way");
      giveWay();
    },
  });
  const { redisUrl } = config;
  const redis = await migrateJobs(pool, log)
    .then(async () =>
      redisUrl === null
        ? null
        : { url: redisUrl, site: await siteName(pool, config.sessionSecret) },
    )
    .catch(async (error: unknown) => {
      await Promise.all([pool.end(), healthPool.end()]);
      throw error;
    });
  const processName = Buffer.from(entropy.bytes(9)).toString("base64url");
  const { bus, sharedRates } = betweenProcesses(redis, processName, deps);
  const brands = createBrands(pool, clock, (brand, fault) =>
    log.error({ brand, fault }, "a brand cannot be read, and is closed"),
  );
  const ledger = new Ledger({
    databaseUrl,
    pool,
    isCluster: await isCluster(pool),
    onTrouble: (error, what) => {
      log.warn({ err: error }, what);
      history.doubt();
    },
  });
  // Set once the server listens: its own address from the inside, and its jobs.
  const running: { address: string; jobs: Jobs | null } = { address: "", jobs: null };
  return {
    ...{ config, log, clock, entropy, pool, healthPool, history, processName },
    ...{ bus, sharedRates, brands, ledger, tell, publish, running },
    callBase: () => running.address,
    /** Resolves once no seed in use was seen in a history that the database has left. */
    sure: () => history.sure(),
    wallet: new VendorWallet(pool, ledger, clock),
    rateLimiter: deps.rateLimiter ?? sharedRates ?? localRateLimiter(clock),
    metrics: createMetrics(),
    messages: outgoingMessages(config, clock, log),
    humanCheckMaxNumber: deps.humanCheckMaxNumber,
    argon2: deps.argon2,
  };
}

/** The messages between processes, and the rates that they count together. */
function betweenProcesses(
  redis: SiteRedis | null,
  processName: string,
  { log, clock }: ServerDependencies,
) {
  if (redis === null) return { bus: localBus(), sharedRates: null };
  const bus = redisBus(redis, processName, {
    onTrouble: (error) => log.warn({ err: error }, "the bus is unreachable"),
    onMisheard: (error) => log.warn({ err: error }, "a word of another process was not understood"),
  });
  const sharedRates = redisRateLimiter(redis, clock, (error) =>
    log.warn({ err: error }, "the shared rate limits are unreachable"),
  );
  return { bus, sharedRates };
}
