import { beforeEach, describe, expect, it, vi } from "vitest";
import { tabStore } from "./browser-storage.ts";

const SLOT = "MC_INTENTION:maria";

let kept: Map<string, string>;
let isFull: boolean;

beforeEach(() => {
  kept = new Map();
  isFull = false;
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (isFull) throw new Error("QuotaExceededError");
      kept.set(key, value);
    },
    removeItem: (key: string) => void kept.delete(key),
  });
});

describe("the texts of a tab", () => {
  it("are the last ones stored, even where the storage had no room for them", () => {
    const store = tabStore();
    store.setItem(SLOT, "an answered round");
    isFull = true;
    store.setItem(SLOT, "the round after it");
    expect(store.getItem(SLOT)).toBe("the round after it");
    // A reload finds nothing rather than the earlier text.
    expect(tabStore().getItem(SLOT)).toBeNull();

    isFull = false;
    store.setItem(SLOT, "a third round");
    expect([store.getItem(SLOT), tabStore().getItem(SLOT)]).toEqual([
      "a third round",
      "a third round",
    ]);
    store.removeItem(SLOT);
    expect(store.getItem(SLOT)).toBeNull();
  });
});
