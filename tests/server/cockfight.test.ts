import { afterAll, expect, it, vi } from "vitest";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import { present } from "../../packages/kernel/src/assert.ts";
import { mintId } from "../../packages/kernel/src/ids.ts";
import { createDemoDatabase } from "../api/running-server.ts";
import { expectSound } from "./expect-sound.ts";
import { listen } from "./player-of-process.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/**
 * A cockfight in real processes, one of which is killed in the middle of the match: the next ends
 * the match as its seed determines, and settles every bet once.
 */
const SOON = { timeout: 60_000, interval: 200 };

let server: ServerProcess;

const database = await createDemoDatabase();
const env = { DATABASE_URL: database.url, NODE_ENV: "test" };
server = await startServerProcess(env);

afterAll(async () => {
  await server?.stop();
  await database.drop();
}, 60_000);

it("[G1-04] the next process ends a match whose process was killed, and settles each bet once", async () => {
  const [ana, ben] = [await startTrial(server), await startTrial(server)];
  const refused = await bet(server, ana, { matchId: mintedMatch(), side: "meron" });
  expect([refused.status, (await refused.json()).code]).toEqual([403, "feature_off"]);

  await database.pool.query(
    "UPDATE merchants SET settings = jsonb_set(settings, '{flags,COCKFIGHT}', 'true')",
  );
  const matchId = await matchIn("betting");
  // The match must not go on before the bets of this test are placed.
  await setClose("now() + interval '1 hour'");
  // A process caches a brand's settings for a while.
  for (const [player, side] of [
    [ana, "meron"],
    [ben, "wala"],
    [ben, "draw"],
  ] as const) {
    const taken = async () => (await bet(server, player, { matchId, side })).ok;
    await expect.poll(taken, SOON).toBe(true);
  }
  await setClose("now()");
  // The process read its match's closing time before the bets; the next one reads it anew.
  await server.kill();
  server = await startServerProcess(env);
  await matchIn("fighting");
  await server.kill();
  await database.pool.query(
    "UPDATE cockfight_matches SET fights_at = fights_at - interval '12 seconds' WHERE id = $1",
    [matchId],
  );
  server = await startServerProcess(env);

  const result = await vi.waitFor(async () => {
    const { rows } = await database.pool.query<{ result: string }>(
      "SELECT result FROM cockfight_matches WHERE id = $1 AND settled_at IS NOT NULL",
      [matchId],
    );
    return present(rows[0], "the match's end").result;
  }, SOON);
  // With F100 each, a side pays F190, a draw F800 and the stakes on the sides.
  const balances = [await balanceOf(server, ana), await balanceOf(server, ben)];
  const start = 1_000_000 - 10_000;
  const expected = {
    meron: [start + 19_000, start - 10_000],
    wala: [start, start - 10_000 + 19_000],
    draw: [start + 10_000, start - 10_000 + 10_000 + 80_000],
  };
  expect(balances).toEqual(Reflect.get(expected, result));
  const { rows } = await database.pool.query(
    "SELECT state FROM cockfight_bets WHERE match_id = $1 AND state = 'placed'",
    [matchId],
  );
  expect(rows).toEqual([]);
  // Once switched off, the match is shown to nobody, although it takes no further step.
  expect(await shownTo(ana)).not.toBeNull();
  await database.pool.query(
    "UPDATE merchants SET settings = jsonb_set(settings, '{flags,COCKFIGHT}', 'false')",
  );
  await expect.poll(() => shownTo(ana), SOON).toBeNull();
  await expectSound(database);
}, 180_000);

/** The cockfight that a socket sees if it subscribes now. */
async function shownTo(player: Player): Promise<unknown> {
  const token = player.authorization.replace("Bearer ", "");
  const socket = await listen(server, "cockfight", { ...player, token });
  const { data } = (await socket.next("snapshot")) as { data: unknown };
  socket.close();
  return data;
}

/** The match's id, as soon as it is in this phase. */
function matchIn(phase: string): Promise<string> {
  return vi.waitFor(async () => {
    const { rows } = await database.pool.query<{ id: string }>(
      "SELECT id FROM cockfight_matches WHERE phase = $1",
      [phase],
    );
    return present(rows[0], `a match that is ${phase}`).id;
  }, SOON);
}

async function setClose(when: string): Promise<void> {
  await database.pool.query(
    `UPDATE cockfight_matches SET closes_at = ${when} WHERE phase = 'betting'`,
  );
}

function mintedMatch(): string {
  return mintId("match", Date.now(), systemEntropy.bytes(16));
}

interface Player {
  readonly authorization: string;
  readonly cookie: string;
}

async function startTrial({ url }: ServerProcess): Promise<Player> {
  const answer = await fetch(`${url}/api/v1/auth/test-play`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const { value } = await answer.json();
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { authorization: `Bearer ${value.token}`, cookie };
}

function bet(
  { url }: ServerProcess,
  player: Player,
  { matchId, side }: { readonly matchId: string; readonly side: string },
): Promise<Response> {
  return fetch(`${url}/api/v1/cockfight/bets`, {
    method: "POST",
    headers: { ...player, "content-type": "application/json" },
    body: JSON.stringify({
      id: mintId("bet", Date.now(), systemEntropy.bytes(16)),
      matchId,
      side,
      stake: { minor: "10000", currency: "FUN" },
    }),
  });
}

async function balanceOf({ url }: ServerProcess, player: Player): Promise<number> {
  const answer = await fetch(`${url}/api/v1/member/wallet`, { headers: { ...player } });
  return Number((await answer.json()).value.available.minor);
}
