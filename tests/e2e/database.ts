import pg from "pg";
import { runningDatabaseUrl } from "../../apps/server/src/platform/postgres/embedded.ts";
import { serverOfWorker } from "./start-perya.ts";

/** Works in the database of a running Perya: the worker's own, or the one in `folder`. */
export async function inDatabase<T>(
  work: (client: pg.Client) => Promise<T>,
  { folder }: { readonly folder: string } = serverOfWorker(),
): Promise<T> {
  const url = process.env.DATABASE_URL ?? (await runningDatabaseUrl(folder)) ?? "";
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Makes a waiting job due in so many seconds; `key` is the key under which it was added. */
export async function jobRunsIn(client: pg.Client, key: string, seconds: number): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT graphile_worker.reschedule_jobs(ARRAY[id], run_at := now() + make_interval(secs => $2))
     FROM graphile_worker.jobs WHERE key = $1`,
    [key, seconds],
  );
  if (rowCount !== 1) throw new Error(`no job ${key}`);
}
