import type { Round } from "@perya/contract/rounds";
import { mintId } from "@perya/kernel/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type PlayedReply,
  SOLO_START,
  type SoloEvent,
  type SoloState,
  soloReducer,
} from "./solo-round.ts";

function roundOf(id: string): Round {
  return {
    id,
    gameId: "parol-fortune",
    state: "settled",
    stake: { minor: 100n, currency: "PHP" },
    payout: { minor: 0n, currency: "PHP" },
    choices: { stakeMinor: "100" },
    outcome: {},
    fairness: { seedId: "s", serverSeedHash: "h", serverSeed: null, clientSeed: "c", nonce: 0 },
    openedAt: 1,
    settledAt: 1,
  };
}

function replyOf(id: string): PlayedReply {
  const available = { minor: 900n, currency: "PHP" as const };
  return { round: roundOf(id), available, walletVersion: 2 };
}

const ids = [1, 2, 3].map((n) =>
  mintId("round", 1_700_000_000_000 + n, new Uint8Array(16).fill(n)),
);
const [first = "", second = ""] = ids;
const event: fc.Arbitrary<SoloEvent> = fc
  .constantFrom(...ids)
  .chain((id) =>
    fc.constantFrom<SoloEvent>(
      { type: "play", id, choices: {} },
      { type: "last", round: roundOf(id) },
      { type: "answered", id, reply: replyOf(id) },
      { type: "lost", id },
      { type: "refused", id },
      { type: "replay", round: roundOf(id) },
      { type: "shown", id },
    ),
  );

describe("a table of one player", () => {
  it("never leaves a round before its answer, however often play is pressed", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state: SoloState = SOLO_START;
        let unanswered: string | null = null;
        for (const one of events) {
          const before = state;
          state = soloReducer(state, one);
          if (unanswered !== null && state !== before) {
            const settled =
              (one.type === "answered" || one.type === "refused") && one.id === unanswered;
            expect(settled || one.type === "lost").toBe(true);
          }
          unanswered = state.phase === "sending" || state.phase === "waiting" ? state.id : null;
        }
      }),
    );
  });

  it("begins no second round with a second tap", () => {
    const sending = soloReducer(
      { phase: "rest", round: null },
      { type: "play", id: first, choices: {} },
    );
    expect(soloReducer(sending, { type: "play", id: second, choices: {} })).toBe(sending);
  });

  it("waits for the same round after a lost answer", () => {
    let state = soloReducer(
      { phase: "rest", round: null },
      { type: "play", id: first, choices: {} },
    );
    state = soloReducer(state, { type: "lost", id: first });
    expect(state).toEqual({ phase: "waiting", id: first, choices: {} });
    const reply = replyOf(first);
    state = soloReducer(state, { type: "answered", id: first, reply });
    expect(state).toEqual({ phase: "showing", id: first, reply });
  });

  it("does not show a replay while it has a round under way", () => {
    const sending: SoloState = { phase: "sending", id: first, choices: {} };
    expect(soloReducer(sending, { type: "replay", round: roundOf(second) })).toBe(sending);
  });
});
