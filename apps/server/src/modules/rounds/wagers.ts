import { fieldRefusal, limitRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { fitsRule, type StakeRule, wholeSteps } from "@perya/games/stake";
import { assert } from "@perya/kernel/assert";
import type { Clock } from "@perya/kernel/instant";
import { currencyOf, type Money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { type Account, accountOf, type BatchStatement, EffectMissed } from "../ledger/ledger.ts";
import type { VendorWallet, WalletAnswer } from "../vendors/vendors.ts";
import { Settlement } from "./settlement.ts";
import {
  type EventTable,
  type FreeBets,
  type WagerRow,
  WagerStore,
  type WagerTable,
} from "./wagers.store.ts";

export type { WagerRow } from "./wagers.store.ts";

/** Bets that are read at a time. */
const SETTLE_BATCH = 500;

/**
 * How a bet ends. An amount is paid; 0 means that it lost. `refunded`: its stake goes back. A
 * function pays it. Null: it cannot be ended yet.
 */
export type WagerEnd = bigint | "refunded" | (() => Promise<void>) | null;

/** How the bets of one game are booked at the wallet. */
export interface WagerGame<Row extends WagerRow> extends WagerTable {
  readonly vendorOf: (bet: Row) => string;
  /** The state of a bet that won, and its word in the transaction's id. */
  readonly paid: Ending;
  /** The state of a refunded bet, and whether its stake is its payout. */
  readonly refunded: { readonly state: string; readonly isPayout: boolean };
  /** Whether a bet that this process is ending just now is left to that, and is not owed. */
  readonly skipsUnderWay?: boolean;
}

interface Ending {
  readonly state: string;
  readonly word: string;
}

/** A bet that passed the game's checks. */
interface NewWager {
  readonly merchant: Pick<Merchant, "id">;
  readonly session: Session;
  readonly vendor: string;
  readonly gameId: string;
  /** The id of the vendor's round. */
  readonly roundId: string;
  readonly stakeMinor: bigint;
  readonly insert: BatchStatement;
  /** What `insert` writes besides the columns that all bets have, and `merchant_id`. */
  readonly row: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly hasLapsed?: () => boolean;
}

interface Payout {
  readonly payoutMinor: bigint;
  /** Default: the game's `paid`. */
  readonly ending?: Ending;
  /** The values of `endColumns`. */
  readonly columns?: Readonly<Record<string, unknown>>;
  readonly hasLapsed?: () => boolean;
}

type Judge<Row> = (bet: Row) => WagerEnd;

/** Why the bet that exists differs from this one; null if it does not. */
type Difference<Row> = (existing: Row) => Refusal | null;

/**
 * The bets of a game whose events many players share. Any process may take, find and end them; the
 * bet's row lets only one end it. Money moves only through the wallet calls of vendors, in one step
 * with the row.
 */
export class Wagers<Row extends WagerRow> {
  readonly #game: WagerGame<Row>;
  readonly #store: WagerStore<Row>;
  readonly #wallet: VendorWallet;
  readonly #clock: Clock;
  /** Bets that this process is ending. */
  readonly #underWay = new Set<string>();

  constructor(
    game: WagerGame<Row>,
    { pool, wallet, clock }: { pool: pg.Pool; wallet: VendorWallet; clock: Clock },
  ) {
    this.#game = game;
    this.#store = new WagerStore(pool, game);
    this.#wallet = wallet;
    this.#clock = clock;
  }

  find(account: Account, id: string): Promise<Row | null> {
    return this.#store.find(account, id);
  }

  /**
   * The player's bet with this round id; null if there is none.
   * @returns a refusal if it is another bet than this one
   */
  async existing(
    account: Account,
    roundId: string,
    differenceFrom: Difference<Row>,
  ): Promise<Result<Row, Refusal> | null> {
    const found = await this.#store.ofRound(account, roundId);
    if (found === null) return null;
    const difference = differenceFrom(found);
    return difference === null ? ok(found) : refuse(difference);
  }

  /** @param page.before the last id of the page before, null for the newest */
  page(
    account: Account,
    page: { readonly before: string | null; readonly limit: number },
  ): Promise<Row[]> {
    return this.#store.page(account, page);
  }

  /**
   * Takes a bet and writes its row, both or neither. The same bet again answers as before.
   * @param whyMissed the refusal if the row could not be written and no such bet exists
   * @returns the bet as it is stored, and whether it was taken now
   */
  async place(
    { merchant, session, vendor, gameId, roundId, stakeMinor, insert, row, ...more }: NewWager,
    differenceFrom: Difference<Row>,
    whyMissed: () => Promise<Refusal> | Refusal = () => refusal("bets_closed"),
  ): Promise<Result<{ readonly bet: Row; readonly isNew: boolean }, Refusal>> {
    const account = accountOf(session.memberId, session.currency);
    const { lane, id: account_id, currency } = account;
    const columns = { lane, account_id, currency, stake_minor: stakeMinor.toString() };
    const booked: Result<WalletAnswer, Refusal> | null = await this.#wallet
      .bet({
        ...{ account, vendor, gameId, roundId, amount: stakeMinor, ...more },
        ...{ merchantId: merchant.id, blocked: session.blocked },
        transactionId: this.#transactionId(roundId, "bet"),
        effects: [{ statement: insert, row: { ...columns, merchant_id: merchant.id, ...row } }],
      })
      .catch((error: unknown) => {
        if (error instanceof EffectMissed) return null;
        throw error;
      });
    const answer = booked ?? refuse(await whyMissed());
    const mayExist = booked === null || booked.ok || booked.error.code === "id_reused";
    if (!mayExist) return booked;
    const existing = await this.existing(account, roundId, differenceFrom);
    if (existing === null) {
      assert(!answer.ok, "a bet that was paid for is stored");
      return answer;
    }
    if (!existing.ok) return existing;
    return ok({ bet: existing.value, isNew: answer.ok && !answer.value.repeated });
  }

  /**
   * Ends every open bet on an event. It is safe to repeat, and a busy wallet holds up no other bet.
   * @param judge called once per batch, after the batch was read
   * @param lost bets that are lost before any are read
   * @returns how many are owed
   */
  settle(
    eventId: string,
    judge: (bets: readonly Row[]) => Judge<Row> | Promise<Judge<Row>>,
    lost: FreeBets | null = null,
  ): Promise<number> {
    return this.#settle(async (settlement) => {
      if (lost !== null) {
        const at = this.#clock.now();
        await settlement.inTurn(() => this.#store.loseFree(lost, at));
      }
      let last: Row | null = null;
      for (;;) {
        const bets: readonly Row[] = await this.#store.placed(eventId, last, SETTLE_BATCH);
        if (bets.length === 0) return;
        await this.#settleBatch(settlement, bets, await judge(bets));
        last = bets.at(-1) ?? null;
      }
    });
  }

  /** Ends these bets as `settle` does. */
  settleThese(bets: readonly Row[], endOf: Judge<Row>): Promise<number> {
    return this.#settle((settlement) => this.#settleBatch(settlement, bets, endOf));
  }

  /** Ends what events that are over still owe, because a process died or a wallet was busy. */
  async settleOwing<Event extends object>(
    events: EventTable,
    settle: (event: Event) => Promise<void>,
  ): Promise<void> {
    const ended = await Promise.allSettled((await this.#store.owing<Event>(events)).map(settle));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }

  async #settle(work: (settlement: Settlement) => Promise<void>): Promise<number> {
    const settlement = new Settlement();
    let owed = 0;
    try {
      await work(settlement);
    } finally {
      owed = await settlement.end();
    }
    return owed;
  }

  async #settleBatch(
    settlement: Settlement,
    bets: readonly Row[],
    endOf: Judge<Row>,
  ): Promise<void> {
    const lost = new Map<string, Row[]>();
    for (const bet of bets) {
      const end = endOf(bet);
      const key = `${bet.account_id} ${bet.id}`;
      if (end === null || this.#underWay.has(key)) continue;
      if (end === 0n) {
        const vendor = this.#game.vendorOf(bet);
        const own = lost.get(vendor) ?? [];
        own.push(bet);
        lost.set(vendor, own);
        continue;
      }
      if (this.#game.skipsUnderWay) this.#underWay.add(key);
      await settlement.add(() =>
        this.#pay(bet, end).finally(() => void this.#underWay.delete(key)),
      );
    }
    const at = this.#clock.now();
    for (const [vendor, own] of lost) {
      await settlement.inTurn(() => this.#store.lose(vendor, own, at));
    }
  }

  #pay(bet: Row, end: Exclude<WagerEnd, null>): Promise<void> {
    if (end === "refunded") return this.refund(bet);
    return typeof end === "function" ? end() : this.#payWon(bet, end);
  }

  async #payWon(bet: Row, payoutMinor: bigint): Promise<void> {
    const paid = await this.pay(bet, { payoutMinor });
    assert(paid.ok, `the win of bet ${bet.id}`);
  }

  /**
   * Pays a bet and ends it.
   * @throws EffectMissed if it has ended in another way
   */
  pay(
    bet: Row,
    { payoutMinor, ending = this.#game.paid, columns, ...more }: Payout,
  ): Promise<Result<WalletAnswer, Refusal>> {
    const end = { state: ending.state, payout_minor: payoutMinor.toString(), ...columns };
    return this.#wallet.win({
      ...this.#callOf(bet, ending.word, end),
      ...{ amount: payoutMinor, closesRound: true, ...more },
    });
  }

  /**
   * Refunds a bet's stake and ends it.
   * @throws EffectMissed if it has ended in another way
   */
  async refund(bet: Row): Promise<void> {
    const { state, isPayout } = this.#game.refunded;
    const end = { state, payout_minor: isPayout ? bet.stake_minor.toString() : "0" };
    const amount = bet.stake_minor;
    const refunded = await this.#wallet.rollback({ ...this.#callOf(bet, "refund", end), amount });
    assert(refunded.ok, `the refund of bet ${bet.id}`);
  }

  #callOf(bet: Row, word: string, end: Readonly<Record<string, unknown>>) {
    const { lane, account_id, id } = bet;
    const roundId = this.#store.roundOf(bet);
    return {
      account: accountOfWager(bet),
      vendor: this.#game.vendorOf(bet),
      roundId,
      transactionId: this.#transactionId(roundId, word),
      betTransactionId: this.#transactionId(roundId, "bet"),
      effects: [{ statement: this.#store.end, row: { lane, account_id, id, ...end } }],
    };
  }

  /** The suffix keeps these ids apart from those of solo rounds, whose ids the players choose. */
  #transactionId(roundId: string, word: string): string {
    const { name, transactionWord = name } = this.#game;
    return `${roundId}:${transactionWord}-${word}`;
  }
}

/**
 * Why a brand's game does not take a stake: its currency is not the wallet's, it is no whole number
 * of steps, or it is above the most that the brand takes or could pay. Null if the game takes it.
 */
export function stakeFault(
  { currency, minor }: Money,
  by: {
    readonly merchant: Pick<Merchant, "settings">;
    readonly session: Pick<Session, "currency">;
    readonly rule: StakeRule;
    /** The largest stake whose win the brand could pay, if that depends on the bet. */
    readonly payableMinor?: bigint;
  },
  field = "stake",
): Refusal | null {
  if (currency !== by.session.currency) {
    return fieldRefusal(`${field}.currency`, "foreign_currency");
  }
  const { stepMinor } = by.rule;
  if (!fitsRule(minor, by.rule)) {
    return limitRefusal(`${field}.minor`, "not_multiple", `${stepMinor}`, currency);
  }
  const { maxMinor } = by.merchant.settings.stakes;
  const { payableMinor = maxMinor } = by;
  const most = wholeSteps(payableMinor < maxMinor ? payableMinor : maxMinor, by.rule);
  return minor <= most ? null : limitRefusal(`${field}.minor`, "too_big", `${most}`, currency);
}

/** Whether a bet that exists has this stake. */
export function hasStake(bet: WagerRow, { currency, minor }: Money): boolean {
  return bet.currency === currency && bet.stake_minor === minor;
}

/** The wallet that a bet was paid from. */
export function accountOfWager({ lane, account_id: id, currency }: WagerRow): Account {
  return { lane, id, currency: currencyOf(currency) };
}
