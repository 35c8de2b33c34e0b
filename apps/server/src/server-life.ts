import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { DemoAccount } from "./demo/demo.ts";
import type { Parts } from "./parts.ts";
import { systemElapsed } from "./platform/clock.ts";
import type { Drain } from "./platform/http/drain.ts";
import { createMetricsServer } from "./platform/http/metrics.ts";
import { inTime } from "./platform/in-time.ts";
import { type Jobs, startJobs } from "./platform/jobs.ts";
import { KEEPER_LEASE_MS, Keeper } from "./platform/keeper.ts";
import { createLease } from "./platform/lease.ts";
import type { joined } from "./platform/server-module.ts";
import type { Live } from "./platform/sockets/live.ts";

export interface Server {
  listen(): Promise<{ url: string; metricsUrl: string }>;
  /**
   * Loads the demo brand once; answers its accounts.
   * @throws the reason of `stopping`, and Error if an earlier load was cut off
   */
  loadDemo(stopping?: AbortSignal): Promise<DemoAccount[]>;
  close(): Promise<void>;
}

export interface Built {
  readonly parts: Parts;
  readonly brought: Omit<ReturnType<typeof joined>, "calls" | "channels">;
  readonly app: FastifyInstance;
  readonly live: Live;
  readonly drain: Drain;
}

/** At the end, each step that needs only the database gets this long. */
const DATABASE_PATIENCE_MS = 3_000;

/** How a server that is built begins and ends. */
export function serverLife(built: Built): Pick<Server, "listen" | "close"> {
  const { parts, brought, app, live, drain } = built;
  const { config, pool, healthPool, history, ledger, bus, sharedRates, running } = parts;
  const metricsServer = createMetricsServer(parts.metrics);
  const keepers = keepersOf(built);
  return {
    async listen() {
      // Nothing deals before this is sure, however long a large site's renewal takes.
      history.start();
      // A first start has draws, rains and matches at once, not when a planning job first runs.
      for (const { prepare } of brought.list) await prepare?.();
      await app.listen({ host: config.host, port: config.port });
      const port = portOf(app.server) ?? config.port;
      running.address = `http://127.0.0.1:${port}`;
      await new Promise<void>((done, fail) => {
        metricsServer.once("error", fail);
        metricsServer.listen(config.metricsPort, config.metricsHost, done);
      });
      for (const { start } of brought.list) start?.();
      running.jobs = await startJobsOf(built);
      for (const keeper of keepers) keeper.start();
      return {
        url: config.publicUrl.replace(/:0$/, `:${port}`),
        metricsUrl: `http://${config.metricsHost}:${portOf(metricsServer) ?? 0}/metrics`,
      };
    },

    async close() {
      const graceMs = running.address === "" ? 0 : config.stopGraceMs;
      const drained = drain.run(graceMs);
      await sleep(graceMs);
      // Another process keeps the rounds on, while this one still answers.
      const kept = [...keepers, ...brought.list, history].map((one) => one.stop?.());
      // A silent database is not waited for: another process soon takes over what it still holds.
      await inTime(DATABASE_PATIENCE_MS, Promise.all(kept));
      // What is still answered may add jobs, and needs none: both get their time at once.
      const jobsStopped = running.jobs?.stop();
      const finish = () => Promise.all(brought.list.map((one) => one.finish?.()));
      void finish();
      await Promise.all([live.close(), drained]);
      drain.cut();
      await app.close();
      // Even if an outside service hangs, this is over long before the process is ended by force.
      await Promise.all([finish(), parts.messages.close(), jobsStopped]);
      metricsServer.close();
      await inTime(DATABASE_PATIENCE_MS, ledger.close());
      await bus.close();
      sharedRates?.close();
      await inTime(DATABASE_PATIENCE_MS, Promise.all([pool.end(), healthPool.end()]));
    },
  };
}

function keepersOf({ parts, brought }: Built): Keeper[] {
  const { pool, clock, log, processName } = parts;
  return brought.keeps.map(({ name, kept, trouble }) => {
    const lease = createLease(pool, clock, name, processName, KEEPER_LEASE_MS);
    return new Keeper({ kept, trouble, lease, clock, elapsed: systemElapsed, log });
  });
}

function startJobsOf({ parts, brought }: Built): Promise<Jobs> {
  const { pool, log, metrics } = parts;
  const { tasks, outside, schedule } = brought;
  return startJobs({
    ...{ pool, log, tasks, outside, schedule },
    onBeat: ({ oldestDueMs, oldestOutsideMs, oldestUntakenMs }) => {
      metrics.oldestJob.set(oldestDueMs / 1_000);
      metrics.oldestOutside.set(oldestOutsideMs / 1_000);
      metrics.oldestUntaken.set(oldestUntakenMs / 1_000);
    },
  });
}

function portOf(server: { address(): AddressInfo | string | null }): number | null {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : null;
}
