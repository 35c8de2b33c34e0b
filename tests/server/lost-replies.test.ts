import { moneyReplacer } from "@perya/kernel/money";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import { type Api, type CommandKey, createApi } from "../../packages/client/src/api.ts";
import { freshId } from "../../packages/client/src/ids.ts";
import { askUntilDefinite } from "../../packages/client/src/intention.ts";
import { createDemoDatabase } from "../api/running-server.ts";
import { sealFor } from "../setup/seal-body.ts";
import { openTcpLine } from "../setup/tcp-line.ts";
import { COMMANDS, type Command, type Sender } from "./commands.ts";
import { expectSound } from "./expect-sound.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/**
 * The browser's own client against the built server, on a line that loses answers after the server
 * has done its part: each intention has one effect, for every lost answer.
 */
let server: ServerProcess;

interface Player {
  readonly id: string;
  readonly api: Api;
}
const players = new Map<string, Player>();

const database = await createDemoDatabase();
await database.pool.query(
  "UPDATE merchants SET settings = jsonb_set(settings, '{flags,COCKFIGHT}', 'true')",
);
server = await startServer();
const line = await openTcpLine(server.url);
for (const name of ["maria", "linda"]) players.set(name, await logIn(name));

afterAll(async () => {
  await line.close();
  await server?.stop();
  await database.drop();
}, 60_000);

afterEach(() => expectSound(database));

type AnyCommand = Command<CommandKey>;
const commands = Object.entries(COMMANDS) as [CommandKey, AnyCommand][]; // this table
/** The kite's and the ring's modules test the rest; here each would wait for the next round. */
const alone = commands.filter(([key]) => !/saranggola|cockfight/.test(key));

describe("an intention whose answer was lost", () => {
  it.each(commands)(
    "has one effect: %s",
    async (key, one) => {
      const { before, after, tries } = await asked(key, one, () => line.loseNextAnswer());
      expect(tries).toBe(2);
      expect(after).toBe(before + 1);
    },
    // The next flight that goes far enough may be some flights away.
    240_000,
  );

  it.each(alone)(
    "has one effect when the server was killed before it could answer: %s",
    async (key, one) => {
      const { before, after } = await asked(key, one, () =>
        line.loseNextAnswer(async () => {
          await server.kill();
          server = await startServer();
          line.leadTo(server.url);
        }),
      );
      expect(after).toBe(before + 1);
    },
    60_000,
  );

  it.each(alone)(
    "has one effect when it is sent many times at once: %s",
    async (key, one) => {
      const { before, after } = await asked(key, one, () => undefined, 8);
      expect(after).toBe(before + 1);
    },
    60_000,
  );

  it("is refused as reused when its id belongs to a command with other content, and has no effect", async () => {
    const { api } = playerOf("maria");
    const id = freshId("withdrawal");
    const amount = { minor: "10000", currency: "PHP" } as const;
    const wish = { id, method: "gwallet", destination: "09171234567", amount };
    await api.command("POST /api/v1/cashier/withdrawals", wish);
    const other = { ...wish, destination: "09170000001" };
    const refused = api.command("POST /api/v1/cashier/withdrawals", other);
    await expect(refused).rejects.toMatchObject({ problem: { code: "id_reused" } });
    const sql = "SELECT destination FROM withdrawals WHERE id = $1";
    const { rows } = await database.pool.query(sql, [id]);
    expect(rows).toEqual([{ destination: wish.destination }]);
  });
});

/** Asks until the outcome is known, and counts the effects before and after. */
async function asked(key: CommandKey, one: AnyCommand, fault: () => void, atOnce = 1) {
  const username = one.who ?? "maria";
  const { id: playerId, api } = playerOf(username);
  const send: Sender["send"] = (before, body) => api.command(before, body);
  const body = await one.body({ id: playerId, username, pool: database.pool, send });
  const count = async () => {
    const wallet = accountOf(playerId, "PHP").id;
    return (await database.pool.query(one.effects, [playerId, wallet])).rowCount ?? 0;
  };
  const before = await count();
  let tries = 0;
  fault();
  const asking = () =>
    askUntilDefinite(
      () => {
        tries++;
        return api.command(key, body);
      },
      {
        now: Date.now,
        pause: (ms) => new Promise((done) => setTimeout(done, ms / 10)),
        onDoubt: () => undefined,
        signal: new AbortController().signal,
        lostAt: null,
      },
    );
  const replies = await Promise.all(Array.from({ length: atOnce }, asking));
  const id = "betId" in body ? body.betId : body.id;
  for (const reply of replies) expect(JSON.stringify(reply, moneyReplacer)).toContain(id);
  return { before, after: await count(), tries };
}

function startServer(): Promise<ServerProcess> {
  return startServerProcess({ DATABASE_URL: database.url, NODE_ENV: "test" });
}

function playerOf(name: string): Player {
  const player = players.get(name);
  if (player === undefined) throw new Error(`${name} is not logged in`);
  return player;
}

async function logIn(username: string): Promise<Player> {
  let [token, cookie] = ["", ""];
  const api = createApi({
    baseUrl: line.url,
    getSessionToken: () => (token === "" ? null : token),
    getLanguage: () => "EN",
    isStandalone: () => false,
    onSessionEnded: () => {
      throw new Error("the session ended");
    },
    seal: async (plaintext, key) => {
      const { call, body } = JSON.parse(plaintext);
      return (await sealFor(key, call, body)).data;
    },
    fetch: async (url, init) => {
      const headers = { ...Object.fromEntries(new Headers(init?.headers)), cookie };
      const response = await fetch(url, { ...init, headers });
      cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
      return response;
    },
  });
  const body = { type: "username", username, password: "Fiesta2026" } as const;
  const reply = await api.call("POST /api/v1/auth/login", { body });
  if (!("token" in reply)) throw new Error("a second factor was asked for");
  token = reply.token;
  const sql = "SELECT id FROM members WHERE username = $1";
  const { rows } = await database.pool.query<{ id: string }>(sql, [username]);
  return { id: rows[0]?.id ?? "", api };
}
