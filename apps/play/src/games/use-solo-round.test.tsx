// @vitest-environment jsdom
import { mintId } from "@perya/kernel/ids";
import { moneyReplacer } from "@perya/kernel/money";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, queries, queryClient } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import { type SoloTable, useSoloRound } from "./use-solo-round.ts";

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const [FIRST, NEXT] = [1, 2].map((n) => mintId("seed", n, new Uint8Array(16).fill(n)));
const LAST = "GET /api/v1/rounds/last";
const SEED = "GET /api/v1/fairness/seed";
const CHOICE = "POST /api/v1/fairness/seed";

/** Answers to waiting calls, by method and path. */
let answers: Map<string, (value: object | "away") => void>;
let table: SoloTable;
let root: Root;

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  answers = new Map();
  vi.stubGlobal("fetch", (url: string, init: { method: string }) => {
    const call = `${init.method} ${url.replace(/\?.*/, "")}`;
    return new Promise((answer, fail) =>
      answers.set(call, (value) =>
        value === "away"
          ? fail(new TypeError("Failed to fetch"))
          : answer(new Response(JSON.stringify({ value }, moneyReplacer))),
      ),
    );
  });
  sessionStorage.clear();
  localStorage.clear();
  useSession.setState({ session: MARIA, lapsed: false });
  root = createRoot(document.body);
  const page = (
    <QueryClientProvider client={queryClient}>
      <Probe />
    </QueryClientProvider>
  );
  await act(async () => root.render(page));
});

afterEach(async () => {
  await act(async () => root.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  vi.unstubAllGlobals();
});

describe("a solo game", () => {
  it("opens only once the last round is known and a client seed of the player's is in use", async () => {
    await answer(LAST, { round: null });
    await answer(SEED, seed("house"));
    // The last round was known before this was sent.
    await asked(CHOICE);
    expect(await play()).toBe(false);
    const current = { ...seed("player"), seedId: NEXT, serverSeedHash: "next" };
    await answer(CHOICE, { current, revealed: {} });
    await vi.waitFor(() => expect(table.state.phase).toBe("rest"), 20_000);
    expect(await play()).toBe(true);
  });

  it("opens even if the choice of a seed has failed", async () => {
    await answer(LAST, { round: null });
    await answer(SEED, seed("house"));
    await answer(CHOICE, "away");
    await vi.waitFor(() => expect(table.state.phase).toBe("rest"), 20_000);
    expect(await play()).toBe(true);
  });
});

describe("the balance beside a solo game", () => {
  const php = (minor: string) => ({ minor: BigInt(minor), currency: "PHP" as const });
  const wallet = (minor: string) =>
    act(async () => {
      queryClient.setQueryData(queries.wallet().queryKey, {
        ...{ available: php(minor), held: php("0"), version: 1 },
      } as never);
      // The cache notifies its readers in a later turn.
      await new Promise((done) => setTimeout(done));
    });

  it("is the wallet's, except for a round that was not shown to its end", async () => {
    // No command waits for the server's clock.
    api.alignClock(Date.now());
    await answer(LAST, { round: null });
    await wallet("1000");
    // Even while it loads.
    expect([table.state.phase, table.balance?.minor]).toEqual(["loading", 1_000n]);
    await answer(SEED, seed("player"));
    await vi.waitFor(() => expect(table.state.phase).toBe("rest"), 20_000);
    await wallet("2000");
    expect(table.balance?.minor).toBe(2_000n);
    expect(await play()).toBe(true);
    // One event reports both bet and win.
    await wallet("2400");
    expect([table.state.phase, table.balance?.minor]).toEqual(["sending", 2_000n]);
    const { roundId } = table;
    const fairness = { serverSeed: "s", seedId: FIRST, serverSeedHash: "first" };
    const round = { id: roundId, stake: php("100"), payout: php("500"), outcome: {}, fairness };
    await answer("POST /api/v1/rounds", { round, available: php("2400"), walletVersion: 2 });
    await vi.waitFor(() => expect(table.state.phase).toBe("showing"), 20_000);
    expect(table.balance?.minor).toBe(1_900n);
    await act(async () => table.shown(roundId ?? ""));
    expect([table.state.phase, table.balance?.minor]).toEqual(["rest", 2_400n]);
    await act(async () => table.replay(round as never));
    await wallet("3000");
    expect([table.state.phase, table.balance?.minor]).toEqual(["replaying", 3_000n]);
    await act(async () => table.shown(roundId ?? ""));
    expect(table.state.phase).toBe("rest");
  });
});

async function asked(call: string): Promise<void> {
  await act(() => vi.waitFor(() => expect([...answers.keys()]).toContain(call), 20_000));
}

async function answer(call: string, value: object | "away"): Promise<void> {
  await asked(call);
  await act(async () => answers.get(call)?.(value));
}

/** Whether a tap begins a round. */
async function play(): Promise<boolean> {
  let begun = false;
  await act(async () => {
    begun = table.play({ stakeMinor: "100" });
  });
  return begun;
}

function seed(chosenBy: "house" | "player") {
  const next = { seedId: NEXT, serverSeedHash: "next" };
  const pair = { seedId: FIRST, serverSeedHash: "first", clientSeed: "theirs" };
  return { ...pair, chosenBy, nextNonce: 0, next };
}

function Probe() {
  const nothing = () => undefined;
  table = useSoloRound("parol-fortune", { onRefused: nothing, onNoFunds: nothing });
  return null;
}
