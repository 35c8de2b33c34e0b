import { afterAll, describe, expect, it } from "vitest";
import { demoGames, demoVendors } from "../../apps/server/src/demo/demo-catalogue.ts";
import { insertGames, insertVendors } from "../../apps/server/src/modules/catalogue/catalogue.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { onServer } from "../setup/servers.ts";
import { openTcpLine } from "../setup/tcp-line.ts";
import { databaseOfFile } from "../setup/test-database.ts";
import { expectSound } from "./expect-sound.ts";
import { makeBrand } from "./fixtures.ts";
import { balanceIn, type Player, playRound, startTrial } from "./player-of-process.ts";
import { startServerProcess } from "./server-process.ts";

/**
 * A bet may meet two dead connections, the pool's and then the ledger's: twice the time-out of a
 * statement and the client's extra time. Here no keep-alive probe finds dead idle connections
 * sooner, as on a real network.
 */
const GIVEN_UP_MS = 2 * (15_000 + 2_000);
/** Time for a busy machine, and for a call that began just before. */
const SLACK_MS = 10_000;
/** The time for retries until they find a server that accepts writes. */
const FOUND_MS = 10_000;
const PLAYERS = 12;

const database = await databaseOfFile();
const { id } = await makeBrand(database.pool, systemClock, { hosts: ["127.0.0.1"] });
await insertVendors(database.pool, id, demoVendors);
await insertGames(database.pool, id, demoGames());
const url = new URL(database.url);
const line = await openTcpLine(`http://${url.host}`);
url.host = `localhost:${line.port}`;
const server = await startServerProcess({
  ...{ DATABASE_URL: url.href, NODE_ENV: "test", DEMO_DATA: "false" },
});
const players = await Promise.all(Array.from({ length: PLAYERS }, () => startTrial(server)));

afterAll(async () => {
  await server.stop();
  await line.close();
}, 60_000);

describe("a server process", () => {
  it("whose database vanished silently accepts bets and is ready once its statements have timed out", async () => {
    const rounds = players.map((player) => playRound(server, player).catch(() => null));
    // Running statements, open transactions and idle connections all go dead.
    line.forget();
    expect(await readiness()).toEqual([503, "down"]);
    await expect.poll(readiness, { timeout: FOUND_MS }).toEqual([200, "up"]);
    await Promise.all(rounds);
    const timeout = GIVEN_UP_MS + SLACK_MS;
    await Promise.all(
      players.map((player) =>
        expect.poll(() => plays(player), { timeout, interval: 500 }).toBe(true),
      ),
    );
    await expectSound(database);
  }, 90_000);

  it("that reached a former leader by a stale name says so, serves reads, and accepts bets when it finds the new one", async () => {
    const [player] = players as [Player];
    // A session keeps its setting from its start, as on a server that has become a standby.
    const set = `ALTER DATABASE ${new URL(database.url).pathname.slice(1)}`;
    await onServer(database.url, `${set} SET default_transaction_read_only = on`);
    line.cut();
    await expect.poll(readiness, { timeout: FOUND_MS }).toEqual([503, "read-only"]);
    expect(await plays(player)).toBe(false);
    expect(await balanceIn(server, player)).toEqual(expect.anything());
    await onServer(database.url, `${set} RESET default_transaction_read_only`);
    await Promise.all([
      expect.poll(readiness, { timeout: FOUND_MS }).toEqual([200, "up"]),
      expect.poll(() => plays(player), { timeout: FOUND_MS }).toBe(true),
    ]);
    for (const one of players) expect(await plays(one)).toBe(true);
    await expectSound(database);
  }, 60_000);
});

async function readiness() {
  const answer = await fetch(`${server.url}/readyz`);
  return [answer.status, (await answer.json()).database];
}

function plays(player: Player): Promise<boolean> {
  return playRound(server, player).then(
    () => true,
    () => false,
  );
}
