// @vitest-environment jsdom
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type HashSheets, useHashSheet, useHashSheets } from "./use-hash-sheet.ts";

const SHEETS = ["info", "history", "sound", "stake"] as const;

let used: HashSheets<(typeof SHEETS)[number]>;
let country: ReturnType<typeof useHashSheet>;
let history: ReturnType<typeof createMemoryHistory>;
let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("scrollTo", () => undefined);
});

afterEach(async () => {
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});

describe("one of several sheets", () => {
  it("is a step of the history, and closing it goes that step back", async () => {
    await enter("/game?stake=5");
    expect(used.sheet).toBeNull();
    await act(async () => used.open("info"));
    expect([used.sheet, history.length, at()]).toEqual(["info", 2, "/game?stake=5#info"]);
    await act(async () => used.close());
    expect([used.sheet, at()]).toEqual([null, "/game?stake=5"]);
    // Nothing is left to close.
    await act(async () => used.close());
    expect(at()).toBe("/game?stake=5");
  });

  it("replaces another, and both are one step of the history", async () => {
    await enter("/game");
    await act(async () => used.open("info"));
    await act(async () => used.open("history"));
    expect([used.sheet, history.length]).toEqual(["history", 2]);
    await act(async () => used.close());
    expect(at()).toBe("/game");
  });

  it("that the page opened with closes on the same page, and so does the next in its place", async () => {
    await enter("/game#sound");
    expect(used.sheet).toBe("sound");
    await act(async () => used.open("stake"));
    await act(async () => used.close());
    expect([at(), history.length]).toEqual(["/game", 1]);
  });

  it("is closed where the address names something else", async () => {
    await enter("/game#nothing");
    expect(used.sheet).toBeNull();
    await act(async () => used.close());
    expect(at()).toBe("/game#nothing");
  });
});

describe("the only sheet of its place", () => {
  it("opens as a step of the history, and closing it goes that step back", async () => {
    await enter("/game");
    await act(async () => country.close());
    expect(country.open).toBe(false);
    await act(async () => country.show());
    expect([country.open, at()]).toEqual([true, "/game#country"]);
    await act(async () => country.close());
    expect([country.open, at()]).toEqual([false, "/game"]);
  });

  it("that the page opened with closes on the same page", async () => {
    await enter("/game#country");
    expect(country.open).toBe(true);
    await act(async () => country.close());
    expect([at(), history.length]).toEqual(["/game", 1]);
  });
});

function Probe() {
  used = useHashSheets(SHEETS);
  country = useHashSheet("country");
  return null;
}

async function enter(address: string): Promise<void> {
  history = createMemoryHistory({ initialEntries: [address] });
  const top = createRootRoute();
  const game = createRoute({ getParentRoute: () => top, path: "/game", component: Probe });
  const router = createRouter({ routeTree: top.addChildren([game]), history });
  root = createRoot(document.body);
  // The app's own router is another; this one has a screen for the probe alone.
  await act(async () => root.render(<RouterProvider router={router as never} />));
  await act(() => vi.waitFor(() => expect(router.state.status).toBe("idle"), 20_000));
}

function at(): string {
  return history.location.href;
}
