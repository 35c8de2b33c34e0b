import { bit, bitSoon, clocksOf } from "./proofs.ts";
import type { Site } from "./site.ts";

/** Whoever asks a server for the time is answered by then. */
const CLOCK_SLACK_MS = 5_000;
/** Whoever plans looks every ten seconds. */
const PLANNED_WITHIN_MS = 15_000;
const OFF_PLAN = `SELECT task FROM planned_tasks WHERE planned_at > now()
  OR task = 'cashier_sweep' AND planned_at < now() - interval '75 s'`;
/** What somebody waits for who goes on by himself. */
const TIMES = [
  ["leases", "expires_at"],
  ["worker_processes", "beat_at"],
  ["graphile_worker._private_jobs", "locked_at"],
  ["withdrawals", "look_at"],
  ["deposits", "look_at"],
  ["planned_tasks", "planned_at"],
] as const;

/** Its machine's clock is off, and what it tells its callers is the database's time. */
export async function tellsTrueTime(site: Site, number: number, offsetMs: number): Promise<void> {
  const { machineMs, toldMs } = await clocksOf(site.server(number).url);
  bit("its machine's clock is off", Math.abs(machineMs - offsetMs) < CLOCK_SLACK_MS);
  if (Math.abs(toldMs) > CLOCK_SLACK_MS)
    throw new Error(`it tells a time that is ${toldMs} ms off`);
}

/** What goes on by itself stands as a clock leaves it that is so far off. */
export async function leaveTimesOf(site: Site, hours: number): Promise<void> {
  for (const [table, column] of TIMES) {
    const { rowCount } = await site.database.ask(
      `UPDATE ${table} SET ${column} = ${column} + interval '${hours} hours'
       WHERE ${column} IS NOT NULL`,
    );
    if (table === "planned_tasks") bit("what is planned is off", rowCount !== 0);
  }
}

/** Each task of every minute is planned for the minute that the database has, or the last. */
export async function plansByTrueTime(site: Site): Promise<void> {
  await bitSoon(
    "every minute is planned",
    async () => (await site.database.ask(OFF_PLAN)).rows.length === 0,
    PLANNED_WITHIN_MS,
  );
}
