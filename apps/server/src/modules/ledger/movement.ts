import type { Instant } from "@perya/kernel/instant";
import { Unavailable } from "../../platform/unavailable.ts";
import type { Account } from "./account.ts";

/** What moved, as the transaction record names it. */
export const ENTRY_KINDS = [
  "deposit",
  "withdrawal",
  "bet",
  "win",
  /** A win that was taken back, or that an operator refused. */
  "win-reversal",
  /** A win that waits for an operator, and its end where it is let go. */
  "win-hold",
  "win-release",
  "refund",
  "bonus",
  "red-packet",
  "trial-credit",
  "hold",
  "void",
  /**
   * Moves nothing and keeps a key taken: of the bet of a rollback that came before it, or of a win
   * of nothing.
   */
  "tombstone",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** One command on one wallet. All amounts are minor units of the account's currency. */
export interface Movement {
  readonly account: Account;
  /** Idempotency key, unique within the account. */
  readonly key: string;
  /** Change of the balance; negative takes. */
  readonly amount: bigint;
  /** Change of the part of the balance that is held. */
  readonly heldChange: bigint;
  /** The other leg: `house:…`, `payment:…`, `bonus:…`; its total is kept a lane and batch. */
  readonly counterAccount: string;
  readonly kind: EntryKind;
  readonly ref: string | null;
  /** Key of the entry, of the same `ref`, that this movement ends; each can be ended once. */
  readonly resolves: string | null;
  /** Key of a bet of the same `ref` and counter account, which must stand and not be ended. */
  readonly requires: string | null;
  readonly at: Instant;
  /** Rows of other modules that are written in the same transaction, or not at all. */
  readonly effects: readonly Effect[];
  /** Decided right after this one, on the same account: both stand or neither does. */
  readonly followedBy: Movement | null;
  /**
   * Whether what it was judged by is over, such as the odds of a bet. Asked when the wallet is
   * locked and again before COMMIT, so that nobody waits for news and then has it refused or not as
   * they like. Null for what holds at any time.
   */
  readonly hasLapsed: (() => boolean) | null;
}

/** The movement and what follows it, in their order. */
export function withFollowers(movement: Movement): readonly [Movement, ...Movement[]] {
  const { followedBy } = movement;
  return followedBy === null ? [movement] : [movement, ...withFollowers(followedBy)];
}

/**
 * A set-based statement of another module. All rows that one batch collects for it go to the
 * database at once, as one JSON array in `$1`.
 */
export interface BatchStatement {
  /**
   * Prepared-statement name; also the order in which statements of a batch run. What has to run
   * among another module's bears a number of that module's order, as `cashier_05_…`.
   */
  readonly name: string;
  /** Takes a jsonb array of rows as `$1`. */
  readonly sql: string;
  /**
   * True when every row must affect exactly one row of the database; where one does not, its
   * command is undone and fails with EffectMissed. Insert statements leave it false: they
   * either insert all or throw.
   */
  readonly mustAffectEach: boolean;
}

export interface Effect {
  readonly statement: BatchStatement;
  readonly row: Readonly<Record<string, unknown>>;
}

/** The entry that a movement made, now or when it was first sent. */
export interface Receipt {
  readonly seq: bigint;
  readonly amount: bigint;
  readonly balanceAfter: bigint;
  readonly heldAfter: bigint;
  readonly kind: EntryKind;
  readonly at: Instant;
  /** True when the key had been taken by the same content: nothing moved this time. */
  readonly repeated: boolean;
}

export type LedgerRefusal =
  | { readonly code: "insufficient_funds" }
  | { readonly code: "account_missing" }
  /** The key stands with other content; `kind` is what it stands as. */
  | { readonly code: "key_reused"; readonly kind: EntryKind }
  /** What it resolves or requires is not there. */
  | { readonly code: "target_missing" }
  /** What it resolves or requires was ended by another command. */
  | { readonly code: "target_resolved" }
  /** A hold ends whole, and a refund gives back just what its entry took. */
  | { readonly code: "amount_differs" }
  /** What it resolves or requires is of another matter, or is no taking of money. */
  | { readonly code: "target_differs" }
  /** What it was judged by was over before it could be booked. */
  | { readonly code: "lapsed" };

/** Thrown when an effect found no row to change: the caller's picture of its row was old. */
export class EffectMissed extends Error {
  override name = "EffectMissed";
  /** The name of the statement that found no row. */
  readonly statement: string;

  constructor(statement: string) {
    super(statement);
    this.statement = statement;
  }
}

/** For commands that settle something once: whoever changed its row first has settled it. */
export async function unlessMissed(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof EffectMissed)) throw error;
  }
}

/** Thrown when the database cannot be reached within the bound; sending again is safe. */
export class LedgerUnavailable extends Unavailable {
  override name = "LedgerUnavailable";
}
