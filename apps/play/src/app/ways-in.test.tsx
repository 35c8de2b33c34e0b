// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import GameSheet from "../features/games/game-sheet.tsx";
import TrialScreen from "../features/games/trial-screen.tsx";
import { screenQueries } from "../shell/screen-queries.ts";
import { api, queries, queryClient } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import PlayScreen from "./play-screen.tsx";

// The build makes the catalogues of texts.
vi.mock("../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, language: "EN", tag: "en", number: String }),
}));
vi.mock("../shell/popups.ts", () => ({
  usePopups: () => ({ open: () => undefined, leaveTo: () => undefined }),
  useOpenPopup: () => ({}),
}));
vi.mock("@perya/ui/sheet", () => ({
  Sheet: ({ children }: { children: ReactNode }) => children,
}));

const FREE = {
  ...{ nodeId: 7, displayName: "Parol Fortune", houseGame: "parol-fortune", gameType: "RNG" },
  ...{ vassalage: "BGS", vendorName: "Perya", status: "up", freeplay: true, supportPlay: true },
  ...{ rtp: null, minBet: "1.00", isNew: false, iconUrl: "/i.png", isGameH5: null },
};
const STARTED = {
  ...{ token: "t", merchantCode: "perya", userName: "try", customerType: 4, firstTimeLogin: false },
};
const STARTS = ["POST /api/v1/auth/test-play", "GET /api/v1/auth/trial-account"];

let root: Root;
let asked: string[];
let grant: () => void;
let refuse: () => void;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("scrollTo", () => undefined);
  asked = [];
  queryClient.setQueryData(queries.status().queryKey, {
    info: { currency: "PHP", closedPaths: [], menuCheck: [], promoAvailability: {}, imageCDNs: [] },
  } as never); // the screens read nothing else
  queryClient.setQueryData(screenQueries.game(7).queryKey, FREE as never);
  vi.spyOn(api, "call").mockImplementation(((call: string) => {
    // The other calls never answer.
    if (!STARTS.includes(call)) return new Promise(() => undefined);
    asked.push(call);
    return new Promise((done, fail) => {
      grant = () => done(STARTED);
      refuse = () => fail(new TypeError("down"));
    });
  }) as never); // the spied function is generic in the call
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  localStorage.clear();
  sessionStorage.clear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it.each(["/m/play/parol-fortune", "/m/trail", "/m/help"])(
  "[A4-05] a guest's free trial at %s shows that it is under way until the answer, and is requested once",
  async (path) => {
    await open(path);
    expect(isBusy()).toBe(false);
    await tap();
    expect(isBusy()).toBe(true);
    await tap();
    expect([isBusy(), asked.length]).toEqual([true, 1]);
    await act(async () => refuse());
    await pass();
    expect([isBusy(), useSession.getState().session]).toEqual([false, null]);
    await tap();
    await act(async () => grant());
    await pass();
    expect(useSession.getState().session).toMatchObject({ userName: "try", type: 4 });
  },
);

/** The ways into free play, and the sheet of a game over a screen of its own. */
async function open(path: string): Promise<void> {
  const base = createRootRoute();
  const of = (path: string, component: () => ReactNode) =>
    createRoute({ getParentRoute: () => base, path, component });
  const routeTree = base.addChildren([
    of("/m/play/$game", PlayScreen),
    of("/m/trail", TrialScreen),
    of("/m/home", () => null),
    of("/m/help", () => <GameSheet open close={() => undefined} id="7" />),
  ]);
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createRouter({ routeTree, history });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        {/* A router of these screens replaces the app's own, whose type is registered. */}
        <RouterProvider router={router as never} />
      </QueryClientProvider>,
    ),
  );
  await pass();
}

function trial(): HTMLButtonElement | undefined {
  return [...document.querySelectorAll("button")].find(
    ({ textContent }) => textContent === "auth.trial",
  );
}

function isBusy(): boolean {
  return trial()?.getAttribute("aria-busy") === "true";
}

async function tap(): Promise<void> {
  expect(trial()).toBeDefined();
  await act(async () => trial()?.click());
  await pass();
}

function pass(): Promise<void> {
  return act(() => new Promise<void>((done) => setTimeout(done, 30)));
}
