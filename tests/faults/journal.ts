import { openSync, readFileSync, writeSync } from "node:fs";

/**
 * What those outside meant to do and what they were told, a line each, written before they went
 * on: the truth that the product's own books are held against.
 */
export type Entry =
  | { readonly type: "meant"; readonly id: string; readonly what: Family; readonly body: object }
  | { readonly type: "done"; readonly id: string; readonly reply: object }
  /** Nothing happened under the id, and nothing will. */
  | { readonly type: "refused"; readonly id: string; readonly code: string }
  /** A bet on the kite that was cashed out by hand, at so many hundredths. */
  | { readonly type: "cashed"; readonly id: string; readonly hundredths: number }
  /** What a player's page shows as the balance, as the socket told it last. */
  | { readonly type: "shown"; readonly memberId: string; readonly availableMinor: string }
  | { readonly type: "round"; readonly round: VendorRound }
  /** How a vendor's round ended in the vendor's own books. */
  | { readonly type: "ended"; readonly roundId: string; readonly end: RoundEnd }
  /** An answer that broke off; nothing to wonder at while something is killed. */
  | { readonly type: "cut"; readonly what: string }
  /** What should not have been answered, whatever the fault. */
  | { readonly type: "odd"; readonly what: string };

/** Commands of players. */
export type Family = "round" | "ticket" | "slip" | "kite" | "ring" | "deposit" | "withdrawal";

/** How a vendor means to play a round. */
export const ROUND_PLANS = ["lose", "win", "rollback", "win-first", "rollback-first"] as const;
export type RoundPlan = (typeof ROUND_PLANS)[number];

export interface VendorRound {
  readonly vendor: string;
  readonly play: string;
  readonly memberId: string;
  readonly roundId: string;
  readonly gameId: string;
  readonly plan: RoundPlan;
  readonly stakeMinor: string;
  readonly winMinor: string;
}

/**
 * `refused`: no stake was taken. `called off`: nobody can tell whether one was, and it was rolled
 * back.
 */
export type RoundEnd = "lost" | "won" | "rolled back" | "called off" | "refused";

export interface Journal {
  write(entry: Entry): void;
}

/** Synchronous, so that a line stands before the step that it tells of is taken. */
export function openJournal(path: string): Journal {
  const file = openSync(path, "a");
  return { write: (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`) };
}

/** All whole lines; the last one may just be in the writing. */
export function readJournal(path: string, from = 0): { entries: Entry[]; next: number } {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(10) + 1;
  const text = bytes.subarray(from, end).toString("utf8");
  // Written by `openJournal` alone.
  const entries =
    text === ""
      ? []
      : text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line));
  return { entries, next: end };
}
