import { mintId } from "@perya/kernel/ids";
import { DAY_MS } from "@perya/kernel/instant";
import fc from "fast-check";
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { freshSeed } from "../../../../../tests/server/fixtures.ts";
import { openVendorHarness } from "../../../../../tests/server/vendor-harness.ts";
import { systemEntropy } from "../../platform/entropy.ts";
import type { VendorRule } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf, LedgerUnavailable } from "../ledger/ledger.ts";
import { Operators } from "../operators/operators.ts";
import { HeldWins } from "./held-wins.ts";
import { VendorWallet } from "./vendor-wallet.ts";

const HUGE = 999_999_999_999_999n;
const RULE: VendorRule = {
  rollbackAfterWin: "refuse",
  roundPayoutMaxMinor: 100_000n,
  roundPayoutMaxStakes: 50,
  dayPayoutMaxMinor: 150_000n,
  returnAlarm: { minBets: 1_000_000, aboveBasisPoints: 15_000 },
};

const harness = await openVendorHarness("bounds of wins");
const wins = new HeldWins(harness.db.pool, harness.ledger, harness.clock);
const operators = new Operators(harness.db.pool, harness.clock, systemEntropy);
const given = { name: "Ana", permissions: ["wins"], days: 90 };
const { operator } = taken(await operators.add(harness.merchant.id, given));
const ana = { operator, requestId: "req", address: "127.0.0.1" };

beforeEach(() => believe({}));

afterEach(async () => {
  harness.clock.advance(DAY_MS);
  expect(await harness.ledger.verify()).toEqual([]);
});

describe("a vendor's win that was refused", () => {
  const refusals = [
    ["bet_missing", "none"],
    ["bet_differs", "b2"],
    ["rolled_back", "b3"],
  ] as const;
  for (const [code, wrongBet] of refusals) {
    it(`implies nothing about another that is sent under its id: ${code}`, async () => {
      const at = await table(30_000n);
      await at.bet("b1", "r1", 1_000n);
      await at.bet("b2", "r2", 1_000n);
      await at.bet("b3", "r1", 1_000n);
      await at.rollback("b3", "r1", 1_000n);
      expect(await at.win("w", wrongBet, "r1", 1n)).toBe(code);
      expect(await at.win("w", "b1", "r1", HUGE)).toBe("ok");
      expect(await at.wallet()).toEqual({ available: 28_000n, held: HUGE });
      expect(await at.win("w", "b1", "r1", HUGE)).toBe("repeated");
    });
  }

  it("uses up nothing of what the round and the day may pay", async () => {
    const at = await table(2_000n);
    await at.bet("b1", "r1", 2_000n);
    for (let i = 0; i < 2; i++) {
      expect(await at.win(`lost${i}`, "none", "r1", 100_000n)).toBe("bet_missing");
    }
    await at.win("w", "b1", "r1", 100_000n);
    expect(await at.wallet()).toEqual({ available: 100_000n, held: 0n });
  });
});

describe("a vendor's win that was booked", () => {
  it("has its id refused with another amount or round", async () => {
    const at = await table(3_000n);
    await at.bet("b1", "r1", 1_000n);
    await at.bet("b2", "r2", 1_000n);
    await at.win("w", "b1", "r1", 100n);
    await at.win("held", "b1", "r1", 60_000n);
    for (const [id, sent] of [
      ["w", 100n],
      ["held", 60_000n],
    ] as const) {
      expect(await at.win(id, "b1", "r1", sent)).toBe("repeated");
      expect(await at.win(id, "b1", "r1", HUGE)).toBe("id_reused");
      expect(await at.win(id, "b2", "r2", sent)).toBe("id_reused");
    }
    expect(await at.wallet()).toEqual({ available: 1_100n, held: 60_000n });
  });

  it("is repeated as it was booked, also if it would or would not be held now", async () => {
    const at = await table(1_000n);
    await at.bet("b", "r", 1_000n);
    await at.win("w", "b", "r", 50_000n);
    await at.win("held", "b", "r", 1n);
    believe({ roundPayoutMaxMinor: 1n });
    expect(await at.win("w", "b", "r", 50_000n)).toBe("repeated");
    believe({ roundPayoutMaxMinor: HUGE, roundPayoutMaxStakes: 1_000_000 });
    expect(await at.win("held", "b", "r", 1n)).toBe("repeated");
    expect(await at.wallet()).toEqual({ available: 50_000n, held: 1n });
  });

  it("ends its round, held or not: no other win of it is paid or held", async () => {
    for (const amount of [1_000n, HUGE]) {
      const at = await table(1_000n);
      await at.bet("b", "r", 1_000n);
      expect(await at.win("last", "b", "r", amount, { closesRound: true })).toBe("ok");
      expect(await at.win("late", "b", "r", 1n)).toBe("round_over");
      expect(await at.win("late", "b", "r", HUGE)).toBe("round_over");
      expect(await at.win("last", "b", "r", amount, { closesRound: true })).toBe("repeated");
    }
  });

  it("is never an outside vendor's without its bounds", async () => {
    const wallet = new VendorWallet(harness.db.pool, harness.ledger, harness.clock);
    const account = accountOf((await harness.player(1_000n)).memberId, "PHP");
    const win = { account, vendor: "PGE", transactionId: "w", roundId: "r", amount: 1n };
    await expect(wallet.win({ ...win, betTransactionId: "b", closesRound: true })).rejects.toThrow(
      "within its bounds",
    );
  });
});

describe("bets and wins of the same moment", () => {
  it("never pay a win beyond the bounds: fifty pairs through two processes", async () => {
    // Only the round's bound applies to them.
    believe({ dayPayoutMaxMinor: HUGE });
    for (let i = 0; i < 3; i++) {
      const at = await table(100_000n);
      const pairs = Array.from({ length: 50 }, (_, n) => [
        untilServed(() => at.bet(`b${n}`, `r${n}`, 100n, { via: n % 2 })),
        untilServed(() =>
          at.win(`w${n}`, `b${n}`, `r${n}`, 90_000_000_000n, { via: (n >> 1) % 2 }),
        ),
      ]);
      await Promise.all(pairs.flat());
      const { held } = await at.waiting();
      expect(await at.wallet()).toEqual({ available: 95_000n, held });
    }
  });

  it("pay up to the day's bound, each vendor its own, through two processes", async () => {
    const tables = await Promise.all([
      table(40_000n, "PGE", "game-1"),
      table(40_000n, "PGE", "game-2"),
      table(40_000n, "AV", "game-3"),
    ]);
    const sent = tables.flatMap((at) =>
      Array.from({ length: 40 }, async (_, n) => {
        await untilServed(() => at.bet(`b${n}`, `r${n}`, 1_000n, { via: n % 2 }));
        await untilServed(() => at.win(`w${n}`, `b${n}`, `r${n}`, 10_000n, { via: (n >> 1) % 2 }));
      }),
    );
    await Promise.all(sent);
    const [one, two, lobby] = await Promise.all(tables.map(async (at) => at.wallet()));
    expect((one?.available ?? 0n) + (two?.available ?? 0n)).toBe(150_000n);
    expect(lobby?.available).toBe(150_000n);
  });
});

describe("a change after a win was checked and before it is booked", () => {
  const cases: Record<string, (at: Table) => Promise<unknown>> = {
    "its bet is taken": (at) => at.bet("b", "r", 100n),
    "another stake of its round is rolled back": async (at) => {
      await at.rollback("big", "r", 1_000n);
    },
    "another win of its round is paid": (at) => at.win("w0", "b", "r", 50_000n),
    "another round uses the day up": async (at) => {
      await at.win("w0", "aside", "elsewhere", 100_000n);
    },
  };
  for (const [what, meanwhile] of Object.entries(cases)) {
    it(`still binds it: ${what}`, async () => {
      const at = await table(10_000n);
      await at.bet("aside", "elsewhere", 2_000n);
      if (what !== "its bet is taken") {
        await at.bet("b", "r", 100n);
        await at.bet("big", "r", 1_000n);
      }
      const amount = 54_000n;
      expect(await at.winAfter(() => meanwhile(at), "w", "b", "r", amount)).toBe(amount);
      expect((await at.wallet()).held).toBe(amount);
    });
  }
});

describe("a rollback in a round that has paid", () => {
  for (const rollbackAfterWin of ["refuse", "take_back"] as const) {
    it(`leaves the stake that its wins need: ${rollbackAfterWin}`, async () => {
      believe({ rollbackAfterWin });
      const at = await table(4_100n);
      await at.bet("big", "r", 4_000n);
      await at.bet("small", "r", 100n);
      await at.win("w", "small", "r", 50_000n);
      for (let i = 0; i < 2; i++) {
        expect(await at.rollback("big", "r", 4_000n)).toBe("win_stands");
      }
      expect(await at.wallet()).toEqual({ available: 50_000n, held: 0n });
      // Once other bets support the win, or the win is gone, it is taken.
      if (rollbackAfterWin === "refuse") await at.bet("more", "r", 900n);
      else expect(await at.rollback("small", "r", 100n)).toBe("ok");
      expect(await at.rollback("big", "r", 4_000n)).toBe("ok");
      expect(await at.rollback("big", "r", 4_000n)).toBe("repeated");
      const available = rollbackAfterWin === "refuse" ? 53_100n : 4_100n;
      expect(await at.wallet()).toEqual({ available, held: 0n });
    });

    it(`is refused or comes before the win, at whatever moment it is sent: ${rollbackAfterWin}`, async () => {
      believe({ rollbackAfterWin, dayPayoutMaxMinor: HUGE });
      for (let i = 0; i < 12; i++) {
        const at = await table(4_100n);
        await at.bet("big", "r", 4_000n);
        await at.bet("small", "r", 100n);
        const win = () => at.win("w", "small", "r", 50_000n, { via: 1 });
        const undo = () => at.rollback("big", "r", 4_000n);
        const [first, second] = i % 2 === 0 ? [win, undo] : [undo, win];
        await Promise.all([first(), second()]);
        const { available, held } = await at.wallet();
        expect([
          [50_000n, 0n],
          [4_000n, 50_000n],
        ]).toContainEqual([available, held]);
      }
    });
  }

  it("leaves only what is left for the win if the rollback comes first", async () => {
    const at = await table(4_100n);
    await at.bet("big", "r", 4_000n);
    await at.bet("small", "r", 100n);
    expect(await at.rollback("big", "r", 4_000n)).toBe("ok");
    await at.win("w", "small", "r", 50_000n);
    expect(await at.wallet()).toEqual({ available: 4_000n, held: 50_000n });
  });

  it("keeps the stake by which an operator decides, until the win is refused", async () => {
    const at = await table(4_100n);
    await at.bet("big", "r", 4_000n);
    await at.bet("small", "r", 100n);
    await at.win("w", "small", "r", 100_001n);
    expect(await at.rollback("big", "r", 4_000n)).toBe("win_stands");
    await at.decide("refuse");
    expect(await at.rollback("big", "r", 4_000n)).toBe("ok");
    expect(await at.wallet()).toEqual({ available: 4_000n, held: 0n });
  });

  it("keeps the stake by which an operator has let a win go", async () => {
    const at = await table(4_200n);
    await at.bet("big", "r", 4_000n);
    await at.bet("small", "r", 100n);
    await at.win("w", "small", "r", 100_001n);
    await at.decide("release");
    expect(await at.rollback("big", "r", 4_000n)).toBe("win_stands");
    // A released win counts towards no bound; another win has its own room, and no more.
    await at.bet("more", "r", 100n);
    await at.win("w2", "more", "r", 100_000n);
    await at.win("w3", "more", "r", 1n);
    expect(await at.wallet()).toEqual({ available: 200_001n, held: 1n });
  });

  it("that takes wins back gives the round its room again, for the remaining stake", async () => {
    believe({ rollbackAfterWin: "take_back" });
    const at = await table(2_000n);
    await at.bet("b1", "r", 1_000n);
    await at.win("w1", "b1", "r", 50_000n);
    await at.win("let go", "b1", "r", 60_000n);
    await at.decide("release");
    expect(await at.rollback("b1", "r", 1_000n)).toBe("ok");
    await at.bet("b2", "r", 100n);
    await at.win("w2", "b2", "r", 5_000n);
    await at.win("w3", "b2", "r", 1n);
    expect(await at.wallet()).toEqual({ available: 6_900n, held: 1n });
  });
});

describe("any sequence of a vendor's calls", () => {
  const step = fc.record({
    does: fc.oneof(
      { weight: 4, arbitrary: fc.constant("bet" as const) },
      { weight: 6, arbitrary: fc.constant("win" as const) },
      { weight: 4, arbitrary: fc.constant("rollback" as const) },
      { weight: 1, arbitrary: fc.constantFrom("release" as const, "refuse" as const) },
    ),
    bet: fc.constantFrom("big", "small", "b3", "b4", "none"),
    // Mostly the round of the bet.
    stray: fc.oneof(
      { weight: 5, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom("r1", "r2") },
    ),
    win: fc.constantFrom("w1", "w2", "w3", "w4", "w5"),
    amount: fc.constantFrom(1n, 400n, 500n, 2_500n, 9_000n, HUGE),
    closesRound: fc.boolean(),
    via: fc.nat(1),
  });
  // Those of a group are sent at once.
  const order = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 10 });

  for (const rollbackAfterWin of ["refuse", "take_back"] as const) {
    it(`pays the player nothing beyond the bounds without an operator: ${rollbackAfterWin}`, async () => {
      const rule = {
        rollbackAfterWin,
        roundPayoutMaxMinor: 9_000n,
        roundPayoutMaxStakes: 5,
        dayPayoutMaxMinor: 10_000n,
      };
      const stakes: Record<string, bigint> = { big: 1_800n, small: 100n, b3: 500n, b4: 100n };
      const rounds: Record<string, string> = { big: "r1", small: "r1", b3: "r2", b4: "r2" };
      await fc.assert(
        fc.asyncProperty(order, async (groups) => {
          harness.clock.advance(DAY_MS);
          believe(rule);
          const at = await table(10_000n);
          for (const group of groups) {
            const sent = group.map(({ does, bet, stray, win, amount, closesRound, via }) => {
              const round = stray ?? rounds[bet] ?? "r1";
              const stake = stakes[bet] ?? 100n;
              switch (does) {
                case "bet":
                  return at.bet(bet === "none" ? "b4" : bet, round, stake, { via });
                case "win":
                  return at.win(win, bet, round, amount, {
                    via,
                    closesRound: closesRound && via === 1,
                  });
                case "rollback":
                  // A rollback of a bet that never comes would prevent nothing.
                  return at.rollback(bet === "none" ? "big" : bet, round, stake, { via });
                default:
                  return at.decide(does);
              }
            });
            await Promise.all(sent);
          }
          expect(await at.beyond(rule)).toEqual([]);
          expect(await harness.ledger.verify()).toEqual([]);
        }),
        { numRuns: 60, seed: freshSeed(`bounds of wins, ${rollbackAfterWin}`) },
      );
    }, 120_000);
  }
});

type Table = Awaited<ReturnType<typeof table>>;

function believe(given: Partial<VendorRule>) {
  // One person is enough to release the wins of these tests.
  harness.believe({ every: { ...RULE, ...given }, releaseFourEyesAboveMinor: HUGE });
}

/** A player at a vendor's game; each call answers `ok`, `repeated` or why it was refused. */
async function table(balance: bigint, vendor = "PGE", gameId = "game-1") {
  const session = await harness.player(balance);
  const token = harness.tokenOf(await harness.launch(session, vendor, gameId));
  const { play } = taken(await harness.plays.open(vendor, token));
  const account = accountOf(session.memberId, session.currency);
  const of = (id: string) => `${play}.${id.replaceAll(" ", "-")}`;
  const move = (id: string, roundId: string, minor: bigint) => ({
    ...{ play, transactionId: of(id), roundId: of(roundId) },
    amount: { minor: minor, currency: session.currency },
  });
  type Via = { readonly via?: number };
  const through = ({ via }: Via) => (via === 1 ? harness.otherPlays : harness.plays);
  return {
    bet: async (id: string, round: string, minor: bigint, given: Via = {}) =>
      said(
        await through(given).bet(vendor, { ...move(id, round, minor), gameId, closesRound: false }),
      ),
    win: async (
      id: string,
      betId: string,
      round: string,
      minor: bigint,
      given: Via & { readonly closesRound?: boolean } = {},
    ) =>
      said(
        await through(given).win(vendor, {
          ...move(id, round, minor),
          ...{ betTransactionId: of(betId), closesRound: given.closesRound ?? false },
        }),
      ),
    rollback: async (betId: string, round: string, minor: bigint, given: Via = {}) =>
      said(
        await through(given).rollback(vendor, {
          ...move(`undo ${betId}`, round, minor),
          betTransactionId: of(betId),
        }),
      ),

    /** A win whose check is old: answers how much of it is held. */
    async winAfter(
      meanwhile: () => Promise<unknown>,
      id: string,
      betId: string,
      round: string,
      amount: bigint,
    ): Promise<bigint> {
      let looks = 0;
      const query = async (asked: pg.QueryConfig) => {
        const found = await harness.db.pool.query(asked);
        if (++looks === 1) await meanwhile();
        return found;
      };
      const pool: pg.Pool = Object.create(harness.db.pool, { query: { value: query } });
      const { transactionId, roundId } = move(id, round, amount);
      const { held } = taken(
        await new VendorWallet(pool, harness.ledger, harness.clock).winWithin(
          {
            ...{ account, vendor, transactionId, roundId, amount },
            ...{ betTransactionId: of(betId), closesRound: false },
          },
          {
            ...{ merchantId: harness.merchant.id, memberId: session.memberId },
            ...{ zone: harness.merchant.zone, rule: RULE },
            heldWinId: () => mintId("heldWin", harness.clock.now(), systemEntropy.bytes(16)),
          },
        ),
      );
      return held === null ? 0n : amount;
    },

    async wallet() {
      const { balance, held } = (await harness.ledger.balance(account)) ?? {
        balance: 0n,
        held: 0n,
      };
      return { available: balance - held, held };
    },

    waiting: () => waitingOf(session),

    /** An operator's word on the win that waits longest, if there is one. */
    async decide(word: "release" | "refuse") {
      const { first } = await waitingOf(session);
      if (first === null) return "ok";
      const decided =
        word === "release"
          ? await wins.release(harness.brand(), ana, first)
          : await wins.refuse(harness.brand(), ana, first, "no such win");
      return codeOf(decided);
    },

    /** Rounds, and the day, that paid more without an operator than they may, by the entries. */
    async beyond(
      rule: Pick<VendorRule, "roundPayoutMaxMinor" | "roundPayoutMaxStakes" | "dayPayoutMaxMinor">,
    ): Promise<unknown[]> {
      const { rows } = await harness.db.pool.query<{ stake: bigint; paid: bigint; back: bigint }>(
        `SELECT coalesce(-sum(amount) FILTER (WHERE kind IN ('bet', 'refund')), 0)::bigint AS stake,
           coalesce(sum(amount) FILTER (WHERE kind = 'win'), 0)::bigint
             - coalesce(sum(held_change) FILTER (WHERE kind = 'win-hold'), 0)::bigint AS paid,
           coalesce(-sum(amount) FILTER (WHERE kind = 'win-reversal' AND resolves IS NULL), 0)::bigint
             AS back
         FROM ledger_entries WHERE lane = $1 AND account_id = $2 AND counter_account = $3
         GROUP BY ref`,
        [account.lane, account.id, `vendor:${vendor}`],
      );
      const ofRounds = rows.filter(
        ({ stake, paid, back }) =>
          paid - back > rule.roundPayoutMaxMinor ||
          paid - back > stake * BigInt(rule.roundPayoutMaxStakes),
      );
      const day = rows.reduce((sum, { paid }) => sum + paid, 0n);
      return [...ofRounds, ...(day > rule.dayPayoutMaxMinor ? [{ day }] : [])];
    },
  };
}

function said(answer: Parameters<typeof codeOf>[0]) {
  const code = codeOf(answer);
  if (!answer.ok) return code;
  // A wallet call's own answer.
  return (answer.value as { repeated: boolean }).repeated ? "repeated" : "ok";
}

/** The player's wins that wait, their sum, and the one that waits longest. */
async function waitingOf(session: Session) {
  const { rows } = await harness.db.pool.query<{ id: string; amount_minor: bigint }>(
    `SELECT id, amount_minor FROM held_wins WHERE member_id = $1 AND state IN ('held', 'marked')
     ORDER BY held_at, id`,
    [session.memberId],
  );
  return {
    held: rows.reduce((sum, row) => sum + row.amount_minor, 0n),
    first: rows[0]?.id ?? null,
  };
}

/** As a vendor does whose call is answered busy: so many at one wallet may wait for long. */
async function untilServed<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
    }
  }
}
