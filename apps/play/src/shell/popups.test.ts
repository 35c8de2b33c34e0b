import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { POPUPS, readShellSearch } from "./popups.ts";

describe("the popup in the address", () => {
  it("is one of ours, with what it is about", () => {
    expect(readShellSearch({ pop: "game", id: 1001 })).toEqual({ pop: "game", id: "1001" });
    expect(readShellSearch({ pop: "admin", cat: "RNG" })).toEqual({});
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
        fc.dictionary(fc.constantFrom("pop", "id", "next", "name"), fc.anything()),
        (s) => {
          const { pop, id = "", next = "/m/", name = "" } = readShellSearch(s);
          expect(pop === undefined || POPUPS.includes(pop)).toBe(true);
          expect(next.startsWith("/m/")).toBe(true);
          expect(id.length <= 200 && name.length <= 200).toBe(true);
        },
      ),
    );
  });
});
