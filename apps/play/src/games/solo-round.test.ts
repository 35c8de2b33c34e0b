import type { Round } from "@perya/contract/rounds";
import { mintId } from "@perya/kernel/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryStore } from "./kept-text.ts";
import { dropPending, keepPending, type PendingRound, readPending } from "./pending-round.ts";
import {
  type PlayedReply,
  resendAfterMs,
  SOLO_START,
  type SoloEvent,
  type SoloState,
  soloReducer,
} from "./solo-round.ts";

function pendingOf(n: number, userName = "maria"): PendingRound {
  const id = mintId("round", 1_700_000_000_000 + n, new Uint8Array(16).fill(n));
  return { id, gameId: "parol-fortune", choices: { stakeMinor: "100" }, userName };
}

function roundOf({ id, choices }: PendingRound): Round {
  return {
    id,
    gameId: "parol-fortune",
    state: "settled",
    stake: { minor: "100", currency: "PHP" },
    payout: { minor: "0", currency: "PHP" },
    choices: { ...choices },
    outcome: {},
    fairness: { seedId: "s", serverSeedHash: "h", serverSeed: null, clientSeed: "c", nonce: 0 },
    openedAt: 1,
    settledAt: 1,
  };
}

function replyOf(pending: PendingRound): PlayedReply {
  const available = { minor: "900", currency: "PHP" as const };
  return { round: roundOf(pending), available, walletVersion: 2 };
}

const rounds = [1, 2, 3].map((n) => pendingOf(n));
const event: fc.Arbitrary<SoloEvent> = fc
  .constantFrom(...rounds)
  .chain((pending) =>
    fc.constantFrom<SoloEvent>(
      { type: "play", pending },
      { type: "last", round: roundOf(pending) },
      { type: "answered", id: pending.id, reply: replyOf(pending) },
      { type: "lost", id: pending.id },
      { type: "again" },
      { type: "refused", id: pending.id },
      { type: "replay", round: roundOf(pending) },
      { type: "shown", id: pending.id },
    ),
  );

describe("a table of one player", () => {
  it("never leaves a round before it was answered, however often play is pressed", () => {
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
            const resent = one.type === "again" || one.type === "lost";
            expect(settled || resent).toBe(true);
          }
          unanswered =
            state.phase === "sending" || state.phase === "waiting" ? state.pending.id : null;
        }
      }),
    );
  });

  it("a second tap does not begin a second round", () => {
    const [first, second] = [pendingOf(1), pendingOf(2)];
    const sending = soloReducer({ phase: "rest", round: null }, { type: "play", pending: first });
    expect(soloReducer(sending, { type: "play", pending: second })).toBe(sending);
  });

  it("a lost answer sends the same round again, not another one", () => {
    const pending = pendingOf(1);
    let state = soloReducer({ phase: "rest", round: null }, { type: "play", pending });
    state = soloReducer(state, { type: "lost", id: pending.id });
    state = soloReducer(state, { type: "again" });
    expect(state).toEqual({ phase: "sending", pending, attempt: 2 });
  });

  it("a replay moves no table that has a round under way", () => {
    const pending = pendingOf(1);
    const sending: SoloState = { phase: "sending", pending, attempt: 1 };
    expect(soloReducer(sending, { type: "replay", round: roundOf(pendingOf(2)) })).toBe(sending);
  });

  it("waits longer after each lost attempt, and never longer than eight seconds", () => {
    const waits = [1, 2, 3, 4, 5, 50].map(resendAfterMs);
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });
});

describe("a round that was sent and not shown", () => {
  it("comes back after a reload, for its own player only", () => {
    const store = memoryStore();
    const pending = pendingOf(1);
    keepPending(store, pending);
    expect(readPending(store, "parol-fortune", "maria")).toEqual(pending);
    expect(readPending(store, "parol-fortune", "jun")).toBeNull();
    expect(readPending(store, "color-game", "maria")).toBeNull();
  });

  it("is forgotten once shown, but not when a newer one stands in its place", () => {
    const store = memoryStore();
    keepPending(store, pendingOf(1));
    keepPending(store, pendingOf(2));
    dropPending(store, pendingOf(1));
    expect(readPending(store, "parol-fortune", "maria")?.id).toBe(pendingOf(2).id);
    dropPending(store, pendingOf(2));
    expect(readPending(store, "parol-fortune", "maria")).toBeNull();
  });

  it("is not read from a store that holds something else", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const store = memoryStore();
        store.setItem("MC_PENDING_ROUND:parol-fortune", text);
        expect(readPending(store, "parol-fortune", "maria")).toBeNull();
      }),
    );
  });
});
