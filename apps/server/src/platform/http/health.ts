import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { inTime } from "../in-time.ts";
import type { JobsHealth } from "../jobs.ts";

export interface HealthOptions {
  /** Of its own, so that it tells of the database and not of who else waits for a connection. */
  readonly pool: pg.Pool;
  readonly version: string;
  /** Null before they have begun. */
  readonly jobs: () => JobsHealth | null;
  /** Whether what carries events between processes answers; null where there is but one process. */
  readonly busAnswers: () => boolean | null;
  /** Whether this process takes no more callers, for it is about to end. */
  readonly isStopping: () => boolean;
}

/** From here on the jobs are late, and somebody should look; the callers are served all the same. */
export const JOBS_LATE_MS = 60_000;
/** A database that hangs must not hang those who ask for it. */
const DATABASE_ANSWER_MS = 2_000;
/** An answer that does not come takes its connection with it; the next one is asked anew. */
const QUESTION = { text: "SELECT 1", query_timeout: DATABASE_ANSWER_MS };

/**
 * Alive, ready and which version for whoever runs the process; the ping for players. Not ready is
 * a process that a load balancer should send nobody to: it has no database, it is ending, or its
 * worker alone is stuck. What fails in all processes at once (late jobs, Redis away) costs no call
 * and is in the detail only.
 */
export function serveHealth(app: FastifyInstance, options: HealthOptions): void {
  // Whoever asks meanwhile shares the question.
  let asked: Promise<boolean> | null = null;
  const databaseAnswers = () => {
    asked ??= inTime(DATABASE_ANSWER_MS, options.pool.query(QUESTION)).finally(() => {
      asked = null;
    });
    return asked;
  };

  app.get("/livez", async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send("ok\n"),
  );

  app.get("/readyz", async (_request, reply) => {
    const [database, jobs, bus] = [await databaseAnswers(), options.jobs(), options.busAnswers()];
    const stopping = options.isStopping();
    const ready = database && !stopping && jobs?.running === true;
    const late = (jobs?.oldestDueMs ?? 0) > JOBS_LATE_MS;
    return reply
      .code(ready ? 200 : 503)
      .header("cache-control", "no-store")
      .send({
        ready,
        stopping,
        database: database ? "up" : "down",
        redis: bus === null ? "none" : bus ? "up" : "down",
        jobs: jobs === null ? "starting" : !jobs.running ? "stopped" : late ? "late" : "up",
        oldestJobMs: jobs?.oldestDueMs ?? 0,
      });
  });

  app.get("/version", async (_request, reply) => reply.send({ version: options.version }));

  // Where the specification has it, outside the interface; asked from the brand's other addresses.
  app.get("/common/v.1.0.1/ping.json", async (_request, reply) =>
    reply
      .header("access-control-allow-origin", "*")
      .header("cross-origin-resource-policy", "cross-origin")
      .header("cache-control", "no-store")
      .send({ ping: "pong" }),
  );
}
