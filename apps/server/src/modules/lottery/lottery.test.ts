import type { Refusal } from "@perya/contract/refusal";
import { refusal } from "@perya/contract/refusal";
import { seedHash } from "@perya/games/fairness";
import { drawLottery, type LotteryLine } from "@perya/games/lottery";
import { LOTTERIES, type Lottery, lotteryOf } from "@perya/games/lottery-games";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { makeBrand, makeMember } from "../../../../../tests/server/fixtures.ts";
import { openGameWorld } from "../../../../../tests/server/game-world.ts";
import { countRows } from "../../../../../tests/server/rows-visited.ts";
import { runDueJobs } from "../../../../../tests/setup/run-due-jobs.ts";
import { createLogger } from "../../platform/log.ts";
import type { Session } from "../identity/identity.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { LATEST_MS } from "../rounds/rounds.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { lotteryRoutes } from "./lottery.routes.ts";
import {
  type DrawRow,
  findDraw,
  largestPrizes,
  nextDraw,
  pickedGames,
  pickedNumbers,
} from "./lottery.store.ts";
import { type GivenTicket, HOLD_DRAW, Lotteries } from "./lottery.ts";

const world = await openGameWorld("lottery");
const { clock, entropy, db, ledger, otherLedger, merchant, betId, player, available } = world;
const { entriesOf, holdWallet, lockAwaited } = world;
const log = createLogger({ level: "silent" });
const QUICK = lottery("MABILIS_3D");
const QUICK_SIX = lottery("MABILIS_6_49");
const DAILY = lottery("SUWERTE_3D");
let closed: Refusal | null = null;
let here: Lotteries;
/** The same lotteries in another process. */
let other: Lotteries;

beforeEach(async () => {
  closed = null;
  here = process(ledger);
  other = process(otherLedger);
  await here.plan();
});

/** Nothing of a draw that is over is left open, in the books or the record. */
afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
  const { rows } = await db.pool.query(
    `SELECT t.id FROM lottery_tickets t JOIN lottery_draws d ON d.id = t.draw_id
     LEFT JOIN vendor_rounds r ON r.lane = t.lane AND r.account_id = t.account_id
       AND r.round_id = t.id
     WHERE d.settled_at IS NOT NULL AND (t.state = 'placed' OR r.state IS NULL
       OR r.payout_minor <> t.payout_minor
       OR r.state <> CASE WHEN t.state = 'voided' THEN 'voided' ELSE 'settled' END)`,
  );
  expect(rows).toEqual([]);
});

describe("a lottery's draws", () => {
  it("are planned ahead once with their hash, however many processes plan, each with its job", async () => {
    await Promise.all([here.plan(), other.plan(), here.plan()]);
    for (const { gameId } of LOTTERIES) {
      const { rows } = await db.pool.query(
        `SELECT count(*)::int AS draws, count(DISTINCT draws_at)::int AS times,
           count(DISTINCT server_seed)::int AS seeds FROM lottery_draws
         WHERE game_id = $1 AND draws_at > to_timestamp($2 / 1000.0)`,
        [gameId, clock.now()],
      );
      const { draws, times, seeds } = rows[0];
      expect(draws).toBeGreaterThan(4);
      expect([times, seeds]).toEqual([draws, draws]);
    }
    const { rows } = await db.pool.query(
      `SELECT d.id FROM lottery_draws d LEFT JOIN graphile_worker.jobs j
         ON j.key = $1 || ':' || d.id AND j.run_at = d.draws_at
       WHERE d.state = 'open' AND j.id IS NULL`,
      [HOLD_DRAW],
    );
    expect(rows).toEqual([]);
  });

  it("show what their seed, whose hash was published before, gives for their id", async () => {
    for (const game of [QUICK, QUICK_SIX, DAILY]) {
      const before = await next(game);
      expect(before.numbers).toBeNull();
      const held = await hold(before);
      expect(seedHash(held.server_seed)).toBe(before.seed_hash);
      const seeds = { serverSeed: held.server_seed, drawId: held.id };
      expect(held.numbers).toEqual(drawLottery(game.kind, seeds));
      expect(held.settled_at).not.toBeNull();
    }
  });

  it("are held once and pay once, by as many processes as try", async () => {
    const draw = await next(QUICK);
    const [session, ticket] = await placed(draw, [winningLine(draw)], 500n);
    await Promise.all([hold(draw), hold(draw, other), hold(draw), hold(draw, other)]);
    expect(await available(session)).toBe(10_000n - 500n + 500n * 920n);
    expect(await stateOf(session, ticket.id)).toBe("won");
    expect(await entriesOf(session, "win")).toBe(1);
  });

  it("are held by their jobs when their time comes, not before", async () => {
    const draw = await next(QUICK);
    await expect(here.hold(draw.id)).rejects.toThrow("not due");
    expect((await found(draw)).state).toBe("open");
    clock.set(draw.draws_at.getTime());
    // The worker reads the database's clock, by which all that is planned here is long due.
    await db.pool.query("DELETE FROM graphile_worker._private_jobs");
    await db.pool.query(
      `SELECT graphile_worker.add_job($1, json_build_object('id', $2::text),
         job_key := $1 || ':' || $2, run_at := now())`,
      [HOLD_DRAW, draw.id],
    );
    const holdIt = (payload: unknown) => here.hold(Reflect.get(Object(payload), "id"));
    const tasks = { [HOLD_DRAW]: holdIt };
    await runDueJobs({ pool: db.pool, log, tasks });
    expect((await found(draw)).state).toBe("drawn");
  });

  it("that were left are resumed by the plan", async () => {
    const draw = await next(QUICK);
    await db.pool.query("DELETE FROM graphile_worker._private_jobs WHERE key = $1", [
      `${HOLD_DRAW}:${draw.id}`,
    ]);
    clock.set(draw.draws_at.getTime() + 2 * MINUTE_MS);
    await here.plan();
    const { rows } = await db.pool.query("SELECT key FROM graphile_worker.jobs WHERE key = $1", [
      `${HOLD_DRAW}:${draw.id}`,
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe("a ticket", () => {
  it("moves the stake of its lines once and answers the same if it is sent again", async () => {
    const draw = await next(DAILY);
    const session = await player(10_000n);
    const given = ticket(draw, [straight(1, 2, 3), line("rambol", 4, 5, 6)], 500n);
    const first = taken(await here.bet(merchant, session, given));
    expect(first).toMatchObject({ id: given.id, state: "placed", stake_minor: 1_000n });
    const sent = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? here : other).bet(merchant, session, given),
    );
    for (const answer of await Promise.all(sent)) expect(taken(answer)).toEqual(first);
    expect(await available(session)).toBe(9_000n);
  });

  it("sent many times at once to two processes is one ticket", async () => {
    const draw = await next(QUICK);
    const session = await player(10_000n);
    const given = ticket(draw, [straight(1, 2, 3)], 500n);
    const sent = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? here : other).bet(merchant, session, given),
    );
    for (const answer of await Promise.all(sent)) expect(taken(answer).id).toBe(given.id);
    expect(await available(session)).toBe(9_500n);
  });

  it("with an id that another player's browser minted too is one of its own", async () => {
    const draw = await next(QUICK);
    const [session, given] = await placed(draw, [winningLine(draw)], 500n);
    const neighbour = await player(10_000n);
    taken(await other.bet(merchant, neighbour, given));
    await hold(draw);
    for (const one of [session, neighbour]) {
      expect(await stateOf(one, given.id)).toBe("won");
      expect(await available(one)).toBe(10_000n - 500n + 500n * 920n);
    }
    expect(await ledger.verify()).toEqual([]);
  });

  it("with the id of another ticket is refused, of this lottery or the next", async () => {
    const [draw, six] = [await next(QUICK), await next(QUICK_SIX)];
    const session = await player(10_000n);
    const given = ticket(draw, [straight(1, 2, 3)], 500n);
    const others = [
      { ...given, lines: [straight(1, 2, 4)] },
      { ...given, lineStake: { minor: 600n, currency: "PHP" as const } },
      { ...ticket(six, [line("six", 1, 2, 3, 4, 5, 6)], 500n), id: given.id },
    ];
    const answers = await Promise.all(
      [given, ...others].map((one) => here.bet(merchant, session, one)),
    );
    expect(answers.map(codeOf).filter((code) => code === "ok")).toHaveLength(1);
    expect(answers.map(codeOf).filter((code) => code === "id_reused")).toHaveLength(3);
    const stakes = [9_500n, 9_400n];
    expect(stakes).toContain(await available(session));
  });

  it.each([
    ["lines.0.play", "not_allowed", [line("six", 1, 2, 3, 4, 5, 6)], 100n],
    ["lines.1.numbers", "not_allowed", [straight(1, 2, 3), straight(1, 2, 10)], 100n],
    ["lines.0.numbers", "not_allowed", [line("rambol", 7, 7, 7)], 100n],
    ["lines.1", "taken", [line("rambol", 1, 2, 3), line("rambol", 3, 2, 1)], 100n],
    ["lineStake.minor", "not_multiple", [straight(1, 2, 3)], 150n],
    ["lineStake.minor", "too_big", [straight(1, 2, 3)], 500_100n],
    // Half the brand's limit per line, and three lines.
    [
      "lineStake.minor",
      "too_big",
      [straight(1, 2, 3), straight(1, 2, 4), straight(1, 2, 5)],
      250_000n,
    ],
  ])("against the rules names %s %s", async (field, code, lines, stake) => {
    const draw = await next(DAILY);
    const session = await player(10_000_000n);
    const answer = await here.bet(merchant, session, ticket(draw, lines, stake));
    expect(answer).toMatchObject({ ok: false, error: { fields: [{ field, code }] } });
    expect(await available(session)).toBe(10_000_000n);
  });

  it("may not win more than the brand pays", async () => {
    const small = await makeBrand(db.pool, clock, {
      settings: { stakes: { maxMinor: "500000", maxPayoutMinor: "920000" } },
    });
    const draw = await next(QUICK);
    const session = await makeMember({ pool: db.pool, ledger, clock }, small, { balance: 9_000n });
    const of = (stake: bigint) =>
      here.bet(small, session, ticket(draw, [straight(1, 2, 3)], stake));
    const tooBig = { field: "lineStake.minor", code: "too_big", unit: "PHP" };
    expect(await of(1_100n)).toMatchObject({ error: { fields: [{ ...tooBig, limit: "1000" }] } });
    expect(codeOf(await of(1_000n))).toBe("ok");
    const lines = Array.from({ length: 8 }, (_, n) => straight(1, 2, n));
    const costly = { ...small.settings, stakes: { maxMinor: 5_000n, maxPayoutMinor: 920_000n } };
    const many = ticket(draw, lines, 1_000n);
    expect(await here.bet({ ...small, settings: costly }, session, many)).toMatchObject({
      error: { fields: [{ ...tooBig, limit: "600" }] },
    });
  });

  it("comes too late at the draw's second, and by any clock for a draw that was held early", async () => {
    const draw = await next(QUICK);
    const session = await player(10_000n);
    clock.set(draw.draws_at.getTime() - 1);
    expect(codeOf(await here.bet(merchant, session, ticket(draw, [straight(1, 2, 3)], 500n)))).toBe(
      "ok",
    );
    clock.set(draw.draws_at.getTime());
    expect(codeOf(await here.bet(merchant, session, ticket(draw, [straight(1, 2, 3)], 500n)))).toBe(
      "bets_closed",
    );
    await hold(draw);
    expect(await available(session)).toBeGreaterThanOrEqual(9_500n);
  });

  it("that was received in time and reaches the ledger after the draw is not taken", async () => {
    const draw = await next(QUICK);
    const session = await player(10_000n);
    clock.set(draw.draws_at.getTime() - 1);
    // The draw's end is decided and not yet committed while the ticket is on its way.
    const client = await db.pool.connect();
    try {
      await client.query("BEGIN");
      await client.query(
        "UPDATE lottery_draws SET state = 'drawn', numbers = '{9,9,9}' WHERE id = $1",
        [draw.id],
      );
      const late = here.bet(merchant, session, ticket(draw, [straight(9, 9, 9)], 500n));
      await lockAwaited();
      await client.query("COMMIT");
      expect(codeOf(await late)).toBe("bets_closed");
    } finally {
      client.release();
    }
    expect(await available(session)).toBe(10_000n);
    await db.pool.query("UPDATE lottery_draws SET settled_at = now() WHERE id = $1", [draw.id]);
  });

  it("needs money, an open game and a player who may bet", async () => {
    const draw = await next(QUICK);
    const given = () => ticket(draw, [straight(1, 2, 3)], 500n);
    const poor = await player(400n);
    expect(codeOf(await here.bet(merchant, poor, given()))).toBe("insufficient_funds");
    const session = await player(10_000n);
    expect(codeOf(await here.bet(merchant, { ...session, blocked: true }, given()))).toBe(
      "member_blocked",
    );
    const foreign = { ...given(), lineStake: { minor: 500n, currency: "FUN" as const } };
    expect(codeOf(await here.bet(merchant, session, foreign))).toBe(
      "lineStake.currency foreign_currency",
    );
    const nowhere = { ...given(), drawId: mintId("draw", clock.now(), entropy.bytes(16)) };
    expect(codeOf(await here.bet(merchant, session, nowhere))).toBe("drawId not_allowed");
    closed = refusal("maintenance");
    expect(codeOf(await here.bet(merchant, session, given()))).toBe("maintenance");
    expect(await available(session)).toBe(10_000n);
  });
});

describe("the settlement of a draw", () => {
  it("pays every line by its table and loses the rest, each ticket once", async () => {
    const draw = await next(QUICK_SIX);
    const drawn = drawLottery("6-49", { serverSeed: draw.server_seed, drawId: draw.id });
    const missing = Array.from({ length: 49 }, (_, i) => i + 1).filter((n) => !drawn.includes(n));
    const hitting = (hits: number) =>
      line("six", ...drawn.slice(0, hits), ...missing.slice(0, 6 - hits));
    const [lucky, won] = await placed(draw, [6, 5, 4, 3, 2].map(hitting), 200n);
    const [unlucky, lost] = await placed(draw, [2, 1].map(hitting), 200n);
    await hold(draw);
    const factors = 2_500_000n + 12_000n + 260n + 15n;
    expect(await available(lucky)).toBe(10_000n - 1_000n + 200n * factors);
    expect(await available(unlucky)).toBe(10_000n - 400n);
    expect([await stateOf(lucky, won.id), await stateOf(unlucky, lost.id)]).toEqual([
      "won",
      "lost",
    ]);
  });

  it("that dies in the middle is completed by another process, nothing twice", async () => {
    const draw = await next(QUICK);
    const win = winningLine(draw);
    const winners = await Promise.all(Array.from({ length: 12 }, () => placed(draw, [win], 100n)));
    const losers = await Promise.all(
      Array.from({ length: 5 }, () => placed(draw, [losingLine(draw)], 100n)),
    );
    const dying = new VendorWallet(db.pool, ledger, clock);
    const pay = dying.win.bind(dying);
    let paid = 0;
    dying.win = async (win_) => {
      paid += 1;
      // What was sent is paid; the answer of the last one never arrives.
      const answer =
        paid > 7 ? new Promise<never>((_, fail) => fail(new Error("died"))) : pay(win_);
      return answer;
    };
    clock.set(draw.draws_at.getTime());
    const dead = process(ledger, dying);
    await expect(dead.hold(draw.id)).rejects.toThrow("died");
    expect((await found(draw)).settled_at).toBeNull();
    await Promise.all([other.hold(draw.id), here.hold(draw.id)]);
    expect((await found(draw)).settled_at).not.toBeNull();
    for (const [session] of winners) {
      expect(await available(session)).toBe(10_000n - 100n + 100n * 920n);
    }
    for (const [session] of losers) expect(await available(session)).toBe(9_900n);
  });

  it.each([
    [
      "is more than an hour late",
      (draw: DrawRow) => clock.set(draw.draws_at.getTime() + LATEST_MS + 1),
    ],
    [
      "has a seed of another hash",
      async (draw: DrawRow) => {
        clock.set(draw.draws_at.getTime());
        await db.pool.query("UPDATE lottery_draws SET server_seed = $2 WHERE id = $1", [
          draw.id,
          "ab".repeat(32),
        ]);
      },
    ],
  ])("refunds every stake of a draw that %s, once", async (_why, fail) => {
    const draw = await next(QUICK);
    const [session, one] = await placed(draw, [winningLine(draw)], 500n);
    await fail(draw);
    await Promise.all([here.hold(draw.id), other.hold(draw.id)]);
    await here.hold(draw.id);
    expect(await found(draw)).toMatchObject({ state: "voided", numbers: null });
    expect(await available(session)).toBe(10_000n);
    expect(await stateOf(session, one.id)).toBe("voided");
  });
});

describe("while a winner's wallet is held", () => {
  it("all others of a draw are settled, also behind it, and a later try pays the winner once", async () => {
    const draw = await next(QUICK);
    // In the order in which tickets are settled: the held one's fill the first page.
    const [held, free] = await world.twoInOrder();
    const losing = Array.from({ length: 600 }, () => ticket(draw, [losingLine(draw)], 100n));
    await Promise.all(losing.map(async (one) => taken(await here.bet(merchant, held, one))));
    const won = ticket(draw, [winningLine(draw)], 100n);
    taken(await here.bet(merchant, held, won));
    taken(await here.bet(merchant, free, ticket(draw, [winningLine(draw)], 100n)));
    const release = await holdWallet(held);
    await expect(hold(draw)).rejects.toThrow(/owes 1 bets/);
    expect(await available(free)).toBe(100_000n - 100n + 92_000n);
    const open = "SELECT 1 FROM lottery_tickets WHERE draw_id = $1 AND state = 'placed'";
    expect((await db.pool.query(open, [draw.id])).rowCount).toBe(1);
    await release();
    await Promise.all([other.hold(draw.id), here.hold(draw.id)]);
    expect(await available(held)).toBe(100_000n - 601n * 100n + 92_000n);
    expect((await found(draw)).settled_at).not.toBeNull();
  });
});

describe("a lottery's lists for players", () => {
  it("[G3-08] the winner board has the largest prizes of real money first", async () => {
    const brand = await makeBrand(db.pool, clock);
    const draw = await next(QUICK);
    for (const stake of [100n, 300n, 200n]) await placed(draw, [winningLine(draw)], stake, brand);
    const trial = await player(900n, brand, 4);
    const fun = {
      ...ticket(draw, [winningLine(draw)], 900n),
      lineStake: { minor: 900n, currency: "FUN" as const },
    };
    taken(await here.bet(brand, trial, fun));
    await hold(draw);
    const board = await here.largestPrizes(brand);
    expect(board.map(({ payout_minor }) => payout_minor)).toEqual(
      [300n, 200n, 100n].map((n) => n * 920n),
    );
    expect(board[0]?.masked_account).toMatch(/\*/);
  });

  it("the largest prizes are found without a look at what free play has won", async () => {
    const brand = await makeBrand(db.pool, clock);
    try {
      await db.pool.query(
        `INSERT INTO lottery_tickets (lane, account_id, id, draw_id, game_id, merchant_id,
           masked_account, currency, lines, line_stake_minor, stake_minor, payout_minor, state,
           placed_at)
         SELECT 0, 'free', n::text, 'd', 'g', $1, 'm***a', 'FUN', '[]', 1, 1, 1000000 + n, 'won',
           to_timestamp($2 / 1000.0)
         FROM generate_series(1, 20000) n`,
        [brand.id, clock.now()],
      );
      await db.pool.query("VACUUM ANALYZE lottery_tickets");
      const { counting, visited } = countRows(db.pool, "lottery_tickets");
      expect(await largestPrizes(counting, brand.id, clock.now() - DAY_MS, 10)).toEqual([]);
      expect(visited()).toBeLessThan(100);
    } finally {
      await db.pool.query("DELETE FROM lottery_tickets WHERE account_id = 'free'");
    }
  });

  it("popular numbers are those picked most for money, by the brand's own players", async () => {
    const brand = await makeBrand(db.pool, clock);
    const draw = await next(QUICK_SIX);
    await placed(
      draw,
      [line("six", 7, 8, 9, 10, 11, 12), line("six", 7, 20, 21, 22, 23, 24)],
      100n,
      brand,
    );
    await placed(draw, [line("six", 7, 8, 30, 31, 32, 33)], 100n, brand);
    // In free play anybody may pick as often as they like.
    const trial = await player(900n, brand, 4);
    const free = ticket(
      draw,
      [20, 21, 22, 23].map((n) => line("six", 9, 10, 11, 12, 13, n)),
      100n,
    );
    const lineStake = { minor: 100n, currency: "FUN" as const };
    taken(await here.bet(brand, trial, { ...free, lineStake }));
    const popular = await here.popularNumbers(brand, QUICK_SIX, 2);
    expect(popular).toEqual([
      { number: 7, picked: 3 },
      { number: 8, picked: 2 },
    ]);
    expect(await here.popularGames(brand)).toEqual(new Map([[QUICK_SIX.gameId, 2]]));
    await hold(draw);
  });

  it("what is popular is counted once in five minutes, however many ask", async () => {
    const [counts, picks] = [vi.spyOn(here, "popularGames"), vi.spyOn(here, "popularNumbers")];
    const routes = lotteryRoutes({
      ...{ lotteries: here, clock },
      offered: async () => ({ nodeId: 1, name: "one", open: true }),
    });
    const { gameCode } = QUICK_SIX;
    const ask = async () => {
      // The parts of a request that the two calls read.
      const call = { merchant, query: { gameCode } } as never;
      await routes["GET /api/v1/lottery/popular-games"](call);
      await routes["GET /api/v1/lottery/popular-numbers"](call);
    };
    await Promise.all(Array.from({ length: 20 }, ask));
    clock.advance(5 * MINUTE_MS - 1);
    await ask();
    expect([counts.mock.calls.length, picks.mock.calls.length]).toEqual([1, 1]);
    clock.advance(1);
    await ask();
    expect([counts.mock.calls.length, picks.mock.calls.length]).toEqual([2, 2]);
  });

  it("what is popular is found by an index of the brand's game, without a look at other tickets", async () => {
    const games = LOTTERIES.map(({ gameId }) => gameId);
    try {
      await db.pool.query(
        `INSERT INTO lottery_tickets (lane, account_id, id, draw_id, game_id, merchant_id,
           masked_account, currency, lines, line_stake_minor, stake_minor, state, placed_at)
         SELECT 0, 'many', n::text, 'd', ($1::text[])[1 + n % cardinality($1::text[])], $2,
           'm***a', 'PHP', '[]', 1, 1, 'lost', to_timestamp($3 / 1000.0) - n * interval '1 minute'
         FROM generate_series(1, 40000) n`,
        [games, merchant.id, clock.now()],
      );
      await db.pool.query("VACUUM ANALYZE lottery_tickets");
      const plans: string[] = [];
      /** Answers how a query would be done instead of doing it. */
      const planner = {
        query: async (text: string, values: unknown[]) => {
          const { rows } = await db.pool.query(`EXPLAIN ${text}`, values);
          plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
          return { rows: [] };
        },
      } as unknown as pg.ClientBase;
      const since = clock.now() - 7 * DAY_MS;
      await pickedGames(planner, merchant.id, games, since);
      await pickedNumbers(planner, merchant.id, QUICK_SIX.gameId, since, 10);
      expect(plans[0]).toMatch(/Index Only Scan using lottery_tickets_picked_for_money\b/);
      expect(plans[1]).toMatch(/Index Scan using lottery_tickets_picked_for_money\b/);
      expect(plans.join("\n")).not.toMatch(/Seq Scan|Sort Key: lottery_tickets.placed_at/);
    } finally {
      await db.pool.query("DELETE FROM lottery_tickets WHERE account_id = 'many'");
    }
  });

  it("a player's tickets are their own, newest first", async () => {
    const draw = await next(QUICK);
    const session = await player(10_000n);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      clock.advance(SECOND_MS / 100);
      const given = ticket(draw, [straight(i, i, 1)], 100n);
      taken(await here.bet(merchant, session, given));
      ids.unshift(given.id);
    }
    const first = await here.ticketsOf(session, { before: null, limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const rest = await here.ticketsOf(session, { before: ids[1] ?? null, limit: 2 });
    expect(rest.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(await here.ticketsOf(await player(0n), { before: null, limit: 2 })).toEqual([]);
  });
});

function process(books: Ledger, wallet = new VendorWallet(db.pool, books, clock)): Lotteries {
  return new Lotteries({ pool: db.pool, wallet, clock, entropy, playRefusal: async () => closed });
}

function lottery(gameCode: string): Lottery {
  const game = LOTTERIES.find((one) => one.gameCode === gameCode);
  return present(game, gameCode);
}

async function next(game: Lottery): Promise<DrawRow> {
  await here.plan();
  return present(await nextDraw(db.pool, game.gameId, clock.now()), "the next draw");
}

async function found(draw: DrawRow): Promise<DrawRow> {
  return present(await findDraw(db.pool, draw.id), "the draw");
}

async function hold(draw: DrawRow, by = here): Promise<DrawRow> {
  clock.set(Math.max(clock.now(), draw.draws_at.getTime()));
  await by.hold(draw.id);
  return found(draw);
}

function line(play: LotteryLine["play"], ...numbers: number[]): LotteryLine {
  return { play, numbers };
}
function straight(...numbers: number[]): LotteryLine {
  return line("straight", ...numbers);
}

/** The tests may look at the seed; players see its hash. */
function winningLine(draw: DrawRow): LotteryLine {
  const { kind } = lotteryOf(draw.game_id);
  return straight(...drawLottery(kind, { serverSeed: draw.server_seed, drawId: draw.id }));
}

function losingLine(draw: DrawRow): LotteryLine {
  return straight(...winningLine(draw).numbers.map((n) => (n + 1) % 10));
}

function ticket(draw: DrawRow, lines: readonly LotteryLine[], stake: bigint): GivenTicket {
  return {
    id: betId(),
    drawId: draw.id,
    lines,
    lineStake: { minor: stake, currency: "PHP" as const },
  };
}

async function placed(
  draw: DrawRow,
  lines: readonly LotteryLine[],
  stake: bigint,
  brand = merchant,
) {
  const session = await player(10_000n, brand);
  const given = ticket(draw, lines, stake);
  taken(await here.bet(brand, session, given));
  return [session, given] as const;
}

async function stateOf(session: Session, id: string): Promise<string | undefined> {
  const tickets = await here.ticketsOf(session, { before: null, limit: 50 });
  return tickets.find((one) => one.id === id)?.state;
}
