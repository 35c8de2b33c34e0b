// @vitest-environment jsdom
import type { ChannelListener } from "@perya/client/live";
import { WALLET_KEY } from "@perya/client/queries";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { live, queryClient } from "./server.ts";
import { leaveSession, startSession } from "./session.ts";
import { showWallet, useLiveWallet } from "./wallet.ts";

const MARIA = {
  ...{ token: "a", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};

let root: Root;
let line: ChannelListener<"wallet">;

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.spyOn(live, "subscribe").mockImplementation((_channel, listener) => {
    // The wallet's is the one channel that is followed here.
    line = listener as typeof line;
    return () => undefined;
  });
  await act(async () => startSession(MARIA));
  root = createRoot(document.body);
  await act(async () => root.render(<Follower />));
});

afterEach(async () => {
  await act(async () => root.unmount());
  await act(async () => leaveSession());
  queryClient.clear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("a wallet that came late takes the place of no newer one", () => {
  line.onSnapshot(wallet("50000"), 7);
  line.onEvent({ type: "moved", state: wallet("40000") }, 6);
  showWallet(wallet("30000"), 6);
  expect(shown()).toEqual([7, "50000"]);
  showWallet(wallet("60000"), 8);
  expect(shown()).toEqual([8, "60000"]);
});

it("the wallet that a line begins with is shown whatever was, as money that was lost is gone", () => {
  line.onSnapshot(wallet("50000"), 7);
  line.onSnapshot(wallet("10000"), 3);
  expect(shown()).toEqual([3, "10000"]);
  line.onEvent({ type: "moved", state: wallet("20000") }, 4);
  expect(shown()).toEqual([4, "20000"]);
});

function Follower() {
  useLiveWallet();
  return null;
}

function wallet(minor: string) {
  const none = { minor: "0", currency: "PHP" as const };
  return { available: { ...none, minor }, held: none };
}

function shown() {
  const wallet = queryClient.getQueryData<{ version: number; available: { minor: string } }>([
    ...WALLET_KEY,
  ]);
  return [wallet?.version, wallet?.available.minor];
}
