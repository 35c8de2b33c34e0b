import { type Refusal, refusal } from "@perya/contract/refusal";
import { assert } from "@perya/kernel/assert";
import type { Clock } from "@perya/kernel/instant";
import { currencyOf } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { type Account, type BatchStatement, EffectMissed } from "../ledger/ledger.ts";
import type { Bet, VendorWallet, WalletAnswer } from "../vendors/vendors.ts";
import { Settlement } from "./settlement.ts";
import { type WagerRow, WagerStore, type WagerTable } from "./wagers.store.ts";

export type { WagerRow } from "./wagers.store.ts";

/** Bets that are read at a time to be settled. */
const SETTLE_BATCH = 500;

/**
 * How a bet ends: it is paid so much, which is nothing where it lost, or its stake is returned.
 * Null where it waits for something else.
 */
export type WagerEnd = bigint | "returned" | null;

/** What the bets of one game are to the wallet. */
export interface WagerGame<Row extends WagerRow> extends WagerTable {
  readonly vendorOf: (bet: Row) => string;
  /** The vendor's round that a bet is; its id where nothing is said. */
  readonly roundOf?: (bet: Row) => string;
  /** The state of a bet that won, and the word for it in its transaction's id. */
  readonly paid: { readonly state: string; readonly word: string };
  /** The state of a bet whose stake went back, and whether that stands as its payout. */
  readonly returned: { readonly state: string; readonly isPayout: boolean };
}

/** A bet that was judged; `roundId` is the vendor's round, and `row` the game's own of it. */
export interface NewWager extends Omit<Bet, "transactionId" | "effects"> {
  readonly insert: BatchStatement;
  readonly row: Readonly<Record<string, unknown>>;
}

export interface Payout {
  readonly payoutMinor: bigint;
  /** As the game's `paid` says where nothing is said. */
  readonly as?: { readonly state: string; readonly word: string };
  /** What the game writes down besides (`endColumns`). */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly hasLapsed?: () => boolean;
}

/**
 * The bets of a game whose events many players share: taken, found again under their ids, and ended
 * once, by whichever process, because a bet's row lets one pass. Money moves only through the wallet
 * calls of vendors, and the row stands or falls with it.
 */
export class Wagers<Row extends WagerRow> {
  readonly #game: WagerGame<Row>;
  readonly #store: WagerStore<Row>;
  readonly #wallet: VendorWallet;
  readonly #clock: Clock;

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
   * The bet that stands where this one would, if it is the same; null where none does.
   * @param differs why it is not the same; null where it is
   */
  async standing(
    account: Account,
    roundId: string,
    differs: (standing: Row) => Refusal | null,
  ): Promise<Result<Row, Refusal> | null> {
    const found = await this.#store.ofRound(account, roundId);
    if (found === null) return null;
    const difference = differs(found);
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
   * @param differs as `standing` asks
   * @param missed why its row could not be written
   * @returns the bet as it stands, and whether it was taken now; else why not
   */
  async place(
    { insert, row, ...bet }: NewWager,
    differs: (standing: Row) => Refusal | null,
    missed: () => Promise<Refusal> | Refusal = () => refusal("bets_closed"),
  ): Promise<Result<{ readonly bet: Row; readonly isNew: boolean }, Refusal>> {
    const transactionId = this.#transactionId(bet.roundId, "bet");
    const booked: Result<WalletAnswer, Refusal> | null = await this.#wallet
      .bet({ ...bet, transactionId, effects: [{ statement: insert, row }] })
      .catch((error: unknown) => {
        if (error instanceof EffectMissed) return null;
        throw error;
      });
    const answer = booked ?? refuse(await missed());
    const mayStand = booked === null || booked.ok || booked.error.code === "id_reused";
    if (!mayStand) return booked;
    const standing = await this.standing(bet.account, bet.roundId, differs);
    if (standing === null) {
      assert(!answer.ok, "a bet that was paid for stands");
      return answer;
    }
    if (!standing.ok) return standing;
    return ok({ bet: standing.value, isNew: answer.ok && !answer.value.repeated });
  }

  /**
   * Ends every bet on an event that has not ended, as `judge` says of those that were just read;
   * again is harmless. One whose wallet is busy holds up no other.
   * @returns how many are owed
   */
  async settle(
    eventId: string,
    judge: (bets: readonly Row[]) => Promise<(bet: Row) => WagerEnd>,
  ): Promise<number> {
    const settlement = new Settlement();
    for await (const bets of this.placed(eventId)) {
      await this.#settleBatch(settlement, bets, await judge(bets));
    }
    return settlement.end();
  }

  /** The bets on an event that have not ended, a batch at a time. */
  async *placed(eventId: string): AsyncGenerator<readonly Row[]> {
    let last: Row | null = null;
    for (;;) {
      const bets: readonly Row[] = await this.#store.placed(eventId, last, SETTLE_BATCH);
      if (bets.length === 0) return;
      yield bets;
      last = bets.at(-1) ?? null;
    }
  }

  async #settleBatch(
    settlement: Settlement,
    bets: readonly Row[],
    endOf: (bet: Row) => WagerEnd,
  ): Promise<void> {
    const lost = new Map<string, Row[]>();
    for (const bet of bets) {
      const end = endOf(bet);
      if (end === null) continue;
      if (end === "returned") await settlement.add(() => this.giveBack(bet));
      else if (end > 0n) await settlement.add(() => this.#payWon(bet, end));
      else {
        const vendor = this.#game.vendorOf(bet);
        lost.set(vendor, [...(lost.get(vendor) ?? []), bet]);
      }
    }
    const at = this.#clock.now();
    for (const [vendor, own] of lost) {
      await settlement.inTurn(() => this.#store.lose(vendor, own, at));
    }
  }

  async #payWon(bet: Row, payoutMinor: bigint): Promise<void> {
    const paid = await this.pay(bet, { payoutMinor });
    assert(paid.ok, `the win of bet ${bet.id}`);
  }

  /**
   * Pays a bet and ends it.
   * @throws EffectMissed where it has ended already, in another way
   */
  pay(
    bet: Row,
    { payoutMinor, as = this.#game.paid, more, hasLapsed }: Payout,
  ): Promise<Result<WalletAnswer, Refusal>> {
    const end = { state: as.state, payout_minor: payoutMinor.toString(), ...more };
    return this.#wallet.win({
      ...this.#callOf(bet, as.word, end),
      amount: payoutMinor,
      closesRound: true,
      ...(hasLapsed === undefined ? {} : { hasLapsed }),
    });
  }

  /**
   * Gives a bet's stake back and ends it.
   * @throws EffectMissed where it has ended already, in another way
   */
  async giveBack(bet: Row): Promise<void> {
    const { state, isPayout } = this.#game.returned;
    const end = { state, payout_minor: isPayout ? bet.stake_minor.toString() : "0" };
    const amount = bet.stake_minor;
    const refunded = await this.#wallet.rollback({ ...this.#callOf(bet, "refund", end), amount });
    assert(refunded.ok, `the refund of bet ${bet.id}`);
  }

  #callOf(bet: Row, word: string, end: Readonly<Record<string, unknown>>) {
    const { lane, account_id, id } = bet;
    const roundId = this.#game.roundOf?.(bet) ?? id;
    return {
      account: accountOfWager(bet),
      vendor: this.#game.vendorOf(bet),
      roundId,
      transactionId: this.#transactionId(roundId, word),
      betTransactionId: this.#transactionId(roundId, "bet"),
      effects: [{ statement: this.#store.end, row: { lane, account_id, id, ...end } }],
    };
  }

  /** Apart from those of other rounds under the same vendor code, whose ids players choose. */
  #transactionId(roundId: string, word: string): string {
    return `${roundId}:${this.#game.name}-${word}`;
  }
}

/** The wallet that a bet was paid from. */
export function accountOfWager({ lane, account_id: id, currency }: WagerRow): Account {
  return { lane, id, currency: currencyOf(currency) };
}
