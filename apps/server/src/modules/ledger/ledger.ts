import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import type { Currency } from "@perya/kernel/money";
import DataLoader from "dataloader";
import type pg from "pg";
import { systemElapsed } from "../../platform/clock.ts";
import { together } from "../../platform/postgres/together.ts";
import type { Account } from "./account.ts";
import type { BatchPlan } from "./batch.ts";
import type { BookCheck } from "./book-check.ts";
import {
  type Balance,
  findEntries,
  type History,
  type HistoryPage,
  isHeld,
  openAccount,
  readBalances,
  readHistory,
} from "./ledger.store.ts";
import type { Effect, EntryKind, Movement, Receipt } from "./movement.ts";
import { type Discrepancy, verifyLedger } from "./verify.ts";
import { type Outcome, Writer } from "./writer.ts";

export { type Account, accountOf, LANES, laneOf } from "./account.ts";
export { type BookCheck, checkByLane, wagerBook } from "./book-check.ts";
export { lockWallet } from "./ledger.store.ts";
export {
  type BatchStatement,
  type Effect,
  EffectMissed,
  ENTRY_KINDS,
  type EntryKind,
  type LedgerRefusal,
  LedgerUnavailable,
  type Receipt,
  unlessMissed,
} from "./movement.ts";
export type { Outcome } from "./writer.ts";

export interface Command {
  readonly account: Account;
  /** Idempotency key: the same key with the same content moves money once. */
  readonly key: string;
  readonly amount: bigint;
  readonly counterAccount: string;
  readonly kind: EntryKind;
  readonly ref: string | null;
  readonly at: Instant;
  readonly effects?: readonly Effect[];
  /** Whether the command has become void meanwhile, as a movement's; without it, it never does. */
  readonly hasLapsed?: () => boolean;
}

/** How often the ledger checks, with a pause between, whether nothing is booked on a wallet. */
const RESTING_CHECKS = 6;
const REST_PAUSE_MS = 50;

export interface WalletMoved extends Balance {
  readonly account: Account;
}

export interface LedgerOptions {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** Connections that write. With two, one is busy with the log while the other computes. */
  readonly writers?: number;
  /** The books of other modules that `verify` compares with the entries. */
  readonly books?: readonly BookCheck[];
  readonly onTrouble: (error: Error, what: string) => void;
  /** Milliseconds since any fixed moment; no clock that somebody sets. */
  readonly elapsed?: () => number;
  /** The database is a Citus coordinator (`isCluster`), where rows are locked lane by lane. */
  readonly isCluster?: boolean;
}

/**
 * The one place where money moves. Every command is idempotent by its key and safe to send twice
 * from any process; an answer that was given is durable. Refusals are values; an error means that
 * nothing is known to have happened, and sending the same command again is safe.
 */
export class Ledger {
  readonly #pool: pg.Pool;
  readonly #books: readonly BookCheck[];
  readonly #writers: readonly Writer[];
  /** Balances requested at the same time share a statement. */
  readonly #balances: DataLoader<Account, Balance | null>;
  readonly #listeners: ((moved: readonly WalletMoved[]) => void)[] = [];

  constructor(options: LedgerOptions) {
    this.#pool = options.pool;
    this.#books = options.books ?? [];
    this.#balances = new DataLoader((wanted) => readBalances(options.pool, wanted), together);
    const { databaseUrl, onTrouble, writers = 2, elapsed = systemElapsed } = options;
    const isCluster = options.isCluster ?? false;
    const onCommitted = (plan: BatchPlan) => this.#tell(plan);
    this.#writers = Array.from(
      { length: writers },
      () => new Writer({ databaseUrl, writers, onCommitted, onTrouble, elapsed, isCluster }),
    );
  }

  async open(
    client: pg.Pool | pg.ClientBase,
    account: Account,
    owner: { readonly merchantId: string; readonly ownerId: string; readonly kind: string },
    at: Instant,
  ): Promise<void> {
    await openAccount(client, account, owner, at);
  }

  /** Adds to the wallet. `requires` names an entry that must exist, such as the bet of a win. */
  credit(command: Command & { readonly requires?: string }): Promise<Outcome> {
    return this.#submit(command, { amount: command.amount, requires: command.requires ?? null });
  }

  /** Takes from the wallet what is not held. */
  debit(command: Command): Promise<Outcome> {
    return this.#submit(command, { amount: -command.amount });
  }

  /**
   * Takes and gives in one step, both or neither. The answer is the second's; a key that exists
   * without the other is refused as `key_reused`.
   */
  exchange(taken: Command, given: Command): Promise<Outcome> {
    assert(taken.account.id === given.account.id, "an exchange is within one wallet");
    const followedBy = movementOf(given, { amount: given.amount });
    return this.#submit(taken, { amount: -taken.amount, followedBy });
  }

  /** Sets part of the balance aside until it is posted or voided. */
  hold(command: Command): Promise<Outcome> {
    return this.#submit(command, { amount: 0n, heldChange: command.amount });
  }

  /** Takes what the hold `resolves` set aside, whole. */
  post(command: Command & { readonly resolves: string }): Promise<Outcome> {
    const { amount, resolves } = command;
    return this.#submit(command, { amount: -amount, heldChange: -amount, resolves });
  }

  /** Gives what the hold `resolves` set aside back to the available balance. */
  void(command: Command & { readonly resolves: string }): Promise<Outcome> {
    const { amount, resolves } = command;
    return this.#submit(command, { amount: 0n, heldChange: -amount, resolves });
  }

  /** Gives back what the entry `resolves` took; each entry is refunded at most once. */
  refund(command: Command & { readonly resolves: string }): Promise<Outcome> {
    return this.#submit(command, { amount: command.amount, resolves: command.resolves });
  }

  /** Adds to the wallet and sets the same aside in one step: both or neither. */
  creditAndHold(given: Command & { readonly requires: string }, held: Command): Promise<Outcome> {
    assert(held.account.id === given.account.id, "both are within one wallet");
    const followedBy = movementOf(held, { amount: 0n, heldChange: held.amount });
    return this.#submit(given, { amount: given.amount, requires: given.requires, followedBy });
  }

  /** Gives back what the entry `resolves` took, and takes, in one step: both or neither. */
  refundAndTake(given: Command & { readonly resolves: string }, taken: Command): Promise<Outcome> {
    assert(taken.account.id === given.account.id, "both are within one wallet");
    const followedBy = movementOf(taken, { amount: -taken.amount });
    return this.#submit(given, { amount: given.amount, resolves: given.resolves, followedBy });
  }

  /**
   * Takes the key without moving anything, so that a command that comes late is refused. `requires`
   * names an entry that must exist, as a credit's.
   */
  bury(
    command: Omit<Command, "amount" | "kind"> & { readonly requires?: string },
  ): Promise<Outcome> {
    const change = { amount: 0n, requires: command.requires ?? null };
    return this.#submit({ ...command, kind: "tombstone" }, change);
  }

  balance(account: Account): Promise<Balance | null> {
    return this.#balances.load(account);
  }

  /**
   * A page of a wallet's entries of these kinds, newest first. A short page may still have a next.
   */
  history(account: Account, page: HistoryPage, kinds: readonly EntryKind[]): Promise<History> {
    return readHistory(this.#pool, account, page, kinds);
  }

  async find(
    account: Account,
    key: string,
  ): Promise<(Omit<Receipt, "repeated"> & { readonly resolved: boolean }) | null> {
    const found = await findEntries(this.#pool, [{ account, key }]);
    const [entry] = found.values();
    return entry === undefined ? null : { ...entry.receipt, resolved: entry.resolved };
  }

  /**
   * Whether nothing is being booked on the wallet, checked for a third of a second. A COMMIT that
   * waits for a replica, or for its disk, shows nothing yet of what it has written, and holds the
   * wallet until it does.
   */
  async isAtRest(account: Account): Promise<boolean> {
    for (let look = 1; await isHeld(this.#pool, account); look++) {
      if (look === RESTING_CHECKS) return false;
      await sleep(REST_PAUSE_MS);
    }
    return true;
  }

  /** Called after every commit with the wallets that moved, in this process only. */
  onMoved(listener: (moved: readonly WalletMoved[]) => void): void {
    this.#listeners.push(listener);
  }

  /** Recomputes everything from the entries; an empty list: the ledger and its books are sound. */
  verify(): Promise<Discrepancy[]> {
    return verifyLedger(this.#pool, this.#books);
  }

  async close(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.close()));
  }

  #submit(command: CommandParts, change: Change): Promise<Outcome> {
    const writer = this.#writers[command.account.lane % this.#writers.length];
    if (writer === undefined) throw new RangeError("a ledger needs a writer");
    return writer.submit(movementOf(command, change));
  }

  #tell(plan: BatchPlan): void {
    const moved = plan.accounts.map(({ lane, id, currency, balance, held, seq }) => ({
      // The row's currency was written from an Account's, so it is one of the table's.
      account: { lane, id, currency: currency as Currency },
      balance,
      held,
      seq,
    }));
    for (const listener of this.#listeners) listener(moved);
  }
}

type CommandParts = Omit<Command, "amount"> & { readonly amount?: bigint };
type Change = Pick<Movement, "amount"> &
  Partial<Pick<Movement, "heldChange" | "resolves" | "requires" | "followedBy">>;

function movementOf(command: CommandParts, change: Change): Movement {
  assert((command.amount ?? 0n) >= 0n, "a command's amount is not negative");
  const { account, key, counterAccount, kind, ref, at, effects = [], hasLapsed = null } = command;
  const { amount, heldChange = 0n, resolves = null, requires = null, followedBy = null } = change;
  return {
    account,
    key,
    amount,
    heldChange,
    counterAccount,
    kind,
    ref,
    resolves,
    requires,
    at,
    effects,
    followedBy,
    hasLapsed,
  };
}
