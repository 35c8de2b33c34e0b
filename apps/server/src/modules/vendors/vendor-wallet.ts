import type { HoldReason } from "@perya/contract/operator-wins";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { assert } from "@perya/kernel/assert";
import type { Clock, Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import {
  type Account,
  type Effect,
  EffectMissed,
  type Ledger,
  type LedgerRefusal,
  LedgerUnavailable,
  type Outcome,
} from "../ledger/ledger.ts";
import { countGame } from "./game-returns.store.ts";
import { insertHeldWin } from "./held-wins.store.ts";
import { counterOf, heldKeyOf, keyOf, reversalKeyOf } from "./vendor-keys.ts";
import { addWin, findRound, isOwnVendor, openRound, voidStake } from "./vendors.store.ts";
import type {
  Bet,
  BoundWinAnswer,
  Rollback,
  WalletAnswer,
  WalletCall,
  Win,
} from "./wallet-calls.ts";
import { payOfDay } from "./win-bounds.store.ts";
import {
  dayEffects,
  lookAtWin,
  type RoundBounds,
  roundBoundsOf,
  UNBOUND,
  type WinBounds,
} from "./win-bounds.ts";

/**
 * The wallet calls of game vendors: balance, bet, win, both at once, rollback. Our own game server
 * uses these same calls in-process. Rules:
 * - idempotent by vendor and transaction id: a repeat answers as before, the same id with other
 *   money or another round is refused (`id_reused`). `VendorSessions` stores and compares the rest
 *   of an outside vendor's call, and our own rooms compare the rows of their bets;
 * - a win needs its bet (`bet_missing`), one that was not rolled back (`rolled_back`) and is of the
 *   win's round (`bet_differs`), and so does a rollback;
 * - a settled round takes no bet and pays no win any more (`round_over`), and a round is of one
 *   game (`id_reused`);
 * - an outside vendor's win is paid within its bounds, by the conditions of the statements that
 * book
 *   it, or it is paid and held at once, so that the vendor is answered and the player cannot have
 *   it before an operator says so; its bet is not rolled back meanwhile (`win_stands`);
 * - a bet is not rolled back either if the round has paid too much for the stake that would
 *   remain (`win_stands`);
 * - a win of nothing ends its round, and all the above holds of it but the bounds: it pays nothing;
 * - a rollback before its bet leaves a tombstone, so that the late bet is refused;
 * - a blocked player may not bet, nor anyone if the game is closed, and both still receive
 *   wins and rollbacks;
 * - a rollback of a bet that has won is refused (`win_stands`), or takes back all that the bet won
 *   in the same step, as the vendor's rule says; if the wallet no longer holds that,
 *   nothing moves (`insufficient_funds`).
 */
export class VendorWallet {
  readonly #pool: pg.Pool;
  readonly #ledger: Ledger;
  readonly #clock: Clock;

  constructor(pool: pg.Pool, ledger: Ledger, clock: Clock) {
    this.#pool = pool;
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** Null if the wallet is not open. */
  async balance(account: Account): Promise<{ available: bigint; version: bigint } | null> {
    const found = await this.#ledger.balance(account);
    return found && { available: found.balance - found.held, version: found.seq };
  }

  async bet(bet: Bet): Promise<Result<WalletAnswer, Refusal>> {
    const refused = await this.#refusedAnew(bet);
    if (refused !== null) return refuse(refused);
    const at = this.#clock.now();
    return this.#unlessOver(bet, () =>
      this.#ledger.debit({
        ...movement(bet, bet.transactionId, at),
        kind: "bet",
        effects: [
          { statement: openRound, row: roundRow(bet, at, null) },
          countGame(bet, { bets: 1, staked: bet.amount }, at),
          ...effectsOf(bet),
        ],
      }),
    );
  }

  /**
   * A bet whose win the vendor knows already, as one step: both move or neither does, and the round
   * is settled with it. The answer is the wallet after the win.
   */
  async betAndWin(
    bet: Bet,
    win: { readonly transactionId: string; readonly amount: bigint },
  ): Promise<Result<WalletAnswer, Refusal>> {
    assert(isOwnVendor(bet.vendor), "an outside vendor's win is paid within its bounds");
    const refused = await this.#refusedAnew(bet);
    if (refused !== null) return refuse(refused);
    const at = this.#clock.now();
    const row = roundRow(bet, at, win.amount);
    return this.#unlessOver(bet, () =>
      this.#ledger.exchange(
        {
          ...movement(bet, bet.transactionId, at),
          kind: "bet",
          effects: [
            { statement: openRound, row },
            countGame(bet, { bets: 1, staked: bet.amount, paid: win.amount }, at),
            ...effectsOf(bet),
          ],
        },
        { ...movement({ ...bet, amount: win.amount }, win.transactionId, at), kind: "win" },
      ),
    );
  }

  /** Pays a win of the house's own games: their payouts are limited when the bets are taken. */
  async win(win: Win): Promise<Result<WalletAnswer, Refusal>> {
    assert(isOwnVendor(win.vendor), "an outside vendor's win is paid within its bounds");
    const at = this.#clock.now();
    return this.#unlessOver(win, () => this.#ledger.credit(creditOf(win, at, UNBOUND)));
  }

  /** Ends the round of an outside vendor's lost bet: its id is taken, and no money moves. */
  async endRound(win: Win): Promise<Result<WalletAnswer, Refusal>> {
    assert(win.amount === 0n && win.closesRound, "a win of nothing ends its round");
    const at = this.#clock.now();
    const { amount: _, ...taken } = movement(win, win.transactionId, at);
    return this.#unlessOver(win, () =>
      this.#ledger.bury({
        ...taken,
        requires: keyOf(win.vendor, win.betTransactionId),
        effects: [addToRound(win, at, UNBOUND), ...effectsOf(win)],
      }),
    );
  }

  /**
   * Pays an outside vendor's win, or pays and holds it if it is beyond the bounds. The transaction
   * that books it decides which: if the round or the day has changed since they were read, nothing
   * is booked and they are read anew.
   */
  async winWithin(win: Win, bounds: WinBounds): Promise<Result<BoundWinAnswer, Refusal>> {
    const at = this.#clock.now();
    for (let tries = 1; ; tries++) {
      const { reasons, over } = await lookAtWin(this.#pool, win, bounds, at);
      // Not before the first try: the ledger answers a repeat from before the round's end.
      if (over && tries > 1) return refuse(refusal("round_over"));
      try {
        if (reasons.length > 0) {
          const held = { id: bounds.heldWinId(), reasons };
          const outcome = await this.#payAndHold(win, bounds.memberId, held, at);
          const isTaken = !outcome.ok && outcome.error.code === "key_reused";
          if (!isTaken) return boundAnswer(outcome, held);
          // Perhaps paid before there was a reason: such a repeat is answered as any other.
        }
        const outcome = await this.#payWithin(win, bounds, at);
        const repeated = outcome.ok && outcome.value.repeated;
        // The wallet after a held win is the hold's.
        const hold = repeated ? await this.#ledger.find(win.account, heldKeyOf(win)) : null;
        return boundAnswer(hold === null ? outcome : ok({ ...hold, repeated: true }), null);
      } catch (error) {
        const missed = error instanceof EffectMissed && WIN_STATEMENTS.has(error.statement);
        if (!missed) throw error;
        if (tries === WIN_TRIES) throw new LedgerUnavailable(error.message, { cause: error });
      }
    }
  }

  #payWithin(win: Win, bounds: WinBounds, at: Instant): Promise<Outcome> {
    const given = creditOf(win, at, roundBoundsOf(win, bounds));
    const effects = [...given.effects, ...dayEffects(win, bounds, at)];
    return this.#ledger.credit({ ...given, effects });
  }

  #payAndHold(
    win: Win,
    memberId: string,
    { id, reasons }: { readonly id: string; readonly reasons: readonly HoldReason[] },
    at: Instant,
  ): Promise<Outcome> {
    const waiting = {
      ...roundKey(win),
      ...{ id, member_id: memberId, reasons, transaction_id: win.transactionId, at },
      ...{ bet_id: win.betTransactionId, amount_minor: win.amount.toString() },
    };
    return this.#ledger.creditAndHold(creditOf(win, at, UNBOUND), {
      ...movement(win, win.transactionId, at),
      key: heldKeyOf(win),
      kind: "win-hold",
      effects: [{ statement: insertHeldWin, row: waiting }],
    });
  }

  async rollback(rollback: Rollback): Promise<Result<WalletAnswer, Refusal>> {
    const ruled = rollback.rule !== undefined || isOwnVendor(rollback.vendor);
    assert(ruled, "an outside vendor's rollback has its rule");
    const at = this.#clock.now();
    const { account, vendor, roundId, betTransactionId, burialEffects } = rollback;
    // One id cannot be of a bet and of what undoes it.
    if (rollback.transactionId === betTransactionId) return refuse(refusal("id_reused"));
    const betKey = keyOf(vendor, betTransactionId);
    const bet = await this.#ledger.find(account, betKey);
    if (bet === null || bet.kind === "tombstone") {
      // Taking the bet's key is atomic: had the bet come in between, it is found and refunded.
      const buried = await this.#ledger.bury({
        account,
        key: betKey,
        counterAccount: counterOf(vendor),
        ref: roundId,
        at,
        effects: burialEffects === undefined ? [] : [...effectsOf(rollback), ...burialEffects],
      });
      if (buried.ok) {
        const { value } = buried;
        return ok({ ...walletOf(value), at: value.at, repeated: value.repeated, buried: true });
      }
      if (buried.error.code !== "key_reused") return answerOf(buried);
    }
    const existing = bet ?? (await this.#ledger.find(account, betKey));
    if (existing !== null && existing.amount !== -rollback.amount) {
      return refuse(refusal("id_reused"));
    }
    let tried: bigint | null = null;
    for (let tries = 1; ; tries++) {
      const paidMinor = await this.#paidToTakeBack(rollback);
      if (paidMinor === null || paidMinor === tried) return refuse(refusal("win_stands"));
      tried = paidMinor;
      try {
        return answerOf(await this.#giveBack(rollback, paidMinor, at));
      } catch (error) {
        const paid = error instanceof EffectMissed && error.statement === voidStake.name;
        if (!paid) throw error;
        // If a win came in between, the bet has won something else by now. Otherwise the rest of
        // the round prevents it.
        if (tries === TAKE_BACK_TRIES) return refuse(refusal("win_stands"));
      }
    }
  }

  /**
   * What a rollback takes back of its bet's wins, the same as when it was first sent; null while
   * some of it waits for an operator.
   */
  async #paidToTakeBack(rollback: Rollback): Promise<bigint | null> {
    if (rollback.rule?.rollbackAfterWin !== "take_back") return 0n;
    const { account, vendor, roundId, betTransactionId } = rollback;
    const [before, round] = await Promise.all([
      this.#ledger.find(account, reversalKeyOf(rollback)),
      findRound(this.#pool, account, vendor, roundId, betTransactionId),
    ]);
    if (before !== null) return -before.amount;
    return round?.waits === true ? null : (round?.won_minor ?? 0n);
  }

  #giveBack(rollback: Rollback, paidMinor: bigint, at: Instant): Promise<Outcome> {
    const { account, amount, vendor, betTransactionId, transactionId, rule } = rollback;
    const sums = {
      most_stakes: account.currency === "FUN" ? null : (rule?.roundPayoutMaxStakes ?? null),
      bet_id: betTransactionId,
      stake_minor: amount.toString(),
      payout_minor: paidMinor.toString(),
    };
    const given = {
      ...movement(rollback, transactionId, at),
      kind: "refund" as const,
      resolves: keyOf(vendor, betTransactionId),
      effects: [
        { statement: voidStake, row: { ...roundKey(rollback), ...sums, at } },
        countGame(rollback, { bets: -1, staked: -amount, paid: -paidMinor }, at),
        ...effectsOf(rollback),
      ],
    };
    if (paidMinor === 0n) return this.#ledger.refund(given);
    return this.#ledger.refundAndTake(given, {
      ...movement({ ...rollback, amount: paidMinor }, transactionId, at),
      key: reversalKeyOf(rollback),
      kind: "win-reversal",
    });
  }

  /** The round's own row refuses what comes after its end; a repeat from before was answered. */
  async #unlessOver(
    call: WalletCall & { readonly gameId?: string },
    move: () => Promise<Outcome>,
  ): Promise<Result<WalletAnswer, Refusal>> {
    try {
      return answerOf(await move());
    } catch (error) {
      const over = error instanceof EffectMissed && ROUND_STATEMENTS.has(error.statement);
      if (!over) throw error;
      const { account, vendor, roundId, gameId } = call;
      const round = await findRound(this.#pool, account, vendor, roundId);
      const another = gameId !== undefined && round !== null && round.game_id !== gameId;
      return refuse(refusal(another ? "id_reused" : "round_over"));
    }
  }

  /**
   * A repeat of a bet from before the block or the closing still answers as before.
   * @throws LedgerUnavailable while something is being booked on the wallet, which may be the very
   * bet: what
   *   a COMMIT under way has written is not visible yet
   */
  async #refusedAnew({ account, vendor, transactionId, ...bet }: Bet): Promise<Refusal | null> {
    const refused = bet.blocked ? refusal("member_blocked") : (bet.closed ?? null);
    if (refused === null) return null;
    if (!(await this.#ledger.isAtRest(account))) {
      throw new LedgerUnavailable("a bet is refused while something is being booked");
    }
    const existing = await this.#ledger.find(account, keyOf(vendor, transactionId));
    return existing === null ? refused : null;
  }
}

/** Wins that may come in between while a rollback takes back what its bet won. */
const TAKE_BACK_TRIES = 5;
/** Changes of its round or the vendor's day that may come in between while a win is booked. */
const WIN_TRIES = 5;

const ROUND_STATEMENTS: ReadonlySet<string> = new Set([openRound.name, addWin.name]);
const WIN_STATEMENTS: ReadonlySet<string> = new Set([addWin.name, payOfDay.name]);

/** A win's movement, which its round pays within these bounds or not at all. */
function creditOf(win: Win, at: Instant, bounds: RoundBounds) {
  return {
    ...movement(win, win.transactionId, at),
    kind: "win" as const,
    requires: keyOf(win.vendor, win.betTransactionId),
    effects: [
      addToRound(win, at, bounds),
      countGame(win, { paid: win.amount }, at),
      ...effectsOf(win),
    ],
  };
}

function addToRound(win: Win, at: Instant, bounds: RoundBounds): Effect {
  const row = {
    ...roundKey(win),
    ...bounds,
    bet_id: win.betTransactionId,
    payout_minor: win.amount.toString(),
    closes: win.closesRound,
    at,
  };
  return { statement: addWin, row };
}

function roundKey({ account, vendor, roundId }: WalletCall) {
  return { lane: account.lane, account_id: account.id, vendor, round_id: roundId };
}

/** @param payoutMinor null if the win, if there is one, comes by a call of its own. */
function roundRow(bet: Bet, at: Instant, payoutMinor: bigint | null) {
  return {
    ...roundKey(bet),
    merchant_id: bet.merchantId,
    game_id: bet.gameId,
    currency: bet.account.currency,
    stake_minor: bet.amount.toString(),
    payout_minor: `${payoutMinor ?? 0n}`,
    state: bet.closesRound === true || payoutMinor !== null ? "settled" : "open",
    at,
  };
}

function effectsOf({ effects = [] }: WalletCall): readonly Effect[] {
  return effects;
}

function movement(call: WalletCall, transactionId: string, at: Instant) {
  const { account, vendor, amount, roundId, hasLapsed } = call;
  const key = keyOf(vendor, transactionId);
  const counterAccount = counterOf(vendor);
  const taken = { account, key, amount, counterAccount, ref: roundId, at };
  return hasLapsed === undefined ? taken : { ...taken, hasLapsed };
}

function walletOf(receipt: { balanceAfter: bigint; heldAfter: bigint; seq: bigint }) {
  return { available: receipt.balanceAfter - receipt.heldAfter, version: receipt.seq };
}

function answerOf(outcome: Outcome): Result<WalletAnswer, Refusal> {
  if (!outcome.ok) return refuse(refusal(codeOf(outcome.error)));
  const { value } = outcome;
  return ok({ ...walletOf(value), at: value.at, repeated: value.repeated, buried: false });
}

/** @param held the amount that the call meant to hold; a repeat holds nothing. */
function boundAnswer(
  outcome: Outcome,
  held: BoundWinAnswer["held"],
): Result<BoundWinAnswer, Refusal> {
  const answer = answerOf(outcome);
  return answer.ok ? ok({ ...answer.value, held: answer.value.repeated ? null : held }) : answer;
}

function codeOf(refused: LedgerRefusal): Refusal["code"] {
  switch (refused.code) {
    case "insufficient_funds":
      return "insufficient_funds";
    case "key_reused":
      // A rollback came first and keeps the bet's id taken.
      return refused.kind === "tombstone" ? "rolled_back" : "id_reused";
    case "target_missing":
      return "bet_missing";
    case "target_resolved":
      return "rolled_back";
    case "target_differs":
      return "bet_differs";
    case "lapsed":
      return "odds_changed";
    case "account_missing":
    case "amount_differs":
      return "not_found";
  }
}
