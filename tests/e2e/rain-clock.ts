import type pg from "pg";
import { inDatabase, jobRunsIn } from "./database.ts";

/**
 * Makes the demo's next rain fall in so many seconds, for a minute; answers its id. It ends a rain
 * of the demo that falls now, since a page would show that one.
 */
export function nextRainIn(seconds: number): Promise<string> {
  return inDatabase(async (client) => {
    const falling = await client.query<{ id: string }>(
      `SELECT id FROM red_rains
       WHERE merchant_id = 'mer_demo' AND starts_at <= now() AND ends_at > now()`,
    );
    for (const { id } of falling.rows) await end(client, id);
    const { rows } = await client.query<{ id: string }>(
      `UPDATE red_rains SET starts_at = now() + make_interval(secs => $1),
         ends_at = now() + make_interval(secs => $1 + 60) WHERE id = (
         SELECT id FROM red_rains WHERE merchant_id = 'mer_demo' AND starts_at > now()
         ORDER BY starts_at LIMIT 1) RETURNING id`,
      [seconds],
    );
    const [rain] = rows;
    if (rain === undefined) throw new Error("no rain is planned");
    await jobRunsIn(client, `red_rain_close:${rain.id}`, seconds + 60);
    return rain.id;
  });
}

/** Ends a rain that falls. */
export function endRain(id: string): Promise<void> {
  return inDatabase((client) => end(client, id));
}

async function end(client: pg.Client, id: string): Promise<void> {
  await client.query("UPDATE red_rains SET ends_at = now() WHERE id = $1", [id]);
  await jobRunsIn(client, `red_rain_close:${id}`, 0);
}
