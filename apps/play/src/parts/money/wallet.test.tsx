// @vitest-environment jsdom
import type { ChannelListener } from "@perya/client/live-channel";
import { WALLET_KEY } from "@perya/client/queries/member";
import { moneyReplacer } from "@perya/kernel/money";
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { live, queries, queryClient } from "../../shell/server.ts";
import { leaveSession, startSession } from "../../shell/session.ts";
import { showWallet, useLiveWallet } from "./wallet.ts";

const MARIA = {
  ...{ token: "a", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};

const page = pageOfEachTest();
let line: ChannelListener<"wallet">;

beforeEach(async () => {
  vi.spyOn(live, "subscribe").mockImplementation((_channel, listener) => {
    // Only the wallet's channel is followed here.
    line = listener as typeof line;
    return () => undefined;
  });
  await act(async () => startSession(MARIA));
  await page.draw(<Follower />);
});

afterEach(async () => {
  await act(async () => leaveSession());
});

it("a late wallet does not replace a newer one", () => {
  line.onSnapshot(wallet("50000"), 7);
  line.onEvent({ type: "moved", state: wallet("40000") }, 6);
  showWallet(wallet("30000"), 6);
  expect(shown()).toEqual([7, 50000n]);
  showWallet(wallet("60000"), 8);
  expect(shown()).toEqual([8, 60000n]);
});

it("the first wallet of a connection replaces any other, because the database may have lost money", () => {
  line.onSnapshot(wallet("50000"), 7);
  line.onSnapshot(wallet("10000"), 3);
  expect(shown()).toEqual([3, 10000n]);
  line.onEvent({ type: "moved", state: wallet("20000") }, 4);
  expect(shown()).toEqual([4, 20000n]);
});

it("a wallet read before a newer one came does not replace it, and one read later does", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  let answer = (_: Response): void => undefined;
  vi.stubGlobal("fetch", () => new Promise<Response>((done) => (answer = done)));
  const asked = async (version: number, minor: string, meanwhile: () => void) => {
    const reply = queryClient.fetchQuery({ ...queries.wallet(), staleTime: 0 });
    meanwhile();
    await vi.waitFor(() => {
      answer(new Response(JSON.stringify({ value: { ...wallet(minor), version } }, moneyReplacer)));
      return reply;
    }, 20_000);
  };
  line.onSnapshot(wallet("50000"), 7);
  await asked(7, "50000", () => line.onEvent({ type: "moved", state: wallet("40000") }, 8));
  expect(shown()).toEqual([8, 40000n]);
  await asked(9, "30000", () => undefined);
  expect(shown()).toEqual([9, 30000n]);
  // Money that the database lost is gone, unless a newer wallet came meanwhile.
  await asked(4, "10000", () => undefined);
  expect(shown()).toEqual([4, 10000n]);
});

it("[A7-31] the sum of a wallet from the socket includes the held amount, like the call's", () => {
  line.onSnapshot({ ...wallet("123450"), held: { minor: 1000n, currency: "PHP" } }, 1);
  expect(queryClient.getQueryData(queries.wallet().queryKey)).toMatchObject({
    sumBalance: "1244.50",
  });
});

function Follower() {
  useLiveWallet();
  return null;
}

function wallet(minor: string) {
  const none = { minor: 0n, currency: "PHP" as const };
  return { available: { ...none, minor: BigInt(minor) }, held: none };
}

function shown() {
  const wallet = queryClient.getQueryData<{ version: number; available: { minor: bigint } }>([
    ...WALLET_KEY,
  ]);
  return [wallet?.version, wallet?.available.minor];
}
