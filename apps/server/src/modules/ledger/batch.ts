import { assert } from "@perya/kernel/assert";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { type LedgerRefusal, type Movement, type Receipt, withFollowers } from "./movement.ts";

export interface AccountState {
  readonly lane: number;
  readonly id: string;
  readonly currency: string;
  balance: bigint;
  held: bigint;
  seq: bigint;
  touched: boolean;
}

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
  /** One outcome per movement (the last follower's), in the order they were given. */
  readonly outcomes: readonly Result<Receipt, LedgerRefusal>[];
}

/**
 * Decides a batch in the order its movements were queued, on locked rows: several movements of one
 * account see one another, a refused one leaves no trace, and a later, smaller one that fits is
 * taken. A movement and its followers are taken or refused together, and answered with the last
 * one's outcome. Pure, so that the rules of the ledger can be read and tested without a database.
 * @param lapsed movements that must no longer be booked; a repeat is answered all the same
 */
export function planBatch(
  movements: readonly Movement[],
  accounts: ReadonlyMap<string, AccountState>,
  stored: ReadonlyMap<string, StoredEntry>,
  lapsed: ReadonlySet<Movement> = new Set(),
): BatchPlan {
  const made: Made = { entries: [], byName: new Map(), ended: new Set(), lapsed };
  const outcomes = movements.map((movement) => makeWhole(movement, accounts, stored, made));
  const touched = [...accounts.values()].filter((account) => account.touched);
  return { accounts: touched, entries: made.entries, outcomes };
}

/** The entries that the batch has made so far, and what it must not make. */
interface Made {
  readonly entries: NewEntry[];
  readonly byName: Map<string, NewEntry>;
  readonly ended: Set<string>;
  readonly lapsed: ReadonlySet<Movement>;
}

type Decision = Result<Receipt, LedgerRefusal>;

/** Decides the movement and its followers: all new, all repeats, or all refused. */
function makeWhole(
  movement: Movement,
  accounts: ReadonlyMap<string, AccountState>,
  stored: ReadonlyMap<string, StoredEntry>,
  made: Made,
): Decision {
  const account = accounts.get(movement.account.id);
  if (account === undefined) return refuse({ code: "account_missing" });
  const [first, ...followers] = withFollowers(movement);
  const asFound = { ...account };
  const entriesBefore = made.entries.length;
  let outcome = make(first, account, stored, made);
  for (const follower of followers) {
    if (!outcome.ok) return outcome;
    const { repeated } = outcome.value;
    outcome = make(follower, account, stored, made);
    if (outcome.ok && outcome.value.repeated === repeated) continue;
    for (const entry of made.entries.splice(entriesBefore)) forget(entry, made);
    Object.assign(account, asFound);
    return outcome.ok ? refuse({ code: "key_reused", kind: follower.kind }) : outcome;
  }
  return outcome;
}

function make(
  movement: Movement,
  state: AccountState,
  stored: ReadonlyMap<string, StoredEntry>,
  made: Made,
): Decision {
  const outcome = decide(movement, state, stored, made);
  if (!outcome.ok || outcome.value.repeated) return outcome;
  const { seq, balanceAfter, heldAfter } = outcome.value;
  const entry: NewEntry = { movement, seq, balanceAfter, heldAfter };
  const { account, key, resolves } = movement;
  made.entries.push(entry);
  made.byName.set(entryName(account.id, key), entry);
  if (resolves !== null) made.ended.add(entryName(account.id, resolves));
  return outcome;
}

function forget({ movement: { account, key, resolves } }: NewEntry, made: Made): void {
  made.byName.delete(entryName(account.id, key));
  if (resolves !== null) made.ended.delete(entryName(account.id, resolves));
}

export function entryName(accountId: string, key: string): string {
  return `${accountId}\n${key}`;
}

function decide(
  movement: Movement,
  account: AccountState,
  stored: ReadonlyMap<string, StoredEntry>,
  made: Made,
): Decision {
  assert(account.currency === movement.account.currency, "an account keeps its currency");

  const name = entryName(account.id, movement.key);
  const before = stored.get(name) ?? asStored(made.byName.get(name));
  if (before !== undefined) return repeatOf(movement, before);
  if (made.lapsed.has(movement)) return refuse({ code: "lapsed" });

  const target = movement.resolves ?? movement.requires;
  if (target !== null) {
    const targetName = entryName(account.id, target);
    const existing = stored.get(targetName) ?? asStored(made.byName.get(targetName));
    if (existing === undefined || existing.receipt.kind === "tombstone") {
      return refuse({ code: "target_missing" });
    }
    if (existing.resolved || made.ended.has(targetName)) {
      return refuse({ code: "target_resolved" });
    }
    if (!isAbout(movement, existing)) return refuse({ code: "target_differs" });
    if (movement.resolves !== null && !endsWhole(movement, existing)) {
      return refuse({ code: "amount_differs" });
    }
  }

  const balance = account.balance + movement.amount;
  const held = account.held + movement.heldChange;
  // The held part is not negative, so the balance that contains it is not either.
  if (held < 0n || held > balance) return refuse({ code: "insufficient_funds" });
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

/** Both concern one matter, such as a round; a win requires an entry that takes, such as a bet. */
function isAbout(movement: Movement, existing: StoredEntry): boolean {
  const sameMatter =
    existing.ref === movement.ref && existing.counterAccount === movement.counterAccount;
  return sameMatter && (movement.requires === null || existing.receipt.amount < 0n);
}

/** A hold is ended in full; any other entry by giving back exactly what it took. */
function endsWhole(movement: Movement, existing: StoredEntry): boolean {
  if (existing.heldChange > 0n) return movement.heldChange === -existing.heldChange;
  return movement.heldChange === 0n && movement.amount === -existing.receipt.amount;
}

/** The same key with the same content answers as before; with other content it is refused. */
function repeatOf(movement: Movement, before: StoredEntry): Decision {
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
