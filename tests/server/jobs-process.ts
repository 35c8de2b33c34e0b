import { startJobs } from "../../apps/server/src/platform/jobs.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";

/**
 * A process that takes jobs and finishes none: it reports each job that it began, and waits to be
 * killed. If it is given a task, it schedules it every minute.
 */
const log = createLogger({ level: "silent" });
const [url = "", planned] = process.argv.slice(2);
const pool = createPool(url, { max: 2, log });
await startJobs({
  pool,
  log,
  schedule: planned === undefined ? {} : { [planned]: "* * * * *" },
  beats: { everyMs: 100, deadAfterMs: 500 },
  tasks: {
    endless: async (payload) => {
      process.stdout.write(`${JSON.stringify(payload)}\n`);
      await new Promise(() => undefined);
    },
  },
});
