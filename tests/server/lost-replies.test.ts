import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import { type Api, type Body, type CommandKey, createApi } from "../../packages/client/src/api.ts";
import { freshId } from "../../packages/client/src/ids.ts";
import { askUntilDefinite } from "../../packages/client/src/intention.ts";
import type { ListedLottery } from "../../packages/contract/src/lottery.ts";
import type { IdKind } from "../../packages/kernel/src/ids.ts";
import { createDemoDatabase } from "../api/running-server.ts";
import { sealFor } from "../setup/seal-body.ts";
import { openTcpLine, type TcpLine } from "../setup/tcp-line.ts";
import type { TestDatabase } from "../setup/test-database.ts";
import { openCaptchaReader } from "./captcha-reader.ts";
import { expectSound } from "./expect-sound.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/**
 * The browser's own way of asking, against the product's own program on a line that loses answers
 * after the server has done its part: whatever is lost, each intention has one effect.
 */
let database: TestDatabase;
let server: ServerProcess;
let line: TcpLine;

interface Player {
  readonly id: string;
  readonly api: Api;
}
const players = new Map<string, Player>();

beforeAll(async () => {
  database = await createDemoDatabase();
  await database.pool.query(
    "UPDATE merchants SET settings = jsonb_set(settings, '{flags,COCKFIGHT}', 'true')",
  );
  server = await startServer();
  line = await openTcpLine(server.url);
  for (const name of ["maria", "linda"]) players.set(name, await logIn(name));
}, 120_000);

afterAll(async () => {
  await line?.close();
  await server?.stop();
  await database.drop();
}, 60_000);

afterEach(() => expectSound(database));

interface Family {
  readonly name: string;
  readonly key: CommandKey;
  readonly kind: IdKind;
  readonly who?: "linda";
  /** What is sent beside the id; the server checks it by the contract. */
  content(): Promise<object>;
  /** Rows of the player's that it makes; `$1` is the player, `$2` their wallet. */
  readonly effects: string;
}

const PESOS = { minor: "10000", currency: "PHP" } as const;
const STAKE = { minor: "1000", currency: "PHP" } as const;
const families: readonly Family[] = [
  {
    name: "a round",
    key: "POST /api/v1/rounds",
    kind: "round",
    content: async () => ({ gameId: "color-game", choices: { bets: { red: "1000" } } }),
    effects: "SELECT 1 FROM house_rounds WHERE account_id = $2 AND $1 <> ''",
  },
  {
    name: "a bet on the kite",
    key: "POST /api/v1/saranggola/bets",
    kind: "bet",
    content: async () => ({
      roundId: await row("SELECT id FROM saranggola_rounds WHERE phase = 'waiting'"),
      stake: STAKE,
      autoCashOut: 200,
    }),
    effects: "SELECT 1 FROM saranggola_bets WHERE account_id = $2 AND $1 <> ''",
  },
  {
    name: "a bet on a cockfight",
    key: "POST /api/v1/cockfight/bets",
    kind: "bet",
    content: async () => ({
      matchId: await row(
        `SELECT id FROM cockfight_matches
         WHERE phase = 'betting' AND closes_at > now() + interval '5 s'`,
      ),
      side: "meron",
      stake: STAKE,
    }),
    effects: "SELECT 1 FROM cockfight_bets WHERE account_id = $2 AND $1 <> ''",
  },
  {
    name: "a lottery ticket",
    key: "POST /api/v1/lottery/tickets",
    kind: "bet",
    content: async () => {
      const { list } = await playerOf("maria").api.call("GET /api/v1/lottery/list");
      return {
        drawId: farthest(list),
        lines: [{ play: "straight", numbers: [4, 5, 6] }],
        lineStake: STAKE,
      };
    },
    effects: "SELECT 1 FROM lottery_tickets WHERE account_id = $2 AND $1 <> ''",
  },
  {
    name: "a bet on a match",
    key: "POST /api/v1/sports/bets",
    kind: "bet",
    content: async () => {
      const { fixtures } = await playerOf("maria").api.call("GET /api/v1/sports/board");
      const fixture = fixtures.findLast(({ phase }) => phase === "next");
      const odds = fixture?.markets[0]?.selections[0]?.odds ?? 0;
      const leg = { fixtureId: fixture?.id ?? "", selection: "home", odds } as const;
      return { legs: [{ ...leg, market: "result" }], stake: STAKE, accept: "any" };
    },
    effects: "SELECT 1 FROM sports_bets WHERE account_id = $2 AND $1 <> ''",
  },
  {
    name: "a deposit",
    key: "POST /api/v1/cashier/deposits",
    kind: "deposit",
    content: async () => ({ method: "gwallet", amount: PESOS }),
    effects: "SELECT 1 FROM deposits WHERE account_id = $2 AND $1 <> ''",
  },
  {
    name: "a withdrawal",
    key: "POST /api/v1/cashier/withdrawals",
    kind: "withdrawal",
    content: async () => ({ method: "gwallet", destination: "09171234567", amount: PESOS }),
    effects: "SELECT 1 FROM withdrawals WHERE account_id = $2 AND $1 <> ''",
  },
  {
    name: "a catch of a red packet",
    key: "POST /api/v1/red-rain/catches",
    kind: "catch",
    content: async () => ({
      rainId: await row(
        `UPDATE red_rains SET starts_at = now(), ends_at = now() + interval '1 minute'
         WHERE id = (SELECT id FROM red_rains WHERE merchant_id = 'mer_demo'
                     AND starts_at > now() - interval '1 minute' ORDER BY starts_at LIMIT 1)
         RETURNING id`,
      ),
    }),
    effects: "SELECT 1 FROM red_packets WHERE member_id = $1 AND $2 <> ''",
  },
  {
    name: "an application for a promotion",
    key: "POST /api/v1/promotions/applications",
    kind: "application",
    who: "linda",
    content: async () => {
      const promotionId = await row(
        `SELECT id FROM announcements WHERE takes_applications
         AND id NOT IN (SELECT promotion_id FROM promotion_applications WHERE state = 'pending')`,
      );
      return { promotionId, remark: "Salamat po", images: [] };
    },
    effects: "SELECT 1 FROM promotion_applications WHERE member_id = $1 AND $2 <> ''",
  },
  {
    name: "a message to the house",
    key: "PUT /api/v1/feedback",
    kind: "feedback",
    content: async () => {
      const reader = openCaptchaReader(database.pool, systemClock, systemEntropy);
      const { captchaId, captcha } = await reader.read("mer_demo");
      return { sender: "maria", type: 0, content: "Ang saya ng perya!", captchaId, captcha };
    },
    effects: "SELECT 1 FROM feedback WHERE member_id = $1 AND $2 <> ''",
  },
  {
    name: "an agent's offer of a contract",
    key: "POST /api/v1/agent/contract-offers",
    kind: "contract",
    who: "linda",
    content: async () => {
      await database.pool.query(
        `UPDATE agent_contracts SET state = 'withdrawn', decided_at = now()
         WHERE state = 'pending'`,
      );
      const from = { minor: "500000", currency: "PHP" };
      const tiers = [{ from, activeMembers: 2, basisPoints: 30 }];
      return { username: "boyet", kind: "daily", tiers };
    },
    effects: "SELECT 1 FROM agent_contracts WHERE upline_id = $1 AND $2 <> ''",
  },
];

describe("an intention whose answer was lost", () => {
  it.each(families)(
    "has one effect: $name",
    async (one) => {
      const { before, after, tries } = await asked(one, () => line.loseNextAnswer());
      expect(tries).toBe(2);
      expect(after).toBe(before + 1);
    },
    60_000,
  );

  it.each(families.filter(({ key }) => !/saranggola|cockfight|feedback|agent/.test(key)))(
    "has one effect when the server was killed before it could answer: $name",
    async (one) => {
      const { before, after } = await asked(one, () =>
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

  // The kite and the ring have theirs with their modules; here each would wait for the next.
  it.each(families.filter(({ key }) => !/saranggola|cockfight/.test(key)))(
    "has one effect when it is asked for many times at once: $name",
    async (one) => {
      const { before, after } = await asked(one, () => undefined, 8);
      expect(after).toBe(before + 1);
    },
    60_000,
  );

  it("is told as another's where its id stands with other words, and that one is not made", async () => {
    const { api } = playerOf("maria");
    const id = freshId("withdrawal");
    const wish = { id, method: "gwallet", destination: "09171234567", amount: PESOS };
    await api.command("POST /api/v1/cashier/withdrawals", wish);
    const other = { ...wish, destination: "09170000001" };
    const refused = api.command("POST /api/v1/cashier/withdrawals", other);
    await expect(refused).rejects.toMatchObject({ problem: { code: "id_reused" } });
    const sql = "SELECT destination FROM withdrawals WHERE id = $1";
    const { rows } = await database.pool.query(sql, [id]);
    expect(rows).toEqual([{ destination: wish.destination }]);
  });
});

/** Asks until the outcome is known, and counts what was made by it. */
async function asked(one: Family, fault: () => void, atOnce = 1) {
  const player = playerOf(one.who ?? "maria");
  const content = await one.content();
  const count = async () => {
    const wallet = accountOf(player.id, "PHP").id;
    return (await database.pool.query(one.effects, [player.id, wallet])).rowCount ?? 0;
  };
  const before = await count();
  const id = freshId(one.kind);
  const body: object = { id, ...content };
  let tries = 0;
  fault();
  const asking = () =>
    askUntilDefinite(
      () => {
        tries++;
        return player.api.command(one.key, body as Body<CommandKey>); // see Family
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
  for (const reply of replies) expect(JSON.stringify(reply)).toContain(id);
  return { before, after: await count(), tries };
}

/** The first row's first field, as soon as there is one. */
async function row(sql: string): Promise<string> {
  let found = "";
  await expect
    .poll(
      async () => {
        const { rows } = await database.pool.query<{ id: string }>(sql);
        found = rows[0]?.id ?? "";
        return found;
      },
      { timeout: 50_000 },
    )
    .not.toBe("");
  return found;
}

function farthest(list: readonly ListedLottery[]): string {
  const [draw] = list
    .flatMap(({ kind, next }) => (kind === "3d" && next !== null ? [next] : []))
    .sort((a, b) => b.drawsAt - a.drawsAt);
  return draw?.id ?? "";
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
