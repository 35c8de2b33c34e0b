import { setTimeout as realSleep } from "node:timers/promises";
import type { CockfightPools } from "@perya/contract/cockfight";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { cockfightState } from "@perya/contract/socket";
import { type CockfightSide, fightOf } from "@perya/games/cockfight";
import { seedHash } from "@perya/games/fairness";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { HOUR_MS } from "@perya/kernel/instant";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import {
  availableOf,
  freshSeed,
  isQuiet,
  makeBrand,
  makeLedger,
  makeMember,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { linkedBuses } from "../../../../../tests/server/linked-buses.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import { localBus } from "../../platform/bus.ts";
import { KEEPER_LEASE_MS, Keeper } from "../../platform/keeper.ts";
import { createLease } from "../../platform/lease.ts";
import { createLogger } from "../../platform/log.ts";
import type { Versioned } from "../../platform/sockets/live.ts";
import { createBrands, type Merchant } from "../brand/brand.ts";
import { type Session, TRIAL_TYPE } from "../identity/identity.ts";
import { accountOf, type Ledger } from "../ledger/ledger.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { cancelOpenMatch, currentMatch, findMatch, type MatchRow } from "./cockfight.store.ts";
import { BETTING_MS, Cockfight, LATEST_MS } from "./cockfight.ts";
import { CockfightView } from "./cockfight-view.ts";

const clock = manualClock();
const entropy = seededEntropy(freshSeed("cockfight"));
const log = createLogger({ level: "silent" });
let db: TestDatabase;
let ledger: Ledger;
let otherLedger: Ledger;
let merchant: Merchant;
/** Another brand with the key, and one without. */
let second: Merchant;
let without: Merchant;
let view: CockfightView;
/** What the sockets of each brand were sent by the first process, oldest first. */
const told: { brand: string; event: Versioned }[] = [];
let closed: Refusal | null = null;
/** What happens until it is certain that the database's history is the known one. */
let whileUnsure: () => Promise<void> = async () => undefined;
let ring: Cockfight;
/** The same ring in another process. */
let other: Cockfight;

beforeAll(async () => {
  db = await createTestDatabase();
  ledger = makeLedger(db);
  otherLedger = makeLedger(db);
  merchant = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: true } } });
  second = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: true } } });
  without = await makeBrand(db.pool, clock, { settings: { flags: { COCKFIGHT: false } } });
});

afterAll(async () => {
  await ledger.close();
  await otherLedger.close();
  await db.drop();
});

beforeEach(() => {
  closed = null;
  whileUnsure = async () => undefined;
  told.length = 0;
  view = new CockfightView(localBus(), (brand, event) => told.push({ brand, event }));
  ring = process(ledger, view);
  other = process(otherLedger, new CockfightView(localBus(), () => undefined));
});

/** Every match ends, and leaves no bet and no round of it open. */
afterEach(async () => {
  vi.useRealTimers();
  const left = await currentMatch(db.pool);
  if (left !== null) await fought(left);
  expect(await ledger.verify()).toEqual([]);
  const { rows } = await db.pool.query(
    `SELECT id FROM cockfight_bets WHERE state = 'placed'
     UNION ALL SELECT round_id FROM vendor_rounds WHERE state = 'open'`,
  );
  expect(rows).toEqual([]);
});

describe("a bet on a match", () => {
  it("is taken while bets are open, moves the stake once and shows in the brand's pool", async () => {
    const match = await open();
    const session = await player(10_000n);
    const given = bet(match, "meron", 500n);
    const placed = taken(await ring.bet(merchant, session, given));
    expect(placed).toMatchObject({ id: given.id, side: "meron", state: "placed" });
    for (const process of [ring, other]) {
      expect(taken(await process.bet(merchant, session, given))).toEqual(placed);
    }
    expect(await available(session)).toBe(9_500n);
    expect(await ring.betsOf(session)).toEqual([placed]);
    expect(view.snapshot(merchant.id)?.data.pools).toEqual([pool(500n, 0n, 0n)]);
    expect(view.snapshot(second.id)?.data.pools).toEqual([]);
    const toldPools = { brand: merchant.id, event: { event: { type: "pools" } } };
    await expect.poll(() => told.at(-1)).toMatchObject(toldPools);
  });

  it("sent many times at once to two processes is one bet; with other ids it is several", async () => {
    const match = await open();
    const session = await player(10_000n);
    const given = bet(match, "wala", 500n);
    const sent = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? ring : other).bet(merchant, session, given),
    );
    for (const placed of await Promise.all(sent)) expect(taken(placed).id).toBe(given.id);
    expect(await available(session)).toBe(9_500n);
    taken(await ring.bet(merchant, session, bet(match, "meron", 300n)));
    taken(await ring.bet(merchant, session, bet(match, "draw", 200n)));
    expect(await available(session)).toBe(9_000n);
    expect(await ring.betsOf(session)).toHaveLength(3);
  });

  it("with an id that another player's browser minted too is one of its own", async () => {
    const match = await open();
    const given = bet(match, "wala", 500n);
    const players = [await player(10_000n), await player(10_000n)];
    for (const session of players) taken(await ring.bet(merchant, session, given));
    for (const session of players) expect(await available(session)).toBe(9_500n);
    expect(await ledger.verify()).toEqual([]);
  });

  it("with a known id is refused with another side or stake", async () => {
    const match = await open();
    const session = await player(10_000n);
    const given = bet(match, "meron", 500n);
    await ring.bet(merchant, session, given);
    const side = { ...given, side: "wala" as const };
    expect(codeOf(await ring.bet(merchant, session, side))).toBe("id_reused");
    const stake = { ...given, stake: { minor: 600n, currency: "PHP" as const } };
    expect(codeOf(await ring.bet(merchant, session, stake))).toBe("id_reused");
    expect(await available(session)).toBe(9_500n);
  });

  it("is refused from the close on, even if no process has closed them yet", async () => {
    const match = await open();
    const session = await player(10_000n);
    clock.set(match.closes_at.getTime());
    expect(codeOf(await ring.bet(merchant, session, bet(match, "meron", 500n)))).toBe(
      "bets_closed",
    );
    await ring.advance(match);
    clock.set(match.closes_at.getTime() - 1);
    expect(codeOf(await ring.bet(merchant, session, bet(match, "meron", 500n)))).toBe(
      "bets_closed",
    );
    expect(await available(session)).toBe(10_000n);
  });

  it("that reaches the ledger after the close is not taken, and the stake stays", async () => {
    const match = await open();
    const session = await player(10_000n);
    const { lane, id } = walletOf(session);
    const blocker = await db.pool.connect();
    await blocker.query("BEGIN");
    await blocker.query("SELECT 1 FROM ledger_accounts WHERE lane = $1 AND id = $2 FOR UPDATE", [
      lane,
      id,
    ]);
    const late = ring.bet(merchant, session, bet(match, "meron", 500n));
    await lockAwaited();
    const closing = await ring.advance(match);
    await blocker.query("ROLLBACK");
    blocker.release();
    expect(codeOf(await late)).toBe("bets_closed");
    expect(await available(session)).toBe(10_000n);
    await fought(closing);
  });

  it("[G1-04] is refused if the brand has not switched the key on", async () => {
    const match = await open();
    const session = await makeMember({ pool: db.pool, ledger, clock }, without, {
      balance: 10_000n,
    });
    expect(codeOf(await ring.bet(without, session, bet(match, "meron", 500n)))).toBe("feature_off");
    expect(await available(session)).toBe(10_000n);
    expect(view.snapshot(without.id)).toBeNull();
    expect(told.some(({ brand }) => brand === without.id)).toBe(false);
  });

  it("needs whole pesos within the brand's limits, of the wallet's currency, and the money", async () => {
    const match = await open();
    const session = await player(1_000n);
    const { maxMinor } = merchant.settings.stakes;
    const stake = (minor: bigint) => ring.bet(merchant, session, bet(match, "meron", minor));
    expect(codeOf(await stake(150n))).toBe("stake.minor not_multiple");
    expect(codeOf(await stake(maxMinor + 100n))).toBe("stake.minor too_big");
    expect(codeOf(await stake(1_100n))).toBe("insufficient_funds");
    const fun = { ...bet(match, "wala", 100n), stake: { minor: 100n, currency: "FUN" as const } };
    expect(codeOf(await ring.bet(merchant, session, fun))).toBe("stake.currency foreign_currency");
    const nowhere = { ...bet(match, "wala", 100n), matchId: mintId("match", 0, entropy.bytes(16)) };
    expect(codeOf(await ring.bet(merchant, session, nowhere))).toBe("matchId not_allowed");
    const blocked = { ...session, blocked: true };
    expect(codeOf(await ring.bet(merchant, blocked, bet(match, "wala", 100n)))).toBe(
      "member_blocked",
    );
    closed = refusal("maintenance");
    expect(codeOf(await stake(100n))).toBe("maintenance");
    expect(await available(session)).toBe(1_000n);
  });

  it("on Draw is limited by what the brand pays out, eight times the stake", async () => {
    const match = await open();
    const session = await player(10_000n);
    const { stakes } = merchant.settings;
    const tight = {
      ...merchant,
      settings: { ...merchant.settings, stakes: { ...stakes, maxPayoutMinor: 4_000n } },
    };
    const tooBig = { field: "stake.minor", code: "too_big", unit: "PHP" };
    expect(await ring.bet(tight, session, bet(match, "draw", 600n))).toMatchObject({
      error: { fields: [{ ...tooBig, limit: "500" }] },
    });
    expect(codeOf(await ring.bet(tight, session, bet(match, "draw", 500n)))).toBe("ok");
    expect(codeOf(await ring.bet(tight, session, bet(match, "meron", 600n)))).toBe("ok");
  });

  it("is one of at most twenty per player and match", async () => {
    const match = await open();
    const session = await player(10_000n);
    for (let i = 0; i < 20; i++) {
      taken(await ring.bet(merchant, session, bet(match, "meron", 100n)));
    }
    expect(codeOf(await ring.bet(merchant, session, bet(match, "meron", 100n)))).toBe(
      "too_many_open",
    );
    expect(await available(session)).toBe(8_000n);
  });

  it("is one of at most twenty also when a hundred reach two processes at once", async () => {
    const match = await open();
    const [session, neighbour] = [await player(100_000n), await player(10_000n)];
    const sent = Array.from({ length: 100 }, async (_, i) =>
      codeOf(await (i % 2 ? ring : other).bet(merchant, session, bet(match, "wala", 100n))),
    );
    const [codes, besides] = await Promise.all([
      Promise.all(sent),
      ring.bet(merchant, neighbour, bet(match, "meron", 100n)),
    ]);
    expect(codes.filter((code) => code === "ok")).toHaveLength(20);
    expect(codes.filter((code) => code === "too_many_open")).toHaveLength(80);
    expect(await available(session)).toBe(98_000n);
    // A bet of another player at the same moment is not undone with those that were too many.
    expect(taken(besides).side).toBe("meron");
  });
});

describe("a match", () => {
  it("shares the pool less 5% over the winners, and the house keeps the remainder", async () => {
    const match = await open("meron");
    const [ana, ben, cora] = [
      await player(100_000n),
      await player(100_000n),
      await player(100_000n),
    ];
    await ring.bet(merchant, ana, bet(match, "meron", 70_000n));
    await other.bet(merchant, ben, bet(match, "meron", 30_000n));
    await ring.bet(merchant, cora, bet(match, "wala", 70_000n));
    await ring.bet(merchant, cora, bet(match, "draw", 1_000n));
    await fought(match);
    // 1,700 × 0.95 ÷ 1,000 = 1.615: a peso pays 1.61.
    expect(await available(ana)).toBe(30_000n + 112_700n);
    expect(await available(ben)).toBe(70_000n + 48_300n);
    expect(await available(cora)).toBe(29_000n);
    expect((await ring.betsOf(ana))[0]).toMatchObject({ state: "won", payout_minor: 112_700n });
    expect((await ring.betsOf(cora)).map(({ state }) => state)).toEqual(["lost", "lost"]);
    expect(await statesOfRounds(match)).toEqual(["settled"]);
  });

  it("that is drawn pays Draw eightfold and gives the stakes on both sides back", async () => {
    const match = await open("draw");
    const [ana, ben] = [await player(10_000n), await player(10_000n)];
    await ring.bet(merchant, ana, bet(match, "meron", 5_000n));
    await ring.bet(merchant, ben, bet(match, "wala", 4_000n));
    await ring.bet(merchant, ben, bet(match, "draw", 1_000n));
    await fought(match);
    expect(await available(ana)).toBe(10_000n);
    expect(await available(ben)).toBe(17_000n);
    expect((await ring.betsOf(ana))[0]).toMatchObject({ state: "returned", payout_minor: 5_000n });
  });

  it("is no contest in a pool with one side only, and gives every stake back", async () => {
    const match = await open("meron");
    const session = await player(10_000n);
    await ring.bet(merchant, session, bet(match, "meron", 5_000n));
    await ring.bet(merchant, session, bet(match, "draw", 1_000n));
    await fought(match);
    expect(await available(session)).toBe(10_000n);
    expect((await ring.betsOf(session)).map(({ state }) => state)).toEqual([
      "returned",
      "returned",
    ]);
    expect(await statesOfRounds(match)).toEqual(["voided"]);
  });

  it("gives every stake back if a peso would pay 1.07 or less, and one of an earlier version pays from 1.01, as it announced", async () => {
    for (const isBefore of [false, true]) {
      const match = await open("meron");
      if (isBefore) {
        // As a process of an earlier version makes one: it names no figure.
        const sql = "UPDATE cockfight_matches SET no_contest_up_to = DEFAULT WHERE id = $1";
        await db.pool.query(sql, [match.id]);
      }
      const [ana, ben] = [await player(50_000n), await player(10_000n)];
      // 565 × 0.95 ÷ 500 = 1.0735; a peso pays 1.07.
      await ring.bet(merchant, ana, bet(match, "meron", 50_000n));
      await ring.bet(merchant, ben, bet(match, "wala", 6_500n));
      await fought(match);
      expect([await available(ana), await available(ben)]).toEqual(
        isBefore ? [53_500n, 3_500n] : [50_000n, 10_000n],
      );
    }
  });

  it("has a pool per brand and currency, none of which pays for another", async () => {
    const match = await open("wala");
    const trial = () => player(10_000n, merchant, TRIAL_TYPE);
    const [ana, ben] = [await player(10_000n), await player(10_000n)];
    const [fay, gil] = [await trial(), await trial()];
    const dan = await player(10_000n, second);
    await ring.bet(merchant, ana, bet(match, "meron", 1_000n));
    await ring.bet(merchant, ben, bet(match, "wala", 1_000n));
    await ring.bet(merchant, fay, bet(match, "meron", 3_000n, "FUN"));
    await ring.bet(merchant, gil, bet(match, "wala", 1_000n, "FUN"));
    await ring.bet(second, dan, bet(match, "wala", 9_000n));
    expect(view.snapshot(merchant.id)?.data.pools).toEqual([
      pool(1_000n, 1_000n, 0n),
      pool(3_000n, 1_000n, 0n, "FUN"),
    ]);
    await fought(match);
    expect(await available(ben)).toBe(9_000n + 1_900n);
    expect(await available(gil)).toBe(9_000n + 3_800n);
    // No player of the other brand is against this one.
    expect(await available(dan)).toBe(10_000n);
  });

  it("hides its fight until bets are closed and its seed until all is paid, then proves both", async () => {
    const match = await open();
    const id = match.id;
    expect(view.snapshot(merchant.id)?.data).toMatchObject({
      phase: "betting",
      exchanges: null,
      result: null,
    });
    expect(await ring.finished(merchant, id)).toBeNull();
    clock.set(match.closes_at.getTime());
    const fighting = await ring.advance(await ring.advance(match));
    expect(view.snapshot(merchant.id)?.data).toMatchObject({ phase: "fighting", result: null });
    const settled = await ring.advance(fighting);
    expect(view.snapshot(merchant.id)?.data.result).toBeNull();
    expect(await ring.finished(merchant, id)).toBeNull();
    await ring.advance(settled);
    const shown = cockfightState.parse(view.snapshot(merchant.id)?.data);
    const found = present(await ring.finished(merchant, id), "the match");
    const { server_seed: serverSeed, seed_hash } = found.match;
    expect(seedHash(serverSeed)).toBe(seed_hash);
    expect(shown.seedHash).toBe(seed_hash);
    const fight = fightOf({ serverSeed, matchId: id });
    expect(shown).toMatchObject({ phase: "settled", ...fight });
    expect(shown.history[0]).toEqual({ matchId: id, number: shown.number, result: fight.result });
  });

  it("that nobody closed for too long, or whose seed is another, is cancelled and gives all back", async () => {
    for (const spoil of ["late", "seed"] as const) {
      const match = await open("meron");
      const [ana, ben] = [await player(10_000n), await player(10_000n)];
      await ring.bet(merchant, ana, bet(match, "meron", 1_000n));
      await ring.bet(merchant, ben, bet(match, "wala", 1_000n));
      await ring.bet(merchant, ben, bet(match, "draw", 1_000n));
      clock.set(match.closes_at.getTime() + (spoil === "late" ? LATEST_MS + 1 : 0));
      const read = spoil === "late" ? match : { ...match, server_seed: "ab".repeat(32) };
      await ring.advance(await ring.advance(read));
      expect([await available(ana), await available(ben)]).toEqual([10_000n, 10_000n]);
      const found = present(await ring.finished(merchant, match.id), "the match");
      expect(found.match).toMatchObject({ phase: "cancelled", result: null });
      expect(view.snapshot(merchant.id)?.data).toMatchObject({ phase: "cancelled" });
    }
  });

  it("whose bets are open when chance is renewed is cancelled, and gives all back", async () => {
    const match = await open("meron");
    const [ana, ben] = [await player(10_000n), await player(10_000n)];
    await ring.bet(merchant, ana, bet(match, "meron", 1_000n));
    await ring.bet(merchant, ben, bet(match, "wala", 1_000n));
    await cancelOpenMatch(db.pool);
    expect(codeOf(await other.bet(merchant, ana, bet(match, "meron", 1_000n)))).toBe("bets_closed");
    // Its keeper finds that out at its next step.
    await expect(ring.advance(match)).rejects.toThrow(/not betting any more/);
    await steps(other, present(await other.prepare(), "the match"));
    expect([await available(ana), await available(ben)]).toEqual([10_000n, 10_000n]);
    expect(await findMatch(db.pool, match.id)).toMatchObject({ phase: "cancelled", result: null });
  });

  it("whose bets are closed when chance is renewed is fought and paid", async () => {
    const match = await open("meron");
    const [ana, ben] = [await player(10_000n), await player(10_000n)];
    await ring.bet(merchant, ana, bet(match, "meron", 1_000n));
    await ring.bet(merchant, ben, bet(match, "wala", 1_000n));
    clock.set(match.closes_at.getTime());
    const shut = await ring.advance(match);
    await cancelOpenMatch(db.pool);
    await steps(ring, shut);
    expect([await available(ana), await available(ben)]).toEqual([10_900n, 9_000n]);
  });

  it("takes no bet before it is certain that nobody has seen its fight", async () => {
    const match = await open("meron");
    const session = await player(10_000n);
    whileUnsure = () => cancelOpenMatch(db.pool);
    expect(codeOf(await ring.bet(merchant, session, bet(match, "meron", 1_000n)))).toBe(
      "bets_closed",
    );
    expect(await available(session)).toBe(10_000n);
  });

  it("whose process died among its payments is paid to the end by the next, each bet once", async () => {
    const match = await open("wala");
    const players = await Promise.all(Array.from({ length: 6 }, () => player(10_000n)));
    for (const [i, session] of players.entries()) {
      taken(await ring.bet(merchant, session, bet(match, i % 2 ? "wala" : "meron", 1_000n)));
    }
    clock.set(match.closes_at.getTime());
    const wallet = new VendorWallet(db.pool, ledger, clock);
    let wins = 0;
    const win: VendorWallet["win"] = async (given) => {
      wins += 1;
      if (wins > 1) throw new Error("the process died");
      return wallet.win(given);
    };
    const dying = process(ledger, view, { win, bet: (b) => wallet.bet(b) });
    await expect(steps(dying, match)).rejects.toThrow("the process died");
    const left = present(await currentMatch(db.pool), "the match that was left");
    expect(left).toMatchObject({ phase: "settled", result: "wala", settled_at: null });

    const again = present(await other.prepare(), "the match that was left");
    expect(again.id).toBe(match.id);
    await steps(other, again);
    const balances = await Promise.all(players.map(available));
    expect(balances).toEqual([9_000n, 10_900n, 9_000n, 10_900n, 9_000n, 10_900n]);
    for (const session of players) expect(await winsOf(session)).toBeLessThanOrEqual(1);
  });

  it("is settled by two processes at once, each bet once", async () => {
    const match = await open("meron");
    const players = await Promise.all(Array.from({ length: 8 }, () => player(10_000n)));
    for (const [i, session] of players.entries()) {
      taken(await ring.bet(merchant, session, bet(match, i % 2 ? "wala" : "meron", 1_000n)));
    }
    let latest = match;
    clock.set(match.closes_at.getTime());
    while (latest.phase !== "settled") latest = await ring.advance(latest);
    const both = await Promise.allSettled([ring.advance(latest), other.advance(latest)]);
    // Both pay, one of them reports that it is done.
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await Promise.all(players.map(available))).toEqual(
      players.map((_, i) => (i % 2 ? 9_000n : 10_900n)),
    );
  });

  it("ends while a player's wallet is held: others are paid, and the next round pays the player once", async () => {
    const match = await open("meron");
    const [held, free, lost] = [
      await player(10_000n),
      await player(10_000n),
      await player(10_000n),
    ];
    taken(await ring.bet(merchant, held, bet(match, "meron", 1_000n)));
    taken(await ring.bet(merchant, free, bet(match, "meron", 1_000n)));
    taken(await ring.bet(merchant, lost, bet(match, "wala", 2_000n)));
    const { lane, id } = walletOf(held);
    const client = await db.pool.connect();
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM ledger_accounts WHERE lane = $1 AND id = $2 FOR UPDATE", [
      lane,
      id,
    ]);
    await fought(match);
    expect(await available(free)).toBe(10_900n);
    expect((await ring.betsOf(lost))[0]?.state).toBe("lost");
    expect(view.snapshot(merchant.id)?.data).toMatchObject({ phase: "settled", result: "meron" });
    expect((await ring.betsOf(held))[0]?.state).toBe("placed");
    await client.query("ROLLBACK");
    client.release();
    // Each process finds it when it holds the next match.
    for (const process of [other, ring]) {
      const besides: Promise<unknown>[] = [];
      await process.kept().round({
        until: async () => false,
        wait: async () => undefined,
        during: (work) => work,
        beside: (work) => void besides.push(work),
      });
      await Promise.all(besides);
    }
    expect(await available(held)).toBe(10_900n);
    expect(await winsOf(held)).toBe(1);
  });

  it("is given up by a keeper that slept while another moved it on", async () => {
    const match = await open();
    await other.advance(match);
    await expect(ring.advance(match)).rejects.toThrow(/not betting any more/);
  });
});

describe("the keeper of the ring", () => {
  beforeEach(() => {
    // Only the keeper waits by timers here; the database's sockets go on in real time.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });

  it("holds one match after another, and resumes what a dead one left", async () => {
    const match = await open("meron");
    const [ana, ben] = [await player(10_000n), await player(10_000n)];
    taken(await ring.bet(merchant, ana, bet(match, "meron", 1_000n)));
    taken(await ring.bet(merchant, ben, bet(match, "wala", 1_000n)));
    const dead = leaseOf("dead");
    expect(await dead.hold()).toBe(true);
    const keeper = keeperOf(other);
    keeper.start();
    await until(async () => (await findMatch(db.pool, match.id))?.settled_at != null);
    expect(await available(ana)).toBe(10_900n);
    await until(async () => {
      const next = await currentMatch(db.pool);
      return next !== null && next.id !== match.id;
    });
    await keeper.stop();
    const { rows } = await db.pool.query("SELECT holder FROM leases WHERE name = 'cockfight'");
    expect(rows).toEqual([]);
  });

  it("ends a match in the usual time that a clock an hour ahead had opened", async () => {
    clock.advance(HOUR_MS);
    const match = await open("meron");
    clock.advance(-HOUR_MS);
    const session = await player(10_000n);
    taken(await ring.bet(merchant, session, bet(match, "meron", 1_000n)));
    const begunAt = clock.now();
    const keeper = keeperOf(other);
    keeper.start();
    await until(async () => (await findMatch(db.pool, match.id))?.settled_at != null);
    expect(clock.now() - begunAt).toBeLessThan(4 * BETTING_MS);
    await keeper.stop();
  });

  it("ends a match in the usual time if the clock is set back an hour during it", async () => {
    for (const phase of ["betting", "fighting"]) {
      const match = await open("meron");
      const session = await player(10_000n);
      taken(await ring.bet(merchant, session, bet(match, "meron", 1_000n)));
      const keeper = keeperOf(other);
      keeper.start();
      await until(async () => {
        const { rowCount } = await db.pool.query("SELECT 1 FROM leases WHERE name = 'cockfight'");
        return rowCount === 1 && (await findMatch(db.pool, match.id))?.phase === phase;
      });
      // It waits for the end of this step.
      await realSleep(50);
      clock.set(clock.now() - HOUR_MS);
      const setBackAt = clock.now();
      await until(async () => (await findMatch(db.pool, match.id))?.settled_at != null);
      expect(clock.now() - setBackAt).toBeLessThan(3 * BETTING_MS);
      expect(await available(session)).toBe(10_000n);
      await keeper.stop();
    }
  });

  it("holds no match if no brand has the key", async () => {
    const nobody = new Cockfight({
      ...{ pool: db.pool, wallet: new VendorWallet(db.pool, ledger, clock), clock, entropy, view },
      brands: async () => [],
      ...{ playRefusal: async () => null, sure: async () => undefined },
    });
    expect(await nobody.prepare()).toBeNull();
    expect(await currentMatch(db.pool)).toBeNull();
  });

  function leaseOf(holder: string) {
    return createLease(db.pool, clock, "cockfight", holder, KEEPER_LEASE_MS);
  }

  function keeperOf(held: Cockfight): Keeper {
    const lease = leaseOf("heir");
    return new Keeper({
      ...{ kept: held.kept(), lease, clock, elapsed: clock.elapsed, log, trouble: "left" },
    });
  }

  /** Advances manual time and the timers together until the condition holds. */
  async function until(done: () => Promise<boolean>): Promise<void> {
    const look = async () => {
      if (await done()) return true;
      if (!isQuiet(db.pool)) return false;
      clock.advance(100);
      vi.advanceTimersByTime(100);
      return false;
    };
    await expect.poll(look, { interval: 1, timeout: 15_000 }).toBe(true);
  }
});

it("a match is shown in its present state by a process that started during it", async () => {
  const match = await open();
  taken(await ring.bet(merchant, await player(1_000n), bet(match, "wala", 300n)));
  const late = new CockfightView(localBus(), () => undefined);
  await process(otherLedger, late).watch();
  const shown = present(view.snapshot(merchant.id), "the picture").data;
  const seen = present(late.snapshot(merchant.id), "the late picture").data;
  expect({ ...seen, now: 0 }).toEqual({ ...shown, now: 0 });
});

it("a match is shown in its present state by another process while the bus is cut, and never taken back", async () => {
  const buses = linkedBuses();
  let times = 0;
  const here = new CockfightView(buses.one, () => undefined);
  const there = new CockfightView(buses.other, () => times++);
  const [holder, watcher] = [process(ledger, here), process(otherLedger, there)];
  const shownBy = (view: CockfightView) => ({ ...view.snapshot(merchant.id)?.data, now: 0 });
  const seenAlike = async () => {
    await watcher.watch();
    expect(shownBy(there)).toEqual(shownBy(here));
  };
  let match = present(await holder.prepare(), "a match");
  buses.cut();
  taken(await holder.bet(merchant, await player(1_000n), bet(match, "wala", 300n)));
  await seenAlike();
  clock.set(match.closes_at.getTime());
  while (match.settled_at === null) {
    match = await holder.advance(match);
    await seenAlike();
  }
  buses.mend();
  const [shown, told] = [shownBy(there), times];
  buses.bringLate();
  expect(shownBy(there)).toEqual(shown);
  expect(times).toBe(told);
});

function process(
  books: Ledger,
  shown: CockfightView,
  dying?: Pick<VendorWallet, "win" | "bet">,
): Cockfight {
  const brands = createBrands(db.pool, clock);
  return new Cockfight({
    pool: db.pool,
    // It dies before it would need the other calls of a wallet.
    wallet: (dying as VendorWallet | undefined) ?? new VendorWallet(db.pool, books, clock),
    clock,
    entropy,
    view: shown,
    brands: () => brands.having("COCKFIGHT"),
    playRefusal: async () => closed,
    sure: () => whileUnsure(),
  });
}

/** A match whose bets are open and whose fight ends as the test wants it to. */
async function open(result?: CockfightSide): Promise<MatchRow> {
  const match = present(await ring.prepare(), "a match");
  expect(match.closes_at.getTime()).toBe(clock.now() + BETTING_MS);
  if (result === undefined) return match;
  for (;;) {
    const serverSeed = Buffer.from(entropy.bytes(32)).toString("hex");
    if (fightOf({ serverSeed, matchId: match.id }).result !== result) continue;
    const seeds = { server_seed: serverSeed, seed_hash: seedHash(serverSeed) };
    await db.pool.query(
      "UPDATE cockfight_matches SET server_seed = $2, seed_hash = $3 WHERE id = $1",
      [match.id, seeds.server_seed, seeds.seed_hash],
    );
    return { ...match, ...seeds };
  }
}

/** From its present state to its end, as the keeper would. */
async function fought(match: MatchRow): Promise<void> {
  const latest = present(await findMatch(db.pool, match.id), "the match");
  clock.set(Math.max(clock.now(), latest.closes_at.getTime()));
  await steps(ring, latest);
}

async function steps(held: Cockfight, from: MatchRow): Promise<void> {
  let match = from;
  while (match.settled_at === null) match = await held.advance(match);
}

function player(balance: bigint, of = merchant, type = 0): Promise<Session> {
  return makeMember({ pool: db.pool, ledger, clock }, of, { balance, type });
}

function walletOf(session: Session) {
  return accountOf(session.memberId, session.currency);
}

function available(session: Session): Promise<bigint> {
  return availableOf(ledger, walletOf(session));
}

function bet(
  match: { readonly id: string },
  side: CockfightSide,
  minor: bigint,
  currency: "PHP" | "FUN" = "PHP",
) {
  return {
    id: mintId("bet", clock.now(), entropy.bytes(16)),
    matchId: match.id,
    side,
    stake: { minor: minor, currency },
  };
}

function pool(
  meron: bigint,
  wala: bigint,
  draw: bigint,
  currency: "PHP" | "FUN" = "PHP",
): CockfightPools {
  const of = (minor: bigint) => ({ minor: `${minor}`, currency });
  return { meron: of(meron), wala: of(wala), draw: of(draw) };
}

async function statesOfRounds(match: MatchRow): Promise<string[]> {
  const { rows } = await db.pool.query<{ state: string }>(
    `SELECT DISTINCT r.state FROM vendor_rounds r JOIN cockfight_bets b ON b.lane = r.lane
       AND b.account_id = r.account_id AND b.id = r.round_id WHERE b.match_id = $1`,
    [match.id],
  );
  return rows.map(({ state }) => state);
}

async function winsOf(session: Session): Promise<number> {
  const page = { beforeSeq: null, limit: 50 };
  return (await ledger.history(walletOf(session), page, ["win"])).entries.length;
}

/** Resolves once some connection of the ledger waits for a row's lock. */
async function lockAwaited(): Promise<void> {
  for (;;) {
    const { rowCount } = await db.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'perya-ledger' AND wait_event_type = 'Lock'`,
    );
    if (rowCount !== 0) return;
    await realSleep(5);
  }
}
