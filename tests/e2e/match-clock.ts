import { createHash } from "node:crypto";
import { seedHash } from "../../packages/games/src/fairness.ts";
import { type Match, playMatch, TICK_MS, TICKS } from "../../packages/games/src/sports.ts";
import { inDatabase, jobRunsIn } from "./database.ts";

/** A football match that is listed and has not begun. */
export interface ComingMatch {
  readonly id: string;
  readonly home: string;
  readonly away: string;
}

/** The next football matches that start in a minute or later. */
export function comingMatches(count: number): Promise<ComingMatch[]> {
  return inDatabase(async (client) => {
    const { rows } = await client.query<ComingMatch>(
      `SELECT id, home, away FROM sports_fixtures
       WHERE sport = 'football' AND starts_at > now() + interval '1 minute'
       ORDER BY starts_at LIMIT $1`,
      [count],
    );
    return rows;
  });
}

/** Gives a match without bets a seed that makes it go as wanted. */
export function playsAs({ id }: ComingMatch, wanted: (match: Match) => boolean): Promise<void> {
  return inDatabase(async (client) => {
    const { rows } = await client.query<{ home: number; away: number }>(
      "SELECT home_chance AS home, away_chance AS away FROM sports_fixtures WHERE id = $1",
      [id],
    );
    const [chances] = rows;
    if (chances === undefined) throw new Error(`no match ${id}`);
    for (let i = 0; ; i++) {
      const serverSeed = createHash("sha256").update(`${i}`).digest("hex");
      if (!wanted(playMatch("football", chances, { serverSeed, fixtureId: id }))) continue;
      await client.query(
        "UPDATE sports_fixtures SET server_seed = $2, seed_hash = $3 WHERE id = $1",
        [id, serverSeed, seedHash(serverSeed)],
      );
      return;
    }
  });
}

/** Moves a match to just after one of its ticks; after the last one its job is due. */
export function moveToTick({ id }: ComingMatch, tick: number): Promise<void> {
  return inDatabase(async (client) => {
    await client.query(
      `UPDATE sports_fixtures SET starts_at = now() - $2::int * interval '1 ms',
         ends_at = now() + ($3::int - $2::int) * interval '1 ms' WHERE id = $1`,
      [id, tick * TICK_MS, TICKS * TICK_MS],
    );
    if (tick === TICKS) await jobRunsIn(client, `sports_end:${id}`, 0);
  });
}
