import { bit, bitSoon, clocksOf } from "./proofs.ts";
import type { Site } from "./site.ts";

/** A server answers a request for the time within this. */
const CLOCK_SLACK_MS = 5_000;
/** Clock settings differ by more than this; the server reads the clock every ten seconds. */
const SET_SLACK_MS = 900;
const FOLLOWED_WITHIN_MS = 20_000;
/** Clocks settle for 40 s; a flying kite is brought down, and the next but one is new. */
const FLIES_WITHIN_MS = 120_000;
/** The planner runs every ten seconds. */
const PLANNED_WITHIN_MS = 15_000;
const OFF_PLAN = `SELECT task FROM planned_tasks WHERE planned_at > now()
  OR task = 'cashier_sweep' AND planned_at < now() - interval '75 s'`;
/** The times for which processes and loops wait. */
const TIMES = [
  ["leases", "expires_at"],
  ["worker_processes", "beat_at"],
  ["graphile_worker._private_jobs", "locked_at"],
  ["withdrawals", "look_at"],
  ["deposits", "look_at"],
  ["planned_tasks", "planned_at"],
] as const;

/** The server's machine clock is off, and the server tells callers the database's time. */
export async function tellsTrueTime(site: Site, number: number, offsetMs: number): Promise<void> {
  const { machineMs, toldMs } = await clocksOf(site.server(number).url);
  bit("its machine's clock is off", Math.abs(machineMs - offsetMs) < CLOCK_SLACK_MS);
  if (Math.abs(toldMs) > CLOCK_SLACK_MS)
    throw new Error(`it tells a time that is ${toldMs} ms off`);
}

/** The site's server follows the clock of the database, which is so far off. */
export async function tellsTimeOf(site: Site, offsetMs: number): Promise<void> {
  const isTold = async () => {
    const { toldMs } = await clocksOf(site.server(0).url);
    return Math.abs(toldMs - offsetMs) < SET_SLACK_MS;
  };
  await bitSoon("the database's clock is set", isTold, FOLLOWED_WITHIN_MS);
}

/** A new kite takes off, by the clock's present time. */
export async function fliesAgain(site: Site): Promise<void> {
  const flights = async (phases: string): Promise<string[]> => {
    const { rows } = await site.database.ask(
      `SELECT id FROM saranggola_rounds WHERE phase IN (${phases})`,
    );
    return rows.map(({ id }) => id);
  };
  const before = new Set(await flights("'waiting', 'flying', 'crashed', 'voided'"));
  await bitSoon(
    "another kite flies",
    async () => (await flights("'flying', 'crashed'")).some((id) => !before.has(id)),
    FLIES_WITHIN_MS,
  );
}

/** Shifts these times as a clock that was so far off would leave them. */
export async function leaveTimesOf(site: Site, hours: number): Promise<void> {
  for (const [table, column] of TIMES) {
    const { rowCount } = await site.database.ask(
      `UPDATE ${table} SET ${column} = ${column} + interval '${hours} hours'
       WHERE ${column} IS NOT NULL`,
    );
    if (table === "planned_tasks") bit("what is planned is off", rowCount !== 0);
  }
}

/** Each task of every minute is planned for the database's current minute, or the last. */
export async function plansByTrueTime(site: Site): Promise<void> {
  await bitSoon(
    "every minute is planned",
    async () => (await site.database.ask(OFF_PLAN)).rows.length === 0,
    PLANNED_WITHIN_MS,
  );
}
