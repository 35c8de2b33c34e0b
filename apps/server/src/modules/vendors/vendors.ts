import type { HoldReason } from "@perya/contract/operator-wins";
import { type Refusal, refusal } from "@perya/contract/refusal";
import type { Clock, Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { VendorRule } from "../brand/brand.ts";
import {
  type Account,
  type Effect,
  EffectMissed,
  type Ledger,
  type LedgerRefusal,
  type Outcome,
} from "../ledger/ledger.ts";
import { countGame } from "./game-returns.store.ts";
import { insertHeldWin } from "./held-wins.store.ts";
import { counterOf, heldKeyOf, keyOf, reversalKeyOf } from "./vendor-keys.ts";
import { addWin, findRound, openRound, voidStake } from "./vendors.store.ts";

export { type GameAlarm, GameReturns } from "./game-returns.ts";
export { heldWinRoutes } from "./held-wins.routes.ts";
export { HeldWins } from "./held-wins.ts";
export { keyOf } from "./vendor-keys.ts";
export { signedBytes, type VendorLine } from "./vendor-line.ts";
export { VendorPlays } from "./vendor-plays.ts";
export { maskName, vendorRoutes } from "./vendors.routes.ts";
export { counterAccounts, readWins, settleLostRounds, vendorBooks } from "./vendors.store.ts";
export { vendorWalletRoutes } from "./wallet-calls.routes.ts";

/** What every wallet call names. Transaction ids are the vendor's and unique within it. */
export interface WalletCall {
  readonly account: Account;
  readonly vendor: string;
  readonly transactionId: string;
  readonly roundId: string;
  /** Positive minor units of the account's currency. */
  readonly amount: bigint;
  /** Rows of the caller's own that stand or fall with the movement. */
  readonly effects?: readonly Effect[];
}

export interface Bet extends WalletCall {
  readonly merchantId: string;
  readonly gameId: string;
  readonly blocked: boolean;
  /** Why the game takes no bets of this player now. */
  readonly closed?: Refusal | null;
  /** The round ends with this bet, because it is known to have lost. */
  readonly closesRound?: boolean;
}

export interface Win extends WalletCall {
  readonly betTransactionId: string;
  readonly closesRound: boolean;
  /** Whose win it is and why it waits for an operator; it is paid and held in one step. */
  readonly held?: {
    readonly id: string;
    readonly memberId: string;
    readonly reasons: readonly HoldReason[];
  };
}

export interface Rollback extends WalletCall {
  readonly betTransactionId: string;
  /** Of a bet that has won: refused unless it is said. */
  readonly afterWin?: VendorRule["rollbackAfterWin"];
}

/** The wallet after a call. */
export interface WalletAnswer {
  readonly available: bigint;
  readonly version: bigint;
  /** When the money moved. */
  readonly at: Instant;
  /** True when this transaction id had been taken before: nothing moved this time. */
  readonly repeated: boolean;
  /** A rollback that came before its bet moved nothing; the bet will be refused. */
  readonly buried: boolean;
}

/**
 * The wallet calls of game vendors: balance, bet, win, both at once, rollback. Our own game server uses these
 * same calls in-process. Rules:
 * - idempotent by vendor and transaction id: a repeat answers as before, the same id with other
 *   content is refused (`id_reused`);
 * - a win needs its bet (`bet_missing`), one that stands (`rolled_back`) and is of the win's round
 *   (`bet_differs`), as a rollback's must be;
 * - a round that is settled takes no bet and pays no win any more (`round_over`), and one stands for
 *   one game (`id_reused`);
 * - a win that has to wait for an operator is paid and held at once, so that the vendor is answered
 *   and the player cannot have it yet; its bet is not rolled back meanwhile (`win_stands`);
 * - a rollback before its bet leaves a tombstone, so that the late bet is refused;
 * - a blocked player may not bet, nor anyone where the game is closed, and both still receive
 *   wins and rollbacks;
 * - a rollback of a bet that has won is refused (`win_stands`), or takes back all that the bet won
 *   in the same step, as the vendor's rule says; where the wallet does not hold that any more,
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

  /** Null when the wallet is not open. */
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
   * A bet whose win the vendor knows already, as one step: both move or neither does, and the
   * round is settled with it. The answer is the wallet after the win.
   */
  async betAndWin(
    bet: Bet,
    win: { readonly transactionId: string; readonly amount: bigint },
  ): Promise<Result<WalletAnswer, Refusal>> {
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

  async win(win: Win): Promise<Result<WalletAnswer, Refusal>> {
    const at = this.#clock.now();
    const row = {
      ...roundKey(win),
      bet_id: win.betTransactionId,
      payout_minor: win.amount.toString(),
      closes: win.closesRound,
      at,
    };
    const given = {
      ...movement(win, win.transactionId, at),
      kind: "win" as const,
      requires: keyOf(win.vendor, win.betTransactionId),
      effects: [
        { statement: addWin, row },
        countGame(win, { paid: win.amount }, at),
        ...effectsOf(win),
      ],
    };
    const { held } = win;
    if (held === undefined) return this.#unlessOver(win, () => this.#ledger.credit(given));
    const { id, memberId: member_id, reasons } = held;
    const waiting = {
      ...roundKey(win),
      ...{ id, member_id, reasons, transaction_id: win.transactionId, at },
      ...{ bet_id: win.betTransactionId, amount_minor: win.amount.toString() },
    };
    return this.#unlessOver(win, () =>
      this.#ledger.creditAndHold(given, {
        ...movement(win, win.transactionId, at),
        key: heldKeyOf(win),
        kind: "win-hold",
        effects: [{ statement: insertHeldWin, row: waiting }],
      }),
    );
  }

  async rollback(rollback: Rollback): Promise<Result<WalletAnswer, Refusal>> {
    const at = this.#clock.now();
    const { account, vendor, roundId, betTransactionId } = rollback;
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
      });
      if (buried.ok) {
        const { value } = buried;
        return ok({ ...walletOf(value), at: value.at, repeated: value.repeated, buried: true });
      }
      if (buried.error.code !== "key_reused") return answerOf(buried);
    }
    const standing = bet ?? (await this.#ledger.find(account, betKey));
    if (standing !== null && standing.amount !== -rollback.amount) {
      return refuse(refusal("id_reused"));
    }
    for (let tries = 1; ; tries++) {
      const paidMinor = await this.#paidToTakeBack(rollback);
      if (paidMinor === null) return refuse(refusal("win_stands"));
      try {
        return answerOf(await this.#giveBack(rollback, paidMinor, at));
      } catch (error) {
        const paid = error instanceof EffectMissed && error.statement === voidStake.name;
        if (!paid) throw error;
        if (rollback.afterWin !== "take_back") return refuse(refusal("win_stands"));
        // A win came in between: what the bet won is read anew.
        if (tries === TAKE_BACK_TRIES) return refuse(refusal("win_stands"));
      }
    }
  }

  /**
   * What a rollback takes back of its bet's wins, as much as when it was first sent; null while
   * some of it waits for an operator.
   */
  async #paidToTakeBack(rollback: Rollback): Promise<bigint | null> {
    if (rollback.afterWin !== "take_back") return 0n;
    const { account, vendor, roundId, betTransactionId } = rollback;
    const [before, round] = await Promise.all([
      this.#ledger.find(account, reversalKeyOf(rollback)),
      findRound(this.#pool, account, vendor, roundId, betTransactionId),
    ]);
    if (before !== null) return -before.amount;
    return round?.waits === true ? null : (round?.won_minor ?? 0n);
  }

  #giveBack(rollback: Rollback, paidMinor: bigint, at: Instant): Promise<Outcome> {
    const { amount, vendor, betTransactionId, transactionId } = rollback;
    const sums = {
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

  /** A repeat of a bet from before the block or the closing still answers as before. */
  async #refusedAnew({ account, vendor, transactionId, ...bet }: Bet): Promise<Refusal | null> {
    const refused = bet.blocked ? refusal("member_blocked") : (bet.closed ?? null);
    if (refused === null) return null;
    const standing = await this.#ledger.find(account, keyOf(vendor, transactionId));
    return standing === null ? refused : null;
  }
}

/** Wins that may come in between while a rollback takes back what its bet won. */
const TAKE_BACK_TRIES = 5;

const ROUND_STATEMENTS: ReadonlySet<string> = new Set([openRound.name, addWin.name]);

function roundKey({ account, vendor, roundId }: WalletCall) {
  return { lane: account.lane, account_id: account.id, vendor, round_id: roundId };
}

/** @param payoutMinor null where the win, if there is one, comes by a call of its own. */
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
  const { account, vendor, amount, roundId } = call;
  const key = keyOf(vendor, transactionId);
  return { account, key, amount, counterAccount: counterOf(vendor), ref: roundId, at };
}

function walletOf(receipt: { balanceAfter: bigint; heldAfter: bigint; seq: bigint }) {
  return { available: receipt.balanceAfter - receipt.heldAfter, version: receipt.seq };
}

function answerOf(outcome: Outcome): Result<WalletAnswer, Refusal> {
  if (!outcome.ok) return refuse(refusal(codeOf(outcome.error)));
  const { value } = outcome;
  return ok({ ...walletOf(value), at: value.at, repeated: value.repeated, buried: false });
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
    case "account_missing":
    case "amount_differs":
      return "not_found";
  }
}
