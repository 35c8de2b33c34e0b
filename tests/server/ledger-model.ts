/**
 * The ledger as it should behave, in memory and one command at a time; tests compare the real one
 * with it. It follows only the rules and ignores lanes, batches and SQL.
 */

export interface ModelCommand {
  /** The index of one of the model's wallets. */
  readonly wallet: number;
  readonly does: "credit" | "debit" | "exchange" | "hold" | "post" | "void" | "refund" | "bury";
  readonly key: string;
  /** The key that a post, void or refund ends. */
  readonly target: string;
  /** The key that a credit requires. */
  readonly requires: string | null;
  readonly amount: bigint;
}

export type ModelOutcome =
  | { readonly refused: string }
  | {
      readonly seq: bigint;
      readonly balanceAfter: bigint;
      readonly heldAfter: bigint;
      readonly repeated: boolean;
    };

interface ModelEntry {
  readonly does: ModelCommand["does"];
  readonly moves: bigint;
  readonly holds: bigint;
  readonly ends: string | null;
  readonly seq: bigint;
  readonly balanceAfter: bigint;
  readonly heldAfter: bigint;
}

interface ModelWallet {
  balance: bigint;
  held: bigint;
  seq: bigint;
  readonly entries: Map<string, ModelEntry>;
  readonly ended: Set<string>;
}

export interface Model {
  readonly wallets: readonly ModelWallet[];
}

/** Wallets that start with these balances, each from one deposit that nothing refers to. */
export function emptyModel(balances: readonly bigint[]): Model {
  return {
    wallets: balances.map((balance) => ({
      balance,
      held: 0n,
      seq: balance === 0n ? 0n : 1n,
      entries: new Map(),
      ended: new Set(),
    })),
  };
}

/** The amount that every exchange gives back, and its key. */
export const EXCHANGE_GIVES = 150n;
export const exchangeKey = (key: string) => `${key} back`;

export function apply(model: Model, command: ModelCommand): ModelOutcome {
  if (command.does !== "exchange") return applyOne(model, command);
  const wallet = model.wallets[command.wallet];
  const asFound = { ...wallet };
  const taken = applyOne(model, { ...command, does: "debit" });
  if ("refused" in taken || wallet === undefined) return taken;
  const key = exchangeKey(command.key);
  const back = { ...command, does: "credit", key, requires: null, amount: EXCHANGE_GIVES } as const;
  const given = applyOne(model, back);
  if ("seq" in given && given.repeated === taken.repeated) return given;
  if (!taken.repeated) wallet.entries.delete(command.key);
  if ("seq" in given && !given.repeated) wallet.entries.delete(key);
  Object.assign(wallet, asFound);
  return { refused: "seq" in given ? "key_reused" : given.refused };
}

function applyOne({ wallets }: Model, command: ModelCommand): ModelOutcome {
  const wallet = wallets[command.wallet];
  if (wallet === undefined) return { refused: "account_missing" };
  const { does, key } = command;
  const { moves, holds } = changeOf(command);
  const ends = does === "post" || does === "void" || does === "refund" ? command.target : null;

  const before = wallet.entries.get(key);
  if (before !== undefined) {
    const same =
      before.does === does &&
      before.moves === moves &&
      before.holds === holds &&
      before.ends === ends;
    return same ? receipt(before, true) : { refused: "key_reused" };
  }
  const needed = ends ?? (does === "credit" ? command.requires : null);
  if (needed !== null) {
    const target = wallet.entries.get(needed);
    if (target === undefined || target.does === "bury") return { refused: "target_missing" };
    if (wallet.ended.has(needed)) return { refused: "target_resolved" };
    const whole =
      target.does === "hold" ? holds === -target.holds : holds === 0n && moves === -target.moves;
    // A win requires a bet; commands of these tests differ from their target in no other way.
    if (ends === null && target.moves >= 0n) return { refused: "target_differs" };
    if (ends !== null && !whole) return { refused: "amount_differs" };
  }
  const balance = wallet.balance + moves;
  const held = wallet.held + holds;
  if (balance < 0n || held < 0n || held > balance) return { refused: "insufficient_funds" };
  wallet.balance = balance;
  wallet.held = held;
  wallet.seq += 1n;
  const { seq } = wallet;
  const entry = { does, moves, holds, ends, seq, balanceAfter: balance, heldAfter: held };
  wallet.entries.set(key, entry);
  if (ends !== null) wallet.ended.add(ends);
  return receipt(entry, false);
}

function changeOf({ does, amount }: ModelCommand): { moves: bigint; holds: bigint } {
  switch (does) {
    case "credit":
    case "refund":
      return { moves: amount, holds: 0n };
    case "debit":
    case "exchange":
      return { moves: -amount, holds: 0n };
    case "hold":
      return { moves: 0n, holds: amount };
    case "post":
      return { moves: -amount, holds: -amount };
    case "void":
      return { moves: 0n, holds: -amount };
    case "bury":
      return { moves: 0n, holds: 0n };
  }
}

function receipt({ seq, balanceAfter, heldAfter }: ModelEntry, repeated: boolean): ModelOutcome {
  return { seq, balanceAfter, heldAfter, repeated };
}
