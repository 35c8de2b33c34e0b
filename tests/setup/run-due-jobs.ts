import { runOnce } from "graphile-worker";
import {
  type JobsOptions,
  jobLogger,
  watchedTasks,
  workerPool,
} from "../../apps/server/src/platform/jobs.ts";

/** Runs what is due and returns, since tests fix the clock themselves. */
export async function runDueJobs({
  pool,
  log,
  tasks,
}: Pick<JobsOptions, "pool" | "log" | "tasks">) {
  const own = workerPool(pool, log);
  try {
    await runOnce({
      pgPool: own,
      logger: jobLogger(log),
      noHandleSignals: true,
      taskList: watchedTasks().watched(tasks),
    });
  } finally {
    await own.end();
  }
}
