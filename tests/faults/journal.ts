import { openSync, readFileSync, writeSync } from "node:fs";
import { moneyReplacer } from "@perya/kernel/money";

/**
 * The intentions of players and vendors and the answers to them, a line each, written before they
 * went on: the truth with which the product's books are compared.
 */
export type Entry =
  | { readonly type: "meant"; readonly id: string; readonly what: Family; readonly body: object }
  | { readonly type: "done"; readonly id: string; readonly reply: object }
  /** Nothing happened under the id, and nothing will happen. */
  | { readonly type: "refused"; readonly id: string; readonly code: string }
  /** A bet on the kite that was cashed out by hand, at so many hundredths. */
  | { readonly type: "cashed"; readonly id: string; readonly hundredths: number }
  /** The balance on a player's page, from the socket's last message. */
  | { readonly type: "shown"; readonly memberId: string; readonly availableMinor: string }
  | { readonly type: "round"; readonly round: VendorRound }
  /** The end of a vendor's round in the vendor's own books. */
  | { readonly type: "ended"; readonly roundId: string; readonly end: RoundEnd }
  /** An answer that was cut off; this is normal while a process is killed. */
  | { readonly type: "cut"; readonly what: string }
  /** An answer that is wrong under any fault. */
  | { readonly type: "odd"; readonly what: string };

/** Commands of players. */
export type Family = "round" | "ticket" | "slip" | "kite" | "ring" | "deposit" | "withdrawal";

/** How a vendor intends to play a round. */
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
 * `refused`: no stake was taken. `called off`: it is unknown whether a stake was taken, and the bet
 * was rolled back.
 */
export type RoundEnd = "lost" | "won" | "rolled back" | "called off" | "refused";

export interface Journal {
  write(entry: Entry): void;
}

/** Synchronous, so that a line is written before its step is taken. */
export function openJournal(path: string): Journal {
  const file = openSync(path, "a");
  return { write: (entry) => void writeSync(file, `${JSON.stringify(entry, moneyReplacer)}\n`) };
}

/** All complete lines; the last one may still be incomplete. */
export function readJournal(path: string, from = 0): { entries: Entry[]; next: number } {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(10) + 1;
  const text = bytes.subarray(from, end).toString("utf8");
  // Only `openJournal` writes these lines.
  const entries =
    text === ""
      ? []
      : text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line));
  return { entries, next: end };
}
