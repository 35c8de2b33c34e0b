import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
} from "@tanstack/react-router";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { opensOver, POPUPS, type Popup, popupOf, popupsOf, readShellSearch } from "./popups.ts";
import type { SessionInfo } from "./session.ts";

/** The app's addresses without its screens, with a visitor who opens and closes popups there. */
async function createVisit(path: string) {
  const root = createRootRoute({ validateSearch: readShellSearch });
  const paths = ["/m/home", "/m/login", "/m/register", "/m/set"];
  const router = createRouter({
    routeTree: root.addChildren(
      paths.map((one) => createRoute({ getParentRoute: () => root, path: one })),
    ),
    history: createMemoryHistory({ initialEntries: ["/m/home", path] }),
    isServer: false,
    origin: "https://perya.example",
  });
  // As the router's own provider does for the app.
  router.history.subscribe(() => void router.load());
  await router.load();
  /** Waits until the address has settled. */
  const shown = (path: string, popup: Popup | null) =>
    vi.waitFor(() => {
      const { pathname, search } = router.state.location;
      const { pop } = readShellSearch(search);
      expect([pathname, popupOf(pathname, pop, null)]).toEqual([path, popup]);
    }, 20_000);
  return { router, popups: popupsOf(router), shown };
}

describe("opening and closing", () => {
  it("[A4-12] sets and unsets whether the log-in is shown", async () => {
    const { router, popups, shown } = await createVisit("/m/set");
    await shown("/m/set", null);
    popups.open("login", { next: "/m/home" });
    await shown("/m/set", "login");
    expect(router.state.location.search).toMatchObject({ next: "/m/home" });
    popups.close();
    await shown("/m/set", null);
    expect(router.state.location.search).not.toHaveProperty("next");
  });

  it("[A4-12] does the same where the address itself is the log-in's", async () => {
    const { popups, shown } = await createVisit("/m/login");
    await shown("/m/login", "login");
    popups.open("register");
    await shown("/m/register", "register");
    popups.close();
    await shown("/m/home", null);
  });

  it("keeps a screen's own id, and removes a popup's id with the popup", async () => {
    const { router, popups, shown } = await createVisit("/m/set?id=mine");
    popups.open("login", { next: "/m/home" });
    await shown("/m/set", "login");
    expect(router.state.location.search).toMatchObject({ id: "mine" });
    popups.close();
    await shown("/m/set", null);
    expect(router.state.location.search).toEqual({ id: "mine" });
    const linked = await createVisit("/m/set?pop=game&id=1001");
    linked.popups.close();
    await linked.shown("/m/set", null);
    expect(linked.router.state.location.search).toEqual({});
  });

  it("is one step of the history, even where one popup replaced another", async () => {
    const { popups, shown } = await createVisit("/m/set");
    popups.open("menu");
    await shown("/m/set", "menu");
    popups.open("login");
    await shown("/m/set", "login");
    popups.close();
    await shown("/m/set", null);
  });
});

describe("the popup in the address", () => {
  it("is one of ours, with its subject", () => {
    expect(readShellSearch({ pop: "game", id: 1001 })).toEqual({ pop: "game", id: "1001" });
    expect(readShellSearch({ pop: "admin", cat: "RNG" })).toEqual({});
  });

  it("[A2.2-01 A2.2-02 A2.2-03] opens on the paths of log-in, registration and recovery", () => {
    expect(popupOf("/m/login", undefined, null)).toBe("login");
    expect(popupOf("/m/register", undefined, null)).toBe("register");
    expect(popupOf("/m/register.html", undefined, null)).toBe("register");
    expect(popupOf("/m/forget", undefined, null)).toBe("forget");
    expect(popupOf("/m/reset", undefined, null)).toBe("reset");
    expect(popupOf("/m/home", undefined, null)).toBeNull();
  });

  it("[A4-12] shows the log-in from its opening to its closing", () => {
    const shown = (search: Record<string, unknown>) =>
      popupOf("/m/slot-games", readShellSearch(search).pop, null) === "login";
    expect(shown({})).toBe(false);
    expect(shown({ pop: "login" })).toBe(true);
    expect(shown({ pop: "menu" })).toBe(false);
  });

  it("[A2.2-04 A2.2-05] changes a password only in a session that has one", () => {
    const of = (type: number): SessionInfo => ({
      ...{ token: "t", merchantCode: "perya", userName: "maria", type, firstTimeLogin: false },
    });
    expect(popupOf("/m/changePsw", undefined, of(0))).toBe("changePsw");
    expect(popupOf("/m/home", "changePsw", of(40))).toBe("changePsw");
    expect(popupOf("/m/home", "changePsw", of(4))).toBeNull();
    expect(popupOf("/m/changePsw", undefined, null)).toBeNull();
    expect(popupOf("/m/home", "changePsw", null)).toBeNull();
  });

  it("[A2.2-07] is one at a time: the requested one precedes the path's own", () => {
    expect(popupOf("/m/login", "forget", null)).toBe("forget");
  });

  it("opens over a sheet only where a session lapsed, and replaces any other popup", () => {
    expect(opensOver("login", "security", true)).toBe(true);
    expect(opensOver("login", "changePsw", true)).toBe(true);
    expect(opensOver("login", "security", false)).toBe(false);
    expect(opensOver("forget", "security", true)).toBe(false);
    for (const open of ["login", "register", "forget", "menu", "signout", null] as const) {
      expect(opensOver("login", open, true), String(open)).toBe(false);
    }
  });

  it("leads after a log-in only to a page of this app", () => {
    expect(readShellSearch({ next: "/m/voucherCenter" })).toEqual({ next: "/m/voucherCenter" });
    for (const next of ["https://evil.example/m/", "//evil.example/m/", "/pay/x", "javascript:1"]) {
      expect(readShellSearch({ next })).toEqual({});
    }
  });

  it("takes any value of an address without harm", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("pop", "id", "next", "name", "trial", "token"),
          fc.anything(),
        ),
        (s) => {
          const { pop, id = "", next = "/m/", name = "", token = "" } = readShellSearch(s);
          expect(pop === undefined || POPUPS.includes(pop)).toBe(true);
          expect(next.startsWith("/m/")).toBe(true);
          expect(Math.max(id.length, name.length, token.length) <= 200).toBe(true);
        },
      ),
    );
  });
});
