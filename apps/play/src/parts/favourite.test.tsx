// @vitest-environment jsdom
import { FAVOURITE_IDS_KEY } from "@perya/client/queries";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import { hasStar, useFavourite } from "./favourite.ts";

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const GAME = { nodeId: 7, vassalage: "EVO" };
/** What the server keeps. */
let kept: number[];
let refuses: boolean;
let sent: string[];
let star: ReturnType<typeof useFavourite>;
let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  [kept, refuses, sent] = [[3], false, []];
  vi.stubGlobal(
    "fetch",
    async (url: string, { method, body }: { method: string; body?: string }) => {
      if (!url.includes("/favourite")) return new Promise(() => undefined);
      sent.push(`${method} ${body ?? ""}`.trim());
      if (method === "GET") return new Response(JSON.stringify({ value: { list: kept } }));
      if (refuses) return new Response("{}", { status: 500 });
      kept = method === "POST" ? [7, 3] : [3];
      return new Response(JSON.stringify({ value: { kept: method === "POST" } }));
    },
  );
  useSession.setState({ session: MARIA, lapsed: false });
});

afterEach(async () => {
  await act(async () => root.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  vi.unstubAllGlobals();
});

describe("a game's star", () => {
  it("is lit where the player keeps the game, and a tap turns it over, there and at the server", async () => {
    await open();
    await shows(false);
    await act(async () => star.toggle());
    await shows(true);
    await vi.waitFor(() => expect(kept).toEqual([7, 3]));
    await act(async () => star.toggle());
    await shows(false);
    await vi.waitFor(() => expect(kept).toEqual([3]));
    const body = JSON.stringify({ nodeId: 7, vendor: "EVO" });
    expect(sent.filter((one) => !one.startsWith("GET"))).toEqual([
      ...[`POST ${body}`, `DELETE ${body}`],
    ]);
  });

  it("is asked for before it is turned over where it is not known yet", async () => {
    kept = [7, 3];
    await open();
    await act(async () => star.toggle());
    await vi.waitFor(() => expect(sent.some((one) => one.startsWith("DELETE"))).toBe(true));
    expect(sent.some((one) => one.startsWith("POST"))).toBe(false);
  });

  it("is taken back where the server refuses", async () => {
    await open();
    await shows(false);
    refuses = true;
    await act(async () => star.toggle());
    await vi.waitFor(() => expect(sent.filter((one) => one.startsWith("GET"))).toHaveLength(2));
    await shows(false);
  });

  it("is dark for who is not logged in, whatever was kept before, and nothing is asked", async () => {
    useSession.setState({ session: null, lapsed: false });
    queryClient.setQueryData(FAVOURITE_IDS_KEY, [7]);
    await open();
    expect([star.kept, sent]).toEqual([false, []]);
  });

  it("is none of a lottery's", () => {
    expect((["LOTT", "ELOTT", "RNG"] as const).map((gameType) => hasStar({ gameType }))).toEqual([
      ...[false, false, true],
    ]);
  });
});

function Probe() {
  star = useFavourite(GAME);
  return null;
}

async function open(): Promise<void> {
  root = createRoot(document.body);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Probe />
      </QueryClientProvider>,
    ),
  );
}

async function shows(lit: boolean): Promise<void> {
  await act(() =>
    vi.waitFor(() => {
      expect(queryClient.getQueryData(FAVOURITE_IDS_KEY)).toBeDefined();
      expect(star.kept).toBe(lit);
    }),
  );
}
