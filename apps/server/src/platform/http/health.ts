import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { inTime } from "../in-time.ts";
import type { JobsHealth } from "../jobs.ts";

export interface HealthOptions {
  /** Its own, so that it judges the database and not who else waits for a connection. */
  readonly pool: pg.Pool;
  readonly version: string;
  readonly jobs: () => JobsHealth | null;
  /** Whether the bus between processes answers; null if there is only one process. */
  readonly busAnswers: () => boolean | null;
  /** Whether this process takes no more callers because it is about to end. */
  readonly isStopping: () => boolean;
}

/** From here on the jobs are late, and somebody should look; callers are served all the same. */
const JOBS_LATE_MS = 60_000;
/** A database that hangs must not hang health checks. */
const DATABASE_ANSWER_MS = 2_000;

type DatabaseState = "up" | "read-only" | "down";

/**
 * Alive, ready and the version for those who run the process; the ping for players. A process to
 * which a load balancer should send nobody is not ready: it has no database, or one that takes no
 * writes (perhaps an earlier leader that it alone still finds), it is ending, or only its own
 * worker is stuck. What fails in all processes at once (late jobs, Redis away) fails no check and
 * is only in the detail.
 */
export function serveHealth(app: FastifyInstance, options: HealthOptions): void {
  // Callers that come meanwhile share the query.
  let asked: Promise<DatabaseState> | null = null;
  const databaseState = () => {
    asked ??= stateOf(options.pool).finally(() => {
      asked = null;
    });
    return asked;
  };

  app.get("/livez", async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send("ok\n"),
  );

  app.get("/readyz", async (_request, reply) => {
    const [database, jobs, bus] = [await databaseState(), options.jobs(), options.busAnswers()];
    const stopping = options.isStopping();
    const ready = database === "up" && !stopping && jobs?.running === true;
    const late = (jobs?.oldestDueMs ?? 0) > JOBS_LATE_MS;
    return reply
      .code(ready ? 200 : 503)
      .header("cache-control", "no-store")
      .send({
        ready,
        stopping,
        database,
        redis: bus === null ? "none" : bus ? "up" : "down",
        jobs: jobs === null ? "starting" : !jobs.running ? "stopped" : late ? "late" : "up",
        oldestJobMs: jobs?.oldestDueMs ?? 0,
      });
  });

  app.get("/version", async (_request, reply) => reply.send({ version: options.version }));

  // At the specification's path, outside the interface; called from the brand's other addresses.
  app.get("/common/v.1.0.1/ping.json", async (_request, reply) =>
    reply
      .header("access-control-allow-origin", "*")
      .header("cross-origin-resource-policy", "cross-origin")
      .header("cache-control", "no-store")
      .send({ ping: "pong" }),
  );
}

async function stateOf(pool: pg.Pool): Promise<DatabaseState> {
  const asking = askState(pool);
  return (await inTime(DATABASE_ANSWER_MS, asking)) ? asking : "down";
}

/** A connection without an answer, or that takes no writes, is replaced before the next check. */
async function askState(pool: pg.Pool): Promise<DatabaseState> {
  const client = await pool.connect();
  let state: DatabaseState = "down";
  try {
    const question = { text: READ_ONLY, query_timeout: DATABASE_ANSWER_MS };
    const { rows } = await client.query<{ is_read_only: boolean }>(question);
    state = rows[0]?.is_read_only === false ? "up" : "read-only";
    return state;
  } finally {
    client.release(state !== "up");
  }
}

/** Also on in a standby. */
const READ_ONLY = "SELECT current_setting('transaction_read_only')::boolean AS is_read_only";
