import { assert } from "@perya/kernel/assert";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { LedgerRefusal, Movement, Receipt } from "./movement.ts";

/** The locked state of one account as a batch found it. */
export interface AccountState {
  readonly lane: number;
  readonly id: string;
  readonly currency: string;
  balance: bigint;
  held: bigint;
  seq: bigint;
  touched: boolean;
}

/** An entry that stood before the batch. */
export interface StoredEntry {
  readonly accountId: string;
  readonly key: string;
  readonly receipt: Omit<Receipt, "repeated">;
  readonly heldChange: bigint;
  readonly counterAccount: string;
  readonly ref: string | null;
  readonly resolves: string | null;
  readonly resolved: boolean;
}

export interface NewEntry {
  readonly movement: Movement;
  readonly seq: bigint;
  readonly balanceAfter: bigint;
  readonly heldAfter: bigint;
}

export interface BatchPlan {
  readonly accounts: readonly AccountState[];
  readonly entries: readonly NewEntry[];
  /** One outcome a movement, in the order they were given. */
  readonly outcomes: readonly Result<Receipt, LedgerRefusal>[];
}

/**
 * Decides a batch in the order its movements were queued, on locked rows: several movements of
 * one account see one another, a refused one leaves no trace, and a later, smaller one that fits
 * is taken. Pure, so the rules of the ledger can be read and tested without a database.
 */
export function planBatch(
  movements: readonly Movement[],
  accounts: ReadonlyMap<string, AccountState>,
  stored: ReadonlyMap<string, StoredEntry>,
): BatchPlan {
  const entries: NewEntry[] = [];
  const made = new Map<string, NewEntry>();
  const endedNow = new Set<string>();
  const outcomes = movements.map((movement) => {
    const outcome = decide(movement, accounts, stored, made, endedNow);
    if (!outcome.ok || outcome.value.repeated) return outcome;
    const entry: NewEntry = {
      movement,
      seq: outcome.value.seq,
      balanceAfter: outcome.value.balanceAfter,
      heldAfter: outcome.value.heldAfter,
    };
    entries.push(entry);
    made.set(entryName(movement.account.id, movement.key), entry);
    if (movement.resolves !== null) {
      endedNow.add(entryName(movement.account.id, movement.resolves));
    }
    return outcome;
  });
  return { accounts: [...accounts.values()].filter((a) => a.touched), entries, outcomes };
}

export function entryName(accountId: string, key: string): string {
  return `${accountId}\n${key}`;
}

function decide(
  movement: Movement,
  accounts: ReadonlyMap<string, AccountState>,
  stored: ReadonlyMap<string, StoredEntry>,
  made: ReadonlyMap<string, NewEntry>,
  endedNow: ReadonlySet<string>,
): Result<Receipt, LedgerRefusal> {
  const account = accounts.get(movement.account.id);
  if (account === undefined) return refuse({ code: "account_missing" });
  assert(account.currency === movement.account.currency, "an account keeps its currency");

  const name = entryName(account.id, movement.key);
  const before = stored.get(name) ?? asStored(made.get(name));
  if (before !== undefined) return repeatOf(movement, before);

  const target = movement.resolves ?? movement.requires;
  if (target !== null) {
    const targetName = entryName(account.id, target);
    const standing = stored.get(targetName) ?? asStored(made.get(targetName));
    if (standing === undefined || standing.receipt.kind === "tombstone") {
      return refuse({ code: "target_missing" });
    }
    if (standing.resolved || endedNow.has(targetName)) {
      return refuse({ code: "target_resolved" });
    }
    if (movement.resolves !== null && !endsWhole(movement, standing)) {
      return refuse({ code: "amount_differs" });
    }
  }

  const balance = account.balance + movement.amount;
  const held = account.held + movement.heldChange;
  if (balance < 0n || held < 0n || held > balance) return refuse({ code: "insufficient_funds" });
  account.balance = balance;
  account.held = held;
  account.seq += 1n;
  account.touched = true;
  return ok({
    seq: account.seq,
    amount: movement.amount,
    balanceAfter: balance,
    heldAfter: held,
    kind: movement.kind,
    at: movement.at,
    repeated: false,
  });
}

/** A hold is given up whole; anything else is ended by giving back exactly what it took. */
function endsWhole(movement: Movement, standing: StoredEntry): boolean {
  if (standing.receipt.kind === "hold") return movement.heldChange === -standing.heldChange;
  return movement.heldChange === 0n && movement.amount === -standing.receipt.amount;
}

/** The same key with the same content answers as before; with other content it is refused. */
function repeatOf(movement: Movement, before: StoredEntry): Result<Receipt, LedgerRefusal> {
  const same =
    before.receipt.amount === movement.amount &&
    before.heldChange === movement.heldChange &&
    before.receipt.kind === movement.kind &&
    before.counterAccount === movement.counterAccount &&
    before.ref === movement.ref &&
    before.resolves === movement.resolves;
  if (!same) return refuse({ code: "key_reused", kind: before.receipt.kind });
  return ok({ ...before.receipt, repeated: true });
}

function asStored(entry: NewEntry | undefined): StoredEntry | undefined {
  if (entry === undefined) return undefined;
  const { movement } = entry;
  return {
    accountId: movement.account.id,
    key: movement.key,
    receipt: {
      seq: entry.seq,
      amount: movement.amount,
      balanceAfter: entry.balanceAfter,
      heldAfter: entry.heldAfter,
      kind: movement.kind,
      at: movement.at,
    },
    heldChange: movement.heldChange,
    counterAccount: movement.counterAccount,
    ref: movement.ref,
    resolves: movement.resolves,
    resolved: false,
  };
}
