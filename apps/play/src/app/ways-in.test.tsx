// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest, pass } from "../../../../tests/play/page-of-each-test.tsx";
import GameSheet from "../features/games/game-sheet.tsx";
import TrialScreen from "../features/games/trial-screen.tsx";
import { screenQueries } from "../shell/screen-queries.ts";
import { api, queries, queryClient } from "../shell/server.ts";
import { useSession } from "../shell/session.ts";
import PlayScreen from "./play-screen.tsx";

vi.mock("../shell/text.ts", () => import("../../../../tests/play/texts-as-ids.ts"));
vi.mock("../shell/popups.ts", () => ({
  usePopups: () => ({ open: () => undefined, leaveTo: () => undefined }),
  useOpenPopup: () => ({}),
}));
vi.mock("@perya/ui/sheet", () => ({ Sheet: ({ children }: { children: ReactNode }) => children }));

const FREE = {
  ...{ nodeId: 7, displayName: "Parol Fortune", houseGame: "parol-fortune", gameType: "RNG" },
  ...{ vassalage: "BGS", vendorName: "Perya", status: "up", freeplay: true, supportPlay: true },
  ...{ rtp: null, minBet: "1.00", isNew: false, iconUrl: "/i.png", isGameH5: null },
};
const STARTED = {
  ...{ token: "t", merchantCode: "perya", userName: "try", customerType: 4, firstTimeLogin: false },
};
const STARTS = ["POST /api/v1/auth/test-play", "GET /api/v1/auth/trial-account"];

const page = pageOfEachTest();
let asked: string[];
let grant: () => void;
let refuse: () => void;

beforeEach(() => {
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
});

afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
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
    await pass(30);
    expect([isBusy(), useSession.getState().session]).toEqual([false, null]);
    await tap();
    await act(async () => grant());
    await pass(30);
    expect(useSession.getState().session).toMatchObject({ userName: "try", type: 4 });
  },
);

/** The ways into free play, and the sheet of a game over a screen of its own. */
async function open(path: string): Promise<void> {
  await page.drawAt(path, {
    "/m/play/$game": PlayScreen,
    "/m/trail": TrialScreen,
    "/m/home": () => null,
    "/m/help": () => <GameSheet open close={() => undefined} id="7" />,
  });
  await pass(30);
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
  await pass(30);
}
