// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queries, queryClient } from "../shell/server.ts";
import { useKeptFlag, useKeptStake } from "./kept-stake.ts";

const LADDER = [100n, 500n, 1_000n, 5_000n] as const;
let used: { stake: ReturnType<typeof useKeptStake>; flag: ReturnType<typeof useKeptFlag> };
let root: Root | null;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  // The status comes late.
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  localStorage.clear();
  root = null;
});

afterEach(async () => {
  await close();
  queryClient.clear();
  vi.unstubAllGlobals();
});

describe("a game's stake on this device", () => {
  it("is the last chosen one, for this game alone", async () => {
    await open("parol", 500n);
    expect(used.stake).toMatchObject({ ladder: LADDER, minor: 500n });
    await act(async () => used.stake.choose(5_000n));
    expect(used.stake.minor).toBe(5_000n);
    await close();
    await open("parol", 500n);
    expect(used.stake.minor).toBe(5_000n);
    await close();
    await open("color", 500n);
    expect(used.stake.minor).toBe(500n);
  });

  it("is never above the brand's limit: then it is the game's default, or else the highest allowed", async () => {
    await open("parol", 1_000n);
    await act(async () => used.stake.choose(5_000n));
    await limited("1000");
    expect(used.stake).toMatchObject({ ladder: [100n, 500n, 1_000n], minor: 1_000n });
    await limited("500");
    expect(used.stake).toMatchObject({ ladder: [100n, 500n], minor: 500n });
  });

  it("has no limit while the status names none", async () => {
    await open("parol", 500n);
    await limited(undefined);
    expect(used.stake.ladder).toEqual(LADDER);
  });
});

describe("a flag on this device", () => {
  it("is false until it is set, and keeps its value", async () => {
    await open("parol", 500n);
    expect(used.flag[0]).toBe(false);
    await act(async () => used.flag[1](true));
    expect(used.flag[0]).toBe(true);
    await close();
    await open("parol", 500n);
    expect(used.flag[0]).toBe(true);
    await act(async () => used.flag[1](false));
    await close();
    await open("parol", 500n);
    expect(used.flag[0]).toBe(false);
  });
});

function Probe({ game, fallback }: { game: string; fallback: bigint }) {
  used = { stake: useKeptStake(game, LADDER, fallback), flag: useKeptFlag("MC_QUICK") };
  return null;
}

async function open(game: string, fallback: bigint): Promise<void> {
  root = createRoot(document.body);
  await act(async () =>
    root?.render(
      <QueryClientProvider client={queryClient}>
        <Probe game={game} fallback={fallback} />
      </QueryClientProvider>,
    ),
  );
}

async function close(): Promise<void> {
  await act(async () => root?.unmount());
  root = null;
}

async function limited(stakeMaxMinor: string | undefined): Promise<void> {
  await act(async () => {
    queryClient.setQueryData(queries.status().queryKey, { info: { stakeMaxMinor } } as never);
    // The cache notifies its readers in a later turn.
    await new Promise((done) => setTimeout(done));
  });
}
