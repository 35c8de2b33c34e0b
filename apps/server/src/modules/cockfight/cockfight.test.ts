import { refusal } from "@perya/contract/refusal";
import { cockfightState } from "@perya/contract/socket";
import { fightOf } from "@perya/games/cockfight";
import { seedHash } from "@perya/games/fairness";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCockpit } from "../../../../../tests/server/cockpit.ts";
import { makeMember } from "../../../../../tests/server/fixtures.ts";
import { TRIAL_TYPE } from "../identity/identity.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { cancelOpenMatch, currentMatch, findMatch } from "./cockfight.store.ts";
import { LATEST_MS } from "./cockfight.ts";

const world = await openCockpit("cockfight");
const { clock, entropy, db, ledger, merchant, second, without, told, player, walletOf } = world;
const { available, entriesOf, lockAwaited, process, open, fought, steps, bet, pool } = world;
const { statesOfRounds } = world;
let { ring, other, view } = world.opened();

beforeEach(() => {
  ({ ring, other, view } = world.opened());
});
afterEach(world.expectOver);

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

  it("with the id of another player's bet is a bet of its own", async () => {
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
    world.now.refusal = refusal("maintenance");
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
    world.now.whileUnsure = () => cancelOpenMatch(db.pool);
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
    for (const session of players) expect(await entriesOf(session, "win")).toBeLessThanOrEqual(1);
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
    expect(await entriesOf(held, "win")).toBe(1);
  });

  it("is given up by a keeper that slept while another moved it on", async () => {
    const match = await open();
    await other.advance(match);
    await expect(ring.advance(match)).rejects.toThrow(/not betting any more/);
  });
});
