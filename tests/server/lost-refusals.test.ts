import { describe, expect, it } from "vitest";
import type { CommandKey } from "../../packages/client/src/api.ts";
import { askUntilDefinite, REQUEST_LIFE_MS } from "../../packages/client/src/intention.ts";
import { ApiRefusal, NetworkFailure } from "../../packages/client/src/refused.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import { OUTCOMES, REFUSALS, type RefusalCode } from "../../packages/contract/src/refusal.ts";
import { COMMANDS } from "./commands.ts";

/**
 * A command's declared refusals come after the look-up of its id, so they are definite for an
 * earlier request too. These may also come before the look-up, so they are not.
 */
const ASKED_AT_THE_DOOR: readonly RefusalCode[] = [
  "feature_off",
  "maintenance",
  "real_account_needed",
];
/** Longer than a lost request lives, and shorter than anybody waits. */
const PATIENCE_MS = 2 * REQUEST_LIFE_MS;

const keys = Object.keys(COMMANDS) as CommandKey[]; // the keys of this table
const refused = keys.flatMap((key) =>
  (calls[key].refusals ?? [])
    .filter((code) => OUTCOMES[code] !== "unknown" && !ASKED_AT_THE_DOOR.includes(code))
    .map((code) => [key, code] as const),
);

describe("a command that was refused, and whose answer was lost", () => {
  it.each(refused)("%s tells its player %s when it is sent again", async (key, code) => {
    const more = { title: "", detail: "", requestId: "r" };
    const no = new ApiRefusal({ type: code, code, status: REFUSALS[code], ...more });
    const answers = [new NetworkFailure(false), no];
    let nowMs = 10_000_000;
    const doubts: unknown[] = [];
    const asking = askUntilDefinite(
      async () => {
        throw answers.length > 1 ? answers.shift() : no;
      },
      {
        now: () => nowMs,
        pause: async (ms) => {
          nowMs += ms;
          if (nowMs > 10_000_000 + PATIENCE_MS) throw new Error(`${key} is in doubt without end`);
        },
        onDoubt: (error) => doubts.push(error),
        signal: new AbortController().signal,
        lostAt: null,
      },
    );
    await expect(asking).rejects.toBe(no);
    expect(doubts.length).toBeGreaterThan(0);
  });
});
