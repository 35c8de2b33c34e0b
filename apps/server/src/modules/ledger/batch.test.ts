import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AccountState, entryName, planBatch, type StoredEntry } from "./batch.ts";
import { accountOf } from "./ledger.ts";
import type { EntryKind, Movement } from "./movement.ts";

const AT = Date.UTC(2026, 2, 6);
const maria = accountOf("mem_maria", "PHP");
const jun = accountOf("mem_jun", "PHP");

describe("a planned batch", () => {
  it("takes a later, smaller bet that fits after it refused a bigger one", () => {
    const plan = planBatch([take("big", 900n), take("small", 300n)], wallets(500n), new Map());
    expect(codes(plan)).toEqual(["insufficient_funds", "ok"]);
    expect(
      plan.entries.map((entry) => [entry.movement.key, entry.seq, entry.balanceAfter]),
    ).toEqual([["small", 1n, 200n]]);
  });

  it("lets movements of one account see one another in the order they were queued", () => {
    const plan = planBatch(
      [take("bet", 500n), give("win", 800n), take("next", 700n), take("more", 200n)],
      wallets(500n),
      new Map(),
    );
    expect(codes(plan)).toEqual(["ok", "ok", "ok", "insufficient_funds"]);
    expect(plan.entries.map((entry) => entry.balanceAfter)).toEqual([0n, 800n, 100n]);
    expect(plan.entries.map((entry) => entry.seq)).toEqual([1n, 2n, 3n]);
  });

  it("answers a repeat within the batch as the first and makes one entry", () => {
    const plan = planBatch([take("bet", 100n), take("bet", 100n)], wallets(500n), new Map());
    expect(plan.entries).toHaveLength(1);
    const [first, again] = plan.outcomes;
    expect(first).toMatchObject({ ok: true, value: { repeated: false, balanceAfter: 400n } });
    expect(again).toMatchObject({ ok: true, value: { repeated: true, balanceAfter: 400n } });
  });

  it("refuses a known key with other content, whichever part differs", () => {
    const stands = take("bet", 100n);
    const others: Movement[] = [
      { ...stands, amount: -101n },
      { ...stands, heldChange: 1n },
      { ...stands, kind: "refund" },
      { ...stands, counterAccount: "house:other" },
      { ...stands, ref: "another" },
      { ...stands, resolves: "hold" },
    ];
    const plan = planBatch([stands, ...others], wallets(5_000n), new Map());
    expect(codes(plan)).toEqual(["ok", ...others.map(() => "key_reused")]);
    expect(plan.entries).toHaveLength(1);
  });

  it("refuses a wallet that is not open, and no other movement with it", () => {
    const stranger = accountOf("mem_nobody", "PHP");
    const plan = planBatch(
      [{ ...take("bet", 1n), account: stranger }, take("bet", 1n)],
      wallets(10n),
      new Map(),
    );
    expect(codes(plan)).toEqual(["account_missing", "ok"]);
    expect(plan.accounts.map((account) => account.id)).toEqual([maria.id]);
  });

  it("refuses what has lapsed, whatever the wallet holds, and answers a repeat of it as before", () => {
    const late = take("late", 600n);
    const again = take("bet", 100n);
    const lapsed = new Set([late, again]);
    const plan = planBatch(
      [late, again, take("next", 500n)],
      wallets(500n),
      stored(again, false),
      lapsed,
    );
    expect(codes(plan)).toEqual(["lapsed", "ok", "ok"]);
    expect(plan.entries.map((entry) => entry.movement.key)).toEqual(["next"]);
  });

  it("keeps held money out of reach of a debit", () => {
    const plan = planBatch([hold("hold", 400n), take("bet", 200n)], wallets(500n), new Map());
    expect(codes(plan)).toEqual(["ok", "insufficient_funds"]);
  });

  it("ends a hold once: the second end is refused, in one batch and over two", () => {
    const post = end("post", "hold", 400n, -400n);
    const undo = end("void", "hold", 400n, 0n);
    const plan = planBatch([hold("hold", 400n), post, undo], wallets(500n), new Map());
    expect(codes(plan)).toEqual(["ok", "ok", "target_resolved"]);

    const later = planBatch([undo], wallets(500n, 400n), stored({ ...hold("hold", 400n) }, true));
    expect(codes(later)).toEqual(["target_resolved"]);
  });

  it("gives back from a hold no more and no less than was held", () => {
    for (const amount of [399n, 401n]) {
      const plan = planBatch(
        [hold("hold", 400n), end("void", "hold", amount, 0n)],
        wallets(5_000n, 1_000n),
        new Map(),
      );
      expect(codes(plan)).toEqual(["ok", "amount_differs"]);
    }
  });

  it("refunds what an entry took, and never a hold", () => {
    const refund = (amount: bigint) => ({ ...give("refund", amount), resolves: "bet" });
    const over = planBatch([take("bet", 100n), refund(101n)], wallets(500n), new Map());
    expect(codes(over)).toEqual(["ok", "amount_differs"]);
    const right = planBatch([take("bet", 100n), refund(100n)], wallets(500n), new Map());
    expect(codes(right)).toEqual(["ok", "ok"]);
    const held = planBatch(
      [hold("bet", 100n), refund(100n), end("post", "bet", 100n, -100n)],
      wallets(500n),
      new Map(),
    );
    expect(codes(held)).toEqual(["ok", "amount_differs", "ok"]);
  });

  it("posts nothing against an entry that is no hold, and gives nothing held back for it", () => {
    for (const moves of [-100n, 100n]) {
      const plan = planBatch(
        [take("bet", 100n), end("post", "bet", 100n, moves)],
        wallets(500n, 300n),
        new Map(),
      );
      expect(codes(plan)).toEqual(["ok", "amount_differs"]);
    }
  });

  it("ends, and pays for, only entries of the same matter, and pays a win only for a bet", () => {
    const bet = { ...take("bet", 100n), ref: "round" };
    const given = { ...give("given", 100n), ref: "round" };
    for (const named of [{ resolves: "bet" }, { requires: "bet" }]) {
      const right = { ...given, ...named };
      const wrong = [
        { ...right, ref: "another" },
        { ...right, counterAccount: "house:other" },
      ];
      const plan = planBatch([bet, ...wrong, right], wallets(500n), new Map());
      expect(codes(plan)).toEqual(["ok", "target_differs", "target_differs", "ok"]);
    }
    for (const stands of [give("bet", 100n), hold("bet", 100n)]) {
      const win = { ...give("win", 100n), requires: "bet" };
      const plan = planBatch([stands, win], wallets(500n), new Map());
      expect(codes(plan)).toEqual(["ok", "target_differs"]);
    }
  });

  it("treats the key null as any other", () => {
    const undone = { ...take("more", 1n), followedBy: take("too much", 900n) };
    const plan = planBatch(
      [
        ...[take("bet", 1n), hold("null", 400n), end("post", "null", 400n, -400n), undone],
        end("void", "null", 400n, 0n),
      ],
      wallets(800n),
      new Map(),
    );
    expect(codes(plan)).toEqual(["ok", "ok", "ok", "insufficient_funds", "target_resolved"]);
  });

  it("throws on a movement in another currency than its account's", () => {
    const other = { ...take("bet", 1n), account: { ...maria, currency: "FUN" as const } };
    expect(() => planBatch([other], wallets(500n), new Map())).toThrow(/keeps its currency/);
  });

  it("demands that the required entry exists and has not been ended", () => {
    const win = { ...give("win", 100n), requires: "bet" };
    expect(codes(planBatch([win], wallets(0n), new Map()))).toEqual(["target_missing"]);
    const buried = stored({ ...take("bet", 0n), amount: 0n, kind: "tombstone" }, false);
    expect(codes(planBatch([win], wallets(0n), buried))).toEqual(["target_missing"]);
    const rolledBack = stored(take("bet", 100n), true);
    expect(codes(planBatch([win], wallets(0n), rolledBack))).toEqual(["target_resolved"]);
    const stands = stored(take("bet", 100n), false);
    expect(codes(planBatch([win], wallets(0n), stands))).toEqual(["ok"]);
  });

  it("takes a movement and its follower together, and answers with the follower", () => {
    const pair = { ...take("bet", 500n), followedBy: give("win", 800n) };
    const plan = planBatch([pair, pair, take("next", 800n)], wallets(500n), new Map());
    expect(codes(plan)).toEqual(["ok", "ok", "ok"]);
    expect(plan.outcomes[0]).toMatchObject({ value: { seq: 2n, balanceAfter: 800n } });
    expect(plan.outcomes[1]).toMatchObject({ value: { seq: 2n, repeated: true } });
    expect(plan.entries.map((entry) => entry.movement.key)).toEqual(["bet", "win", "next"]);
    expect(plan.entries.map((entry) => entry.balanceAfter)).toEqual([0n, 800n, 0n]);
  });

  it("leaves no trace of a pair whose first is refused, or of which only one would be new", () => {
    const pair = { ...take("bet", 100n), followedBy: give("win", 300n) };
    const short = planBatch([pair], wallets(99n), new Map());
    expect(codes(short)).toEqual(["insufficient_funds"]);
    const cases: [Movement, Movement][] = [
      // The bet exists and lost: its win must not be added afterwards.
      [take("bet", 100n), pair],
      // The win's key belongs to another entry.
      [give("win", 1n), pair],
      [pair, { ...pair, followedBy: give("win", 301n) }],
    ];
    for (const [stands, then] of cases) {
      const plan = planBatch([stands, then], wallets(500n), new Map());
      expect(codes(plan)).toEqual(["ok", "key_reused"]);
      const alone = planBatch([stands], wallets(500n), new Map());
      expect(plan.entries).toEqual(alone.entries);
      expect(plan.accounts).toEqual(alone.accounts);
    }
  });

  it("frees what an undone movement had ended", () => {
    const post = { ...end("post", "hold", 400n, -400n), followedBy: take("more", 200n) };
    const undo = end("void", "hold", 400n, 0n);
    const plan = planBatch([hold("hold", 400n), post, undo], wallets(500n), new Map());
    expect(codes(plan)).toEqual(["ok", "insufficient_funds", "ok"]);
    expect(plan.accounts).toMatchObject([{ balance: 500n, held: 0n, seq: 2n }]);
  });

  it("never goes below zero, never holds more than there is, and sums to what it did", () => {
    const kinds: EntryKind[] = ["bet", "win", "hold", "void"];
    const movement = fc.record({
      who: fc.constantFrom(maria, jun),
      key: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      amount: fc.bigInt({ min: -600n, max: 600n }),
      heldChange: fc.bigInt({ min: -300n, max: 300n }),
      kind: fc.constantFrom(...kinds),
      resolves: fc.option(fc.constantFrom("a", "b", "c"), { nil: null }),
    });
    const start = fc.record({ maria: fc.bigInt({ min: 0n, max: 900n }), held: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(movement, { maxLength: 30 }), start, (drawn, opening) => {
        const held = BigInt(opening.held) < opening.maria ? BigInt(opening.held) : 0n;
        const accounts = wallets(opening.maria, held);
        const before = new Map([...accounts].map(([id, { balance }]) => [id, balance]));
        const heldBefore = new Map([...accounts].map(([id, state]) => [id, state.held]));
        const movements = drawn.map(({ who, ...rest }) => ({
          ...give(rest.key, 0n),
          ...rest,
          account: who,
        }));
        const plan = planBatch(movements, accounts, new Map());
        expect(plan.outcomes).toHaveLength(movements.length);
        for (const state of accounts.values()) {
          expect(state.balance >= 0n && state.held >= 0n && state.held <= state.balance).toBe(true);
          const own = plan.entries.filter((entry) => entry.movement.account.id === state.id);
          expect(own.map((entry) => entry.seq)).toEqual(own.map((_, i) => BigInt(i + 1)));
          const moved = own.reduce((sum, entry) => sum + entry.movement.amount, 0n);
          expect(state.balance).toBe((before.get(state.id) ?? 0n) + moved);
          const heldMoved = own.reduce((sum, entry) => sum + entry.movement.heldChange, 0n);
          expect(state.held).toBe((heldBefore.get(state.id) ?? 0n) + heldMoved);
          expect(new Set(own.map((entry) => entry.movement.key)).size).toBe(own.length);
          const ends = own.flatMap(({ movement: { resolves } }) => resolves ?? []);
          expect(new Set(ends).size).toBe(ends.length);
          expect(state.touched).toBe(own.length > 0);
        }
      }),
    );
  });
});

function give(key: string, amount: bigint): Movement {
  return {
    account: maria,
    key,
    amount,
    heldChange: 0n,
    counterAccount: "house:test",
    kind: "win",
    ref: null,
    resolves: null,
    requires: null,
    at: AT,
    effects: [],
    followedBy: null,
    hasLapsed: null,
  };
}

function take(key: string, amount: bigint): Movement {
  return { ...give(key, -amount), kind: "bet" };
}

function hold(key: string, amount: bigint): Movement {
  return { ...give(key, 0n), heldChange: amount, kind: "hold" };
}

function end(key: string, resolves: string, amount: bigint, moves: bigint): Movement {
  return { ...give(key, moves), heldChange: -amount, kind: "void", resolves };
}

/** Maria's wallet with the given balance, and Jun's with 100. */
function wallets(balance: bigint, held = 0n): Map<string, AccountState> {
  const state = (account: typeof maria, amount: bigint, part: bigint): AccountState => ({
    ...account,
    balance: amount,
    held: part,
    seq: 0n,
    touched: false,
  });
  return new Map([
    [maria.id, state(maria, balance, held)],
    [jun.id, state(jun, 100n, 0n)],
  ]);
}

function stored(movement: Movement, resolved: boolean): Map<string, StoredEntry> {
  const { account, key, amount, heldChange, counterAccount, kind, ref, resolves, at } = movement;
  const receipt = { seq: 1n, amount, balanceAfter: 0n, heldAfter: 0n, kind, at };
  const entry = { accountId: account.id, key, receipt, heldChange, counterAccount, ref, resolves };
  return new Map([[entryName(account.id, key), { ...entry, resolved }]]);
}

function codes({ outcomes }: ReturnType<typeof planBatch>): string[] {
  return outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.error.code));
}
