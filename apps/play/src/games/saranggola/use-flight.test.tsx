// @vitest-environment jsdom
import type { ChannelListener } from "@perya/client/live-channel";
import type { SaranggolaBet } from "@perya/contract/saranggola";
import type { SaranggolaState } from "@perya/contract/socket";
import { elapsedAtMs } from "@perya/games/saranggola";
import { mintId } from "@perya/kernel/ids";
import { moneyReplacer } from "@perya/kernel/money";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, live, queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { type OwnFlight, useFlight } from "./use-flight.ts";

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const WISH = { stakeMinor: 1_000n, autoHundredths: null };
const [FIRST, NEXT] = [1, 2].map((n) => mintId("round", n, new Uint8Array(16).fill(n)));

let line: ChannelListener<"saranggola">;
let staked: string[];
/** The server's answer about the player's bets. */
let mine: SaranggolaBet[];
let kite: OwnFlight;
let root: Root;

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("fetch", async (url: string, init: { method: string; body: string }) => {
    if (init.method === "POST") staked.push(JSON.parse(init.body).roundId);
    if (url.includes("/mine"))
      return new Response(JSON.stringify({ value: { bets: mine } }, moneyReplacer));
    return new Promise(() => undefined);
  });
  vi.spyOn(live, "subscribe").mockImplementation((_, listener) => {
    line = listener as unknown as typeof line; // The kite uses no other channel.
    return () => undefined;
  });
  [staked, mine] = [[], []];
  // Like the connection's first heartbeat.
  api.alignClock(Date.now());
  sessionStorage.clear();
  useSession.setState({ session: MARIA, lapsed: false });
  root = createRoot(document.body);
  await act(async () => root.render(<Probe />));
  await act(async () => {
    line.onState?.("live");
    line.onSnapshot(flight(), 1);
  });
  await act(async () => kite.bet(WISH));
  expect(kite.table.queued).toMatchObject(WISH);
});

afterEach(async () => {
  await act(async () => root.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  Reflect.deleteProperty(document, "hidden");
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("a bet that waits for the next kite", () => {
  it("is placed automatically while its player watches", async () => {
    await nextWaits();
    expect(staked).toEqual([NEXT]);
    expect(kite.table.queued).toBeNull();
  });

  it("is not placed once the page was hidden", async () => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    await act(async () => void document.dispatchEvent(new Event("visibilitychange")));
    await nextWaits();
    expect(staked).toEqual([]);
  });

  it("is not placed once the connection was lost, and no bet is taken meanwhile", async () => {
    await act(async () => line.onState?.("waiting"));
    await act(async () => kite.bet(WISH));
    expect(kite.table.queued).toBeNull();
    await act(async () => line.onState?.("live"));
    await nextWaits();
    expect(staked).toEqual([]);
  });

  it("is not placed once its player's session ended, not even for the next player who logs in", async () => {
    await act(async () => useSession.setState({ session: null, lapsed: true }));
    expect(kite.table.queued).toBeNull();
    const session = { ...MARIA, token: "u", userName: "boyet" };
    await act(async () => useSession.setState({ session, lapsed: false }));
    await nextWaits();
    expect(staked).toEqual([]);
  });
});

describe("a bet that is not among the largest, so that no event names it", () => {
  const stake = { minor: 1000n, currency: "PHP" as const };
  const placed = {
    ...{ id: mintId("bet", 1, new Uint8Array(16)), roundId: FIRST ?? "", stake },
    ...{ autoCashOut: 150, cashedOutAt: null, payout: { ...stake, minor: 0n } },
    state: "placed" as const,
  };

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    mine = [placed];
    await act(async () => line.onState?.("waiting"));
    await act(async () => line.onState?.("live"));
    await act(async () => line.onSnapshot(flight({ startsAt: Date.now() }), 3));
    await vi.waitFor(() => expect(kite.table.bet).toEqual(placed), 20_000);
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("is shown as paid soon after the kite reached its target", async () => {
    mine = [{ ...placed, state: "cashed", cashedOutAt: 150, payout: { ...stake, minor: 1500n } }];
    await act(async () => vi.advanceTimersByTime(elapsedAtMs(150)));
    expect(kite.table.bet).toEqual(placed);
    await act(async () => vi.advanceTimersByTime(1_000));
    await vi.waitFor(() => expect(kite.table.bet).toEqual(mine[0]), 20_000);
  });

  it("is shown as returned soon after its flight is voided", async () => {
    mine = [{ ...placed, state: "voided" }];
    await act(async () => line.onEvent({ type: "phase", state: flight({ phase: "voided" }) }, 4));
    expect(kite.table.bet).toEqual(placed);
    await act(async () => vi.advanceTimersByTime(2_000));
    await vi.waitFor(() => expect(kite.table.bet).toEqual(mine[0]), 20_000);
  });
});

describe("a brand whose kite has not flown yet", () => {
  it("is read again until its first flight comes", async () => {
    await act(async () => root.unmount());
    root = createRoot(document.body);
    await act(async () => root.render(<Probe />));
    await act(async () => {
      line.onState?.("live");
      line.onSnapshot(null, 0);
    });
    expect(kite.table.flight).toBeNull();
    await nextWaits();
    expect(kite.table.flight).toMatchObject({ roundId: NEXT, phase: "waiting" });
  });
});

async function nextWaits(): Promise<void> {
  const history = [{ roundId: FIRST ?? "", crashedAt: 200 }];
  const state = flight({ roundId: NEXT ?? "", phase: "waiting", history });
  await act(async () => line.onEvent({ type: "phase", state }, 2));
}

function flight(change: Partial<SaranggolaState> = {}): SaranggolaState {
  return {
    ...{ roundId: FIRST ?? "", phase: "flying", seedHash: "h", now: 0, startsAt: 0 },
    ...{ crashedAt: null, bets: [], betCount: 0, history: [] },
    ...change,
  };
}

function Probe() {
  kite = useFlight({ currency: "PHP", onNoFunds: () => undefined });
  return null;
}
