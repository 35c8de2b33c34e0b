import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  availableOf,
  freshSeed,
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
} from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { type Account, accountOf } from "../ledger/ledger.ts";
import { VendorWallet } from "./vendor-wallet.ts";
import type { Bet, Rollback, Win } from "./wallet-calls.ts";

/** These tests are not about bounds. */
const TAKE_BACK = { rollbackAfterWin: "take_back" as const, roundPayoutMaxStakes: 1_000_000 };

const clock = manualClock();

const db = await databaseOfFile();
const ledger = ledgerOfFile(db);
const otherLedger = ledgerOfFile(db);
const wallet = new VendorWallet(db.pool, ledger, clock);
/** The same wallets through another process. */
const other = new VendorWallet(db.pool, otherLedger, clock);
const merchant = await makeBrand(db.pool, clock);

afterAll(async () => {
  // After every test the books are sound.
  expect(await ledger.verify()).toEqual([]);
});

describe("the vendor wallet", () => {
  it("takes a bet and pays its win, and knows the round of both", async () => {
    const account = await player(1_000n);
    expect(await wallet.bet(bet(account, "b1", 300n))).toMatchObject(moved(700n));
    expect(await round(account)).toMatchObject({ state: "open", stake: 300n, payout: 0n });
    expect(await wallet.win(win(account, "w1", "b1", 450n))).toMatchObject(moved(1_150n));
    expect(await round(account)).toMatchObject({ state: "settled", stake: 300n, payout: 450n });
  });

  it("takes a bet and its known win in one step, once, and settles the round", async () => {
    const account = await player(1_000n);
    const call = [bet(account, "b1", 300n), { transactionId: "w1", amount: 450n }] as const;
    const first = taken(await wallet.betAndWin(...call));
    expect(first).toMatchObject({ available: 1_150n, repeated: false });
    expect(taken(await other.betAndWin(...call))).toEqual({ ...first, repeated: true });
    expect(await round(account)).toMatchObject({ state: "settled", stake: 300n, payout: 450n });
    const dearer = { transactionId: "w1", amount: 451n };
    expect(await other.betAndWin(bet(account, "b1", 300n), dearer)).toMatchObject(
      refused("id_reused"),
    );
    const short = await wallet.betAndWin(bet(account, "b2", 1_151n), {
      transactionId: "w2",
      amount: 9_999n,
    });
    expect(short).toMatchObject(refused("insufficient_funds"));
    const blocked = { ...bet(account, "b3", 1n), blocked: true };
    expect(await wallet.betAndWin(blocked, { transactionId: "w3", amount: 9n })).toMatchObject(
      refused("member_blocked"),
    );
    expect(taken(await wallet.betAndWin({ ...call[0], blocked: true }, call[1]))).toMatchObject({
      repeated: true,
    });
  });

  it("adds no win to a bet that exists without it, nor a bet to a win's id", async () => {
    const account = await player(1_000n);
    await wallet.bet(bet(account, "b1", 300n));
    const win1 = { transactionId: "w1", amount: 450n };
    expect(await other.betAndWin(bet(account, "b1", 300n), win1)).toMatchObject(
      refused("id_reused"),
    );
    await wallet.rollback(rollback(account, "r9", "b9", 300n));
    expect(
      await other.betAndWin(bet(account, "b9", 300n), { transactionId: "w9", amount: 450n }),
    ).toMatchObject(refused("rolled_back"));
    expect((await wallet.balance(account))?.available).toBe(700n);
  });

  it("answers a repeated bet, win and rollback as before and moves money once", async () => {
    const account = await player(1_000n);
    const calls = [
      (w: VendorWallet) => w.bet(bet(account, "b1", 300n)),
      (w: VendorWallet) => w.bet(bet(account, "b2", 50n)),
      (w: VendorWallet) => w.rollback(rollback(account, "r2", "b2", 50n)),
      (w: VendorWallet) => w.win(win(account, "w1", "b1", 100n)),
    ];
    const first = [];
    for (const call of calls) first.push(taken(await call(wallet)));
    for (const process of [wallet, other]) {
      for (const [i, call] of calls.entries()) {
        expect(taken(await call(process))).toEqual({ ...first[i], repeated: true });
      }
    }
    expect(await availableOf(ledger, account)).toBe(800n);
    expect(await round(account)).toMatchObject({ stake: 300n, payout: 100n });
  });

  it("answers the repeat of an all-in bet as before, also in another process", async () => {
    const account = await player(500n);
    const first = taken(await wallet.bet(bet(account, "b1", 500n)));
    expect(taken(await other.bet(bet(account, "b1", 500n)))).toEqual({ ...first, repeated: true });
  });

  it("refuses a known transaction id with other content", async () => {
    const account = await player(1_000n);
    await wallet.bet(bet(account, "b1", 300n));
    await wallet.win(win(account, "w1", "b1", 10n));
    expect(await wallet.bet(bet(account, "b1", 301n))).toMatchObject(refused("id_reused"));
    const elsewhere = { ...bet(account, "b1", 300n), roundId: "another" };
    expect(await wallet.bet(elsewhere)).toMatchObject(refused("id_reused"));
    expect(await wallet.win(win(account, "w1", "b1", 11n))).toMatchObject(refused("id_reused"));
    expect(await wallet.win(win(account, "b1", "b1", 300n))).toMatchObject(refused("id_reused"));
    expect(await availableOf(ledger, account)).toBe(710n);
  });

  it("refuses a bet above what is there and leaves no round behind", async () => {
    const account = await player(100n);
    expect(await wallet.bet(bet(account, "b1", 101n))).toMatchObject(refused("insufficient_funds"));
    expect(await round(account)).toBeUndefined();
  });

  it("refuses a win without its bet, and another player's bet does not count", async () => {
    const [account, neighbour] = [await player(100n), await player(100n)];
    await wallet.bet(bet(neighbour, "theirs", 10n));
    const stray = win(account, "w", "nothing", 50n);
    expect(await wallet.win(stray)).toMatchObject(refused("bet_missing"));
    const theirs = { ...stray, betTransactionId: idOf(neighbour, "theirs") };
    expect(await wallet.win(theirs)).toMatchObject(refused("bet_missing"));
    expect(await availableOf(ledger, account)).toBe(100n);
  });

  it("gives a rolled-back bet back once, and refuses its win", async () => {
    const account = await player(1_000n);
    await wallet.bet(bet(account, "b1", 300n));
    expect(await wallet.rollback(rollback(account, "r1", "b1", 300n))).toMatchObject(moved(1_000n));
    expect(await round(account)).toMatchObject({ state: "voided", stake: 0n });
    expect(await wallet.rollback(rollback(account, "r2", "b1", 300n))).toMatchObject(
      refused("rolled_back"),
    );
    expect(await wallet.win(win(account, "w1", "b1", 900n))).toMatchObject(refused("rolled_back"));
    expect(await availableOf(ledger, account)).toBe(1_000n);
  });

  it("refuses a rollback of another amount than the bet's", async () => {
    const account = await player(1_000n);
    await wallet.bet(bet(account, "b1", 300n));
    for (const amount of [299n, 301n]) {
      expect(await wallet.rollback(rollback(account, `r ${amount}`, "b1", amount))).toMatchObject(
        refused("id_reused"),
      );
    }
    expect(await availableOf(ledger, account)).toBe(700n);
  });

  it("rolls back only the bet that is named if a round has two", async () => {
    const account = await player(1_000n);
    await wallet.bet(bet(account, "b1", 300n));
    await wallet.bet(bet(account, "b2", 200n));
    await wallet.rollback(rollback(account, "r1", "b1", 300n));
    expect(await round(account)).toMatchObject({ state: "open", stake: 200n });
    expect(await wallet.win(win(account, "w2", "b2", 400n))).toMatchObject(moved(1_200n));
    expect(await round(account)).toMatchObject({ state: "settled", stake: 200n, payout: 400n });
  });

  it("buries a rollback that came before its bet: the late bet is refused, in any process", async () => {
    const account = await player(1_000n);
    const early = rollback(account, "r1", "b1", 300n);
    expect(await wallet.rollback(early)).toMatchObject({
      ok: true,
      value: { available: 1_000n, buried: true, repeated: false },
    });
    expect(await wallet.rollback(early)).toMatchObject({
      ok: true,
      value: { available: 1_000n, buried: true, repeated: true },
    });
    for (const process of [wallet, other]) {
      expect(await process.bet(bet(account, "b1", 300n))).toMatchObject(refused("rolled_back"));
    }
    expect(await wallet.win(win(account, "w1", "b1", 10n))).toMatchObject(refused("bet_missing"));
    expect(await availableOf(ledger, account)).toBe(1_000n);
  });

  it("settles the race of a bet and its rollback without keeping the stake", async () => {
    const account = await player(10_000n);
    for (let i = 0; i < 20; i++) {
      const id = `race ${i}`;
      const [placed, undone] = await Promise.all([
        wallet.bet(bet(account, id, 100n)),
        other.rollback(rollback(account, `undo ${id}`, id, 100n)),
      ]);
      expect(undone.ok).toBe(true);
      const buried = undone.ok && undone.value.buried;
      expect(placed.ok ? "taken" : placed.error.code).toBe(buried ? "rolled_back" : "taken");
      expect(await availableOf(ledger, account)).toBe(10_000n);
    }
  });

  it("refuses a blocked player's bets, and still takes their wins and rollbacks", async () => {
    const account = await player(1_000n);
    const before = taken(await wallet.bet(bet(account, "b1", 100n)));
    await wallet.bet(bet(account, "b2", 100n));
    const blocked = (id: string) => wallet.bet({ ...bet(account, id, 100n), blocked: true });
    expect(await blocked("b3")).toMatchObject(refused("member_blocked"));
    expect(taken(await blocked("b1"))).toEqual({ ...before, repeated: true });
    expect(await wallet.win(win(account, "w1", "b1", 250n))).toMatchObject(moved(1_050n));
    expect(await wallet.rollback(rollback(account, "r2", "b2", 100n))).toMatchObject(moved(1_150n));
  });

  it("keeps the transaction ids of two vendors apart", async () => {
    const account = await player(1_000n);
    await wallet.bet(bet(account, "same", 100n, HOUSE_VENDOR));
    expect(await wallet.bet(bet(account, "same", 250n, "JILI"))).toMatchObject(moved(650n));
    const stray = { ...win(account, "w", "same", 5n), vendor: "LRO" };
    expect(await wallet.win(stray)).toMatchObject(refused("bet_missing"));
    await wallet.rollback(rollback(account, "r", "same", 100n, HOUSE_VENDOR));
    expect(await round(account, HOUSE_VENDOR)).toMatchObject({ state: "voided" });
    expect(await round(account, "JILI")).toMatchObject({ state: "open", stake: 250n });
    expect(await availableOf(ledger, account)).toBe(750n);
  });

  it("answers the balance of an open wallet, and null for one that is not", async () => {
    const account = await player(1_000n);
    await wallet.bet(bet(account, "b1", 400n));
    expect(await wallet.balance(account)).toEqual({ available: 600n, version: 2n });
    expect(await wallet.balance(accountOf("mem_nobody", "PHP"))).toBeNull();
  });

  it("refuses the rollback of a bet that has won, and the win stays", async () => {
    const account = await player(1_000n);
    await wallet.bet(bet(account, "b1", 300n));
    await wallet.win(win(account, "w1", "b1", 900n));
    for (let i = 0; i < 2; i++) {
      expect(await wallet.rollback(rollback(account, "r1", "b1", 300n))).toMatchObject(
        refused("win_stands"),
      );
    }
    expect(await round(account)).toMatchObject({ state: "settled", stake: 300n, payout: 900n });
    expect(await availableOf(ledger, account)).toBe(1_600n);
  });

  it("takes a paid win back with its bet if the vendor's rule says so, once", async () => {
    const account = await player(1_000n);
    await wallet.bet(bet(account, "b1", 300n));
    await wallet.win(win(account, "w1", "b1", 900n));
    const undo = { ...rollback(account, "r1", "b1", 300n), rule: TAKE_BACK };
    const first = taken(await wallet.rollback(undo));
    expect(first).toMatchObject({ available: 1_000n, repeated: false });
    for (const process of [wallet, other]) {
      expect(taken(await process.rollback(undo))).toEqual({ ...first, repeated: true });
    }
    expect(await round(account)).toMatchObject({ state: "voided", stake: 0n, payout: 0n });
    expect(await wallet.win(win(account, "w2", "b1", 900n))).toMatchObject(refused("rolled_back"));
  });

  it("moves nothing if the win that is to be taken back is spent", async () => {
    const account = await player(300n);
    await wallet.bet(bet(account, "b1", 300n));
    await wallet.win(win(account, "w1", "b1", 900n));
    await wallet.bet({ ...bet(account, "b2", 700n), roundId: "aside" });
    const undo = { ...rollback(account, "r1", "b1", 300n), rule: TAKE_BACK };
    expect(await wallet.rollback(undo)).toMatchObject(refused("insufficient_funds"));
    expect(await availableOf(ledger, account)).toBe(200n);
    // The money came back: the same rollback, sent again, is taken.
    await wallet.rollback({ ...rollback(account, "r2", "b2", 700n), roundId: "aside" });
    expect(taken(await wallet.rollback(undo)).available).toBe(300n);
  });

  it("settles the race of wins and a rollback that takes them back", async () => {
    for (let i = 0; i < 10; i++) {
      const account = await player(1_000n);
      await wallet.bet(bet(account, "b1", 100n));
      const undo = { ...rollback(account, "r1", "b1", 100n), rule: TAKE_BACK };
      const wins = [1n, 2n, 3n, 4n].map((n) =>
        wallet.win({ ...win(account, `w${n}`, "b1", n), closesRound: false }),
      );
      const [undone] = await Promise.all([other.rollback(undo), ...wins]);
      expect(undone.ok).toBe(true);
      expect(await availableOf(ledger, account)).toBe(1_000n);
      expect(await round(account)).toMatchObject({ state: "voided", stake: 0n, payout: 0n });
    }
  });

  for (const afterWin of ["refuse", "take_back"] as const) {
    const rule = { ...TAKE_BACK, rollbackAfterWin: afterWin };
    it(`ends up as its model does after any order of calls through two processes: ${afterWin}`, async () => {
      const call = fc.record({
        does: fc.constantFrom("bet" as const, "win" as const, "rollback" as const),
        bet: fc.constantFrom("t1", "t2", "t3"),
        amount: fc.constantFrom(100n, 400n, 700n),
        blocked: fc.boolean(),
        via: fc.nat(1),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 25 }), async (calls) => {
          const account = await player(1_000n);
          const model = new ModelWallet(1_000n, afterWin);
          for (const { does, bet: id, amount, blocked, via } of calls) {
            const to = via === 0 ? wallet : other;
            const roundId = roundOf(id);
            const answered = await {
              bet: () => to.bet({ ...bet(account, id, amount), roundId, blocked }),
              win: () => to.win({ ...win(account, `win ${id}`, id, amount), roundId }),
              rollback: () =>
                to.rollback({ ...rollback(account, `undo ${id}`, id, amount), roundId, rule }),
            }[does]();
            const said = answered.ok ? answered.value.available : answered.error.code;
            expect(said).toEqual(model[does](id, amount, blocked));
          }
          expect(await availableOf(ledger, account)).toBe(model.balance);
        }),
        { numRuns: 40, seed: freshSeed(`vendor wallet, ${afterWin}`) },
      );
      expect(await ledger.verify()).toEqual([]);
    });
  }
});

/** Two bets share a round, the third has one of its own. */
function roundOf(id: string): string {
  return id === "t3" ? "aside" : "round";
}

interface ModelRound {
  stake: bigint;
  state: "open" | "settled" | "voided";
}

/** The rules of the wallet calls for one player, in memory; answers the balance or a refusal. */
class ModelWallet {
  balance: bigint;
  readonly #afterWin: "refuse" | "take_back";
  readonly #rounds = new Map<string, ModelRound>();
  readonly #bets = new Map<string, { amount: bigint; answer: bigint } | "buried">();
  readonly #wins = new Map<string, { amount: bigint; answer: bigint }>();
  readonly #undone = new Map<string, { amount: bigint; answer: bigint }>();
  readonly #burials = new Map<string, bigint>();

  constructor(balance: bigint, afterWin: "refuse" | "take_back") {
    this.balance = balance;
    this.#afterWin = afterWin;
  }

  #round(id: string): ModelRound {
    const name = roundOf(id);
    const found = this.#rounds.get(name) ?? { stake: 0n, state: "open" };
    this.#rounds.set(name, found);
    return found;
  }

  bet(id: string, amount: bigint, blocked: boolean): bigint | string {
    const existing = this.#bets.get(id);
    if (existing === "buried") return "rolled_back";
    if (existing !== undefined) return existing.amount === amount ? existing.answer : "id_reused";
    if (blocked) return "member_blocked";
    if (amount > this.balance) return "insufficient_funds";
    const round = this.#round(id);
    if (round.state === "settled") return "round_over";
    round.state = "open";
    round.stake += amount;
    this.balance -= amount;
    this.#bets.set(id, { amount, answer: this.balance });
    return this.balance;
  }

  win(id: string, amount: bigint): bigint | string {
    const before = this.#wins.get(id);
    if (before !== undefined) return before.amount === amount ? before.answer : "id_reused";
    const bet = this.#bets.get(id);
    if (bet === undefined || bet === "buried") return "bet_missing";
    if (this.#undone.has(id)) return "rolled_back";
    const round = this.#round(id);
    if (round.state === "settled") return "round_over";
    round.state = "settled";
    this.balance += amount;
    this.#wins.set(id, { amount, answer: this.balance });
    return this.balance;
  }

  rollback(id: string, amount: bigint): bigint | string {
    const bet = this.#bets.get(id);
    if (bet === undefined || bet === "buried") {
      this.#bets.set(id, "buried");
      const answer = this.#burials.get(id) ?? this.balance;
      this.#burials.set(id, answer);
      return answer;
    }
    if (bet.amount !== amount) return "id_reused";
    const before = this.#undone.get(id);
    if (before !== undefined) return before.answer;
    const round = this.#round(id);
    const won = this.#wins.get(id)?.amount ?? 0n;
    if (won > 0n && this.#afterWin === "refuse") return "win_stands";
    if (this.balance + amount < won) return "insufficient_funds";
    this.balance += amount - won;
    round.stake -= amount;
    if (round.stake === 0n) round.state = "voided";
    this.#undone.set(id, { amount, answer: this.balance });
    return this.balance;
  }
}

async function player(balance: bigint): Promise<Account> {
  const session = await makeMember({ pool: db.pool, ledger, clock }, merchant, { balance });
  return accountOf(session.memberId, session.currency);
}

/** An id shared by several accounts would be a vendor's fault, so each account has its own. */
function idOf(account: Account, id: string): string {
  return `${account.id} ${id}`;
}

function bet(account: Account, id: string, amount: bigint, vendor = HOUSE_VENDOR): Bet {
  return {
    account,
    vendor,
    transactionId: idOf(account, id),
    roundId: "round",
    amount,
    merchantId: merchant.id,
    gameId: "game",
    blocked: false,
  };
}

function win(account: Account, id: string, betId: string, amount: bigint): Win {
  return {
    account,
    vendor: HOUSE_VENDOR,
    transactionId: idOf(account, id),
    roundId: "round",
    amount,
    betTransactionId: idOf(account, betId),
    closesRound: true,
  };
}

function rollback(
  account: Account,
  id: string,
  betId: string,
  amount: bigint,
  vendor = HOUSE_VENDOR,
): Rollback {
  const { closesRound: _, ...call } = win(account, id, betId, amount);
  return { ...call, vendor };
}

async function round(account: Account, vendor = HOUSE_VENDOR) {
  const { rows } = await db.pool.query(
    `SELECT state, stake_minor AS stake, payout_minor AS payout FROM vendor_rounds
     WHERE lane = $1 AND account_id = $2 AND vendor = $3`,
    [account.lane, account.id, vendor],
  );
  return rows[0];
}

function moved(available: bigint) {
  return { ok: true, value: { available, repeated: false, buried: false } };
}

function refused(code: string) {
  return { ok: false, error: { code } };
}

function taken<T>(result: { ok: true; value: T } | { ok: false; error: { code: string } }): T {
  if (!result.ok) throw new Error(`refused: ${result.error.code}`);
  return result.value;
}
