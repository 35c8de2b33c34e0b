// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keepLoginPopups } from "../../parts/notices/login-popups.ts";
import { type Popups, popupsOf, readShellSearch } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import ContractPrompts from "./contract-prompts.tsx";

const NOTHING = { dailysalreqtype: "", divtypecompperiodreq: "", contracthoursalreq: "" };
const BOYET = {
  ...{ token: "t", merchantCode: "perya", userName: "boyet", type: 2, firstTimeLogin: false },
};

/** What the server answers; a promise that never resolves is an answer on its way. */
let answers: Record<string, unknown>;
let root: Root | null = null;

beforeEach(() => {
  // A new page scrolls to its top, which jsdom cannot do.
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  sessionStorage.clear();
  localStorage.clear();
  useSession.setState({ session: BOYET, lapsed: false });
  queryClient.clear();
  answers = {
    "/api/v1/status": { info: { zone: "Asia/Manila", merchantCode: "perya" } },
    "/api/v1/announcements/popular": { list: [] },
    "/api/v1/agent/contract-info": { ...NOTHING, divtypecompperiodreq: "MONTH" },
  };
  vi.stubGlobal("fetch", async (url: string) => {
    const value = await answers[new URL(url, "http://localhost").pathname];
    return new Response(JSON.stringify({ value }));
  });
});

afterEach(async () => {
  root?.unmount();
  root = null;
  document.body.replaceChildren();
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  vi.unstubAllGlobals();
});

describe("the prompts of contracts", () => {
  it("[G2.9-13 G2.9-14 G2.9-15] come for each kind that waits, one after the other, once per visit", async () => {
    answers["/api/v1/agent/contract-info"] = {
      dailysalreqtype: "TURNOVER",
      divtypecompperiodreq: "MONTH",
      contracthoursalreq: "AMOUNT",
    };
    const home = await atHome();
    for (const kind of ["daily", "dividend", "hourly"]) {
      await home.shows({ pop: "contract", id: kind });
      home.popups.close();
    }
    await home.shows({});
    await (await atHome()).shows({});
    // A sign-out clears what the tab kept.
    sessionStorage.clear();
    await (await atHome()).shows({ pop: "contract", id: "daily" });
    useSession.setState({ session: { ...BOYET, userName: "nena" } });
    await (await atHome()).shows({ pop: "contract", id: "daily" });
  });

  it("[G2.9-14] do not open where no contract waits", async () => {
    answers["/api/v1/agent/contract-info"] = NOTHING;
    await (await atHome()).shows({});
  });

  it("[G2.2-16] come for contracts offered since the last visit", async () => {
    answers["/api/v1/agent/contract-info"] = NOTHING;
    await (await atHome()).shows({});
    answers["/api/v1/agent/contract-info"] = { ...NOTHING, divtypecompperiodreq: "MONTH" };
    await (await atHome()).shows({ pop: "contract", id: "dividend" });
  });

  it("[G2.2-16] come after the log-in's pop-ups, whichever is ready first", async () => {
    let news: (value: unknown) => void = () => undefined;
    answers["/api/v1/announcements/popular"] = new Promise((told) => {
      news = told;
    });
    const home = await atHome();
    await home.shows({});
    news({ list: [{ id: "ann" }] });
    await home.shows({});
    // As home does it.
    keepLoginPopups("boyet");
    home.popups.open("announcements");
    await home.shows({ pop: "announcements" });
    home.popups.close();
    await home.shows({ pop: "contract", id: "dividend" });
  });

  it("[G2.2-16] do not wait for pop-ups that the player hid for today", async () => {
    answers["/api/v1/announcements/popular"] = { list: [{ id: "ann" }] };
    localStorage.setItem("MC_POPUPS_HIDDEN", "9999-12-31");
    await (await atHome()).shows({ pop: "contract", id: "dividend" });
  });

  it("[G2.2-16] never come over another popup", async () => {
    const home = await atHome("/m/home?pop=menu");
    await home.shows({ pop: "menu" });
    home.popups.close();
    await home.shows({ pop: "contract", id: "dividend" });
  });
});

interface Home {
  readonly popups: Popups;
  /** What the address holds once every call is answered. */
  shows(search: object): Promise<void>;
}

/** A visit of home, which ends the one before it. */
async function atHome(address = "/m/home"): Promise<Home> {
  root?.unmount();
  const rootRoute = createRootRoute({ validateSearch: readShellSearch });
  const path = "/m/home";
  const home = createRoute({ getParentRoute: () => rootRoute, path, component: ContractPrompts });
  const router = createRouter({
    routeTree: rootRoute.addChildren([home]),
    history: createMemoryHistory({ initialEntries: [address] }),
  });
  const place = document.createElement("div");
  document.body.append(place);
  const made = createRoot(place);
  root = made;
  made.render(
    <QueryClientProvider client={queryClient}>
      {/* The app's types are registered with another router. */}
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  await vi.waitFor(async () => {
    await turn();
    expect(queryClient.getQueryData(screenQueries.contractInfo().queryKey)).toBeDefined();
  }, 20_000);
  return {
    popups: popupsOf(router),
    async shows(search) {
      await vi.waitFor(async () => {
        await turn();
        expect(router.state.location.search).toEqual(search);
      }, 20_000);
      // Lets any follow-up run too.
      for (let i = 0; i < 20; i++) await turn();
      expect(router.state.location.search).toEqual(search);
    },
  };
}

/** Runs all that is due, including the timers by which queries notify. */
function turn(): Promise<void> {
  return new Promise((done) => setTimeout(done));
}
