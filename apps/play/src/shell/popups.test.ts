import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { opensOver, POPUPS, popupOf, readShellSearch } from "./popups.ts";

describe("the popup in the address", () => {
  it("is one of ours, with what it is about", () => {
    expect(readShellSearch({ pop: "game", id: 1001 })).toEqual({ pop: "game", id: "1001" });
    expect(readShellSearch({ pop: "admin", cat: "RNG" })).toEqual({});
  });

  it("[A2.2-01 A2.2-02 A2.2-03] stands on the paths of log-in, registration and recovery", () => {
    expect(popupOf("/m/login", undefined, false)).toBe("login");
    expect(popupOf("/m/register", undefined, false)).toBe("register");
    expect(popupOf("/m/register.html", undefined, false)).toBe("register");
    expect(popupOf("/m/forget", undefined, false)).toBe("forget");
    expect(popupOf("/m/reset", undefined, false)).toBe("reset");
    expect(popupOf("/m/home", undefined, false)).toBeNull();
  });

  it("[A2.2-04 A2.2-05] changes a password only in a session", () => {
    expect(popupOf("/m/changePsw", undefined, true)).toBe("changePsw");
    expect(popupOf("/m/changePsw", undefined, false)).toBeNull();
    expect(popupOf("/m/home", "changePsw", false)).toBeNull();
  });

  it("[A2.2-07] is one at a time: what is asked for goes before the path's own", () => {
    expect(popupOf("/m/login", "forget", false)).toBe("forget");
  });

  it("stands over a sheet alone where a session lapsed, and takes the place of any other", () => {
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

  it("takes whatever an address may hold without harm", () => {
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
