import type { Instant } from "@perya/kernel/instant";
import { Unavailable } from "../../platform/unavailable.ts";
import type { Account } from "./account.ts";

export const ENTRY_KINDS = [
  "deposit",
  "withdrawal",
  "bet",
  "win",
  /** A win that was taken back, or that an operator refused. */
  "win-reversal",
  /** A win that waits for an operator, and its end if it is released. */
  "win-hold",
  "win-release",
  "refund",
  "bonus",
  "red-packet",
  "trial-credit",
  "hold",
  "void",
  /**
   * Moves nothing and keeps a key taken: that of a bet whose rollback came before it, or of a win
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
  /** The other leg: `house:…`, `payment:…`, `bonus:…`; its total is kept per lane and batch. */
  readonly counterAccount: string;
  readonly kind: EntryKind;
  readonly ref: string | null;
  /** Key of the entry, of the same `ref`, that this movement ends; each can be ended once. */
  readonly resolves: string | null;
  /** Key of a bet of the same `ref` and counter account, which must exist and not be ended. */
  readonly requires: string | null;
  readonly at: Instant;
  /** Rows of other modules that are written in the same transaction, or not at all. */
  readonly effects: readonly Effect[];
  /** Decided right after this one, on the same account: both are booked or neither. */
  readonly followedBy: Movement | null;
  /**
   * Whether the basis of its judgement is over, such as the odds of a bet. Called when the wallet
   * is locked and again before COMMIT, so that no player waits for news and then has the bet
   * refused or not as they like. Null for a movement that is valid at any time.
   */
  readonly hasLapsed: (() => boolean) | null;
}

/** The movement and its followers, in their order. */
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
   * Prepared-statement name; also the order in which statements of a batch run. A module that runs
   * another's statement among its own names it, as `cashier_05_…`.
   */
  readonly name: string;
  /** Takes a jsonb array of rows as `$1`. */
  readonly sql: string;
  /**
   * True if every row must affect exactly one row of the database; if one does not, its command is
   * undone and fails with EffectMissed. Insert statements leave it false: they either insert all or
   * throw.
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
  /** True if the key had been taken by the same content: nothing moved this time. */
  readonly repeated: boolean;
}

export type LedgerRefusal =
  | { readonly code: "insufficient_funds" }
  | { readonly code: "account_missing" }
  /** The key belongs to an entry with other content; `kind` is that entry's kind. */
  | { readonly code: "key_reused"; readonly kind: EntryKind }
  /** The entry that it resolves or requires does not exist. */
  | { readonly code: "target_missing" }
  /** Another command ended the entry that it resolves or requires. */
  | { readonly code: "target_resolved" }
  /** A hold ends in full, and a refund gives back exactly what its entry took. */
  | { readonly code: "amount_differs" }
  /** The entry that it resolves or requires is of another matter, or took no money. */
  | { readonly code: "target_differs" }
  /** The basis of its judgement was over before it could be booked. */
  | { readonly code: "lapsed" };

/** Thrown if an effect found no row to change: the caller's knowledge of its row was old. */
export class EffectMissed extends Error {
  override name = "EffectMissed";
  /** The name of the statement that found no row. */
  readonly statement: string;

  constructor(statement: string) {
    super(statement);
    this.statement = statement;
  }
}

/** For commands that settle something once: the first to change its row has settled it. */
export async function unlessMissed(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof EffectMissed)) throw error;
  }
}

/** Thrown if the database cannot be reached within the bound; sending again is safe. */
export class LedgerUnavailable extends Unavailable {
  override name = "LedgerUnavailable";
}
