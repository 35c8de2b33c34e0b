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
const JOBS_LATE_MS = 60_000;
/** A database that hangs must not hang those who ask for it. */
const DATABASE_ANSWER_MS = 2_000;

type DatabaseState = "up" | "read-only" | "down";

/**
 * Alive, ready and which version for whoever runs the process; the ping for players. Not ready is
 * a process that a load balancer should send nobody to: it has no database, or one that takes no
 * writes (a leader of before, perhaps, that it alone still finds), it is ending, or its worker
 * alone is stuck. What fails in all processes at once (late jobs, Redis away) costs no call and
 * is in the detail only.
 */
export function serveHealth(app: FastifyInstance, options: HealthOptions): void {
  // Whoever asks meanwhile shares the question.
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

  // Where the specification has it, outside the interface; asked from the brand's other addresses.
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

/** What does not answer, and what takes no writes, is asked over another connection next time. */
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

/** On in a standby too. */
const READ_ONLY = "SELECT current_setting('transaction_read_only')::boolean AS is_read_only";
