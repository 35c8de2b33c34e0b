// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetSearches, recentSearches, rememberSearch } from "./recent-searches.ts";

beforeEach(() => localStorage.clear());
afterEach(() => void vi.unstubAllGlobals());

describe("recent searches", () => {
  it("are listed newest first, each once regardless of case, and eight at most", () => {
    expect(recentSearches()).toEqual([]);
    expect(rememberSearch("ace")).toEqual(["ace"]);
    rememberSearch("king");
    expect(rememberSearch("ACE")).toEqual(["ACE", "king"]);
    for (let n = 1; n <= 8; n++) rememberSearch(`game ${n}`);
    const eight = [8, 7, 6, 5, 4, 3, 2, 1].map((n) => `game ${n}`);
    expect(recentSearches()).toEqual(eight);
    expect(forgetSearches()).toEqual([]);
    expect(recentSearches()).toEqual([]);
  });

  it("are empty where the storage holds something else, and never more than eight", () => {
    rememberSearch("ace");
    const [key = ""] = Object.keys({ ...localStorage });
    for (const text of ["{", "7", "null", '{"0":"ace"}']) {
      localStorage.setItem(key, text);
      expect(recentSearches()).toEqual([]);
    }
    localStorage.setItem(key, JSON.stringify(["ace", 7, null, ..."abcdefghi"]));
    expect(recentSearches()).toEqual(["ace", ..."abcdefg"]);
  });

  it("last as long as the screen where storage is unavailable", () => {
    const forbidden = () => {
      throw new DOMException("denied", "SecurityError");
    };
    vi.stubGlobal("localStorage", { getItem: forbidden, setItem: forbidden });
    expect(recentSearches()).toEqual([]);
    expect(rememberSearch("ace")).toEqual(["ace"]);
  });
});
