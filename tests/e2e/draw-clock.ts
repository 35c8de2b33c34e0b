import { inDatabase, jobRunsIn } from "./database.ts";

/** Moves a lottery's next draw to so many seconds from now. */
export function nextDrawIn(gameId: string, seconds: number): Promise<void> {
  return inDatabase(async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `UPDATE lottery_draws SET draws_at = now() + make_interval(secs => $2) WHERE id = (
         SELECT id FROM lottery_draws WHERE game_id = $1 AND state = 'open' AND draws_at > now()
         ORDER BY draws_at LIMIT 1) RETURNING id`,
      [gameId, seconds],
    );
    const [draw] = rows;
    if (draw === undefined) throw new Error(`no open draw of ${gameId}`);
    await jobRunsIn(client, `lottery_draw:${draw.id}`, seconds);
  });
}
