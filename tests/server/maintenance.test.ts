import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signAsVendor } from "../../apps/server/src/modules/vendors/vendors.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { SIGNATURE_HEADER } from "../../apps/server/src/platform/http/signature.ts";
import { createDemoDatabase, freshId } from "../api/running-server.ts";
import { simulatedVendorSecret } from "../setup/simulated-vendor.ts";
import type { TestDatabase } from "../setup/test-database.ts";
import { expectSound } from "./expect-sound.ts";
import { makeBrand } from "./fixtures.ts";
import { listen, type Player, startTrial } from "./player-of-process.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

const VENDOR = "PGE";
const SECRET = "a session secret of this test alone, and long enough";
const VENDOR_SECRET = simulatedVendorSecret(SECRET, VENDOR);
const EFFECT_MS = 5_000;

/** Two processes that share only the database. */
describe("a brand that goes under maintenance", () => {
  let database: TestDatabase;
  let processes: readonly ServerProcess[] = [];
  let one: ServerProcess;
  let other: ServerProcess;

  beforeAll(async () => {
    database = await createDemoDatabase();
    await makeBrand(database.pool, systemClock, { hosts: ["localhost"] });
    const env = { DATABASE_URL: database.url, NODE_ENV: "test", SESSION_SECRET: SECRET };
    one = await startServerProcess(env);
    other = await startServerProcess(env);
    processes = [one, other];
  }, 120_000);

  afterAll(async () => {
    await Promise.all(processes.map((server) => server.stop()));
    await expectSound(database);
    await database.drop();
  }, 60_000);

  it("is closed in every process within five seconds, tells its open pages, and opens again by itself", async () => {
    const pages = await Promise.all(
      processes.map(async (server) => listen(server, "site", await startTrial(server))),
    );
    for (const page of pages) {
      expect(await page.next("snapshot")).toMatchObject({ data: { maintenance: false } });
    }
    for (const maintenance of [true, false]) {
      const setAt = performance.now();
      await setMaintenance(maintenance);
      const told = pages.map(async (page) => {
        expect(await page.next("event")).toMatchObject({ event: { state: { maintenance } } });
      });
      const closed = processes.map((server) =>
        expect
          .poll(() => statusOf(server, "/api/v1/games/hot"), { interval: 50, timeout: EFFECT_MS })
          .toBe(maintenance ? 503 : 200),
      );
      await Promise.all([...told, ...closed]);
      expect(performance.now() - setAt).toBeLessThan(EFFECT_MS);
      for (const server of processes) {
        const elsewhere = server.url.replace("127.0.0.1", "localhost");
        expect(await statusOf({ url: elsewhere }, "/api/v1/games/hot")).toBe(200);
      }
    }
    for (const page of pages) page.close();
  }, 60_000);

  it("accepts no bet, and lets all that was begun end: wins, rollbacks, flights, log-outs", async () => {
    const player = await startTrial(one);
    const play = await openPlay(one, player);
    const bet = (server: ServerProcess, nth: string) =>
      walletCall(server, "bet", { ...moveOf(play, nth), gameId: play.gameId });
    for (const nth of ["won", "void"]) expect((await bet(one, nth)).status).toBe(200);
    const flight = await betOnFlight(one, player);
    await setMaintenance(true);
    await Promise.all(
      processes.map((server) =>
        expect.poll(() => statusOf(server, "/api/v1/games/hot"), { timeout: EFFECT_MS }).toBe(503),
      ),
    );
    expect((await bet(other, "late")).json.code).toBe("maintenance");
    // A repeat of an earlier accepted bet is answered as before.
    expect((await bet(other, "won")).json.value).toMatchObject({ repeated: true });
    const win = { ...moveOf(play, "won-win"), roundId: "won", betTransactionId: "won" };
    expect((await walletCall(other, "win", win)).status).toBe(200);
    const rollback = { ...moveOf(play, "void-back"), roundId: "void", betTransactionId: "void" };
    expect((await walletCall(other, "rollback", rollback)).status).toBe(200);
    expect((await walletCall(other, "balance", { play: play.play })).status).toBe(200);

    const mine = async () => {
      const { json } = await ask(other, "GET", "/api/v1/saranggola/bets/mine", player);
      return json.value.bets.find(({ id }: { id: string }) => id === flight).state;
    };
    await expect.poll(mine, { timeout: 60_000, interval: 200 }).not.toBe("placed");
    const over = await ask(other, "POST", "/api/v1/saranggola/cash-outs", player, {
      betId: flight,
    });
    expect(["round_over", undefined]).toContain(over.json.code);
    const round = { id: freshId("round"), gameId: "color-game", choices: { bets: { red: "100" } } };
    const refused = await ask(other, "POST", "/api/v1/rounds", player, round);
    expect([refused.status, refused.json.code]).toEqual([503, "maintenance"]);
    expect((await ask(other, "DELETE", "/api/v1/auth/logout", player)).status).toBe(200);
    await setMaintenance(false);
  }, 120_000);

  function setMaintenance(maintenance: boolean): Promise<unknown> {
    return database.pool.query(
      "UPDATE merchants SET settings = settings || $1 WHERE id = 'mer_demo'",
      [JSON.stringify({ maintenance })],
    );
  }
});

interface Play {
  readonly play: string;
  readonly gameId: string;
}

/** A game of an outside vendor that can be played without real money, opened by its vendor. */
async function openPlay(server: ServerProcess, player: Player): Promise<Play> {
  const list = await ask(server, "GET", `/api/v1/games?vassalage=${VENDOR}&pageSize=50`, player);
  const free = list.json.value.games.find(
    ({ status, supportPlay, freeplay }: Record<string, unknown>) =>
      status === "up" && (supportPlay || freeplay),
  );
  const { nodeId, gameId, gameType: gameCategory } = free;
  const wanted = { vendor: VENDOR, gameCategory, gameId, nodeId, supportFreePlay: true };
  const { json } = await ask(server, "POST", "/api/v1/games/launch", player, wanted);
  const token = new URL(json.value.url, server.url).searchParams.get("token");
  return (await walletCall(server, "plays", { token })).json.value;
}

function moveOf({ play }: Play, transactionId: string) {
  const amount = { minor: "100", currency: "FUN" };
  return { play, roundId: transactionId, transactionId, amount };
}

/** Makes a wallet call like the vendor. */
async function walletCall(server: ServerProcess, name: string, body: object) {
  const path = `/api/v1/vendors/${VENDOR}/${name}`;
  const signature = signAsVendor(VENDOR_SECRET, path, JSON.stringify(body), systemClock.now());
  return ask(server, "POST", path, { [SIGNATURE_HEADER]: signature }, body);
}

/** A bet on the next flight, with the lowest automatic cash-out. */
async function betOnFlight(server: ServerProcess, player: Player): Promise<string> {
  const id = freshId("bet");
  const stake = { minor: "100", currency: "FUN" };
  const heard = await listen(server, "saranggola", player);
  const first = (await heard.next("snapshot")) as Flight;
  let roundId = first.data?.phase === "waiting" ? first.data.roundId : null;
  while (roundId === null) {
    const { event } = (await heard.next("event")) as FlightEvent;
    if (event.type === "phase" && event.state.phase === "waiting") roundId = event.state.roundId;
  }
  heard.close();
  const body = { id, roundId, stake, autoCashOut: 101 };
  const { status, json } = await ask(server, "POST", "/api/v1/saranggola/bets", player, body);
  expect(status, JSON.stringify(json)).toBe(200);
  return id;
}

interface State {
  readonly phase: string;
  readonly roundId: string;
}
interface Flight {
  readonly data: State | null;
}
interface FlightEvent {
  readonly event: { readonly type: string; readonly state: State };
}

async function ask(
  { url }: Pick<ServerProcess, "url">,
  method: string,
  path: string,
  given: Player | Readonly<Record<string, string>>,
  body?: object,
) {
  const { token: _, ...headers }: Readonly<Record<string, string>> = { ...given };
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
}

async function statusOf(server: Pick<ServerProcess, "url">, path: string): Promise<number> {
  return (await ask(server, "GET", path, {})).status;
}
