import { memoryStore } from "@perya/client/browser-storage";
import { describe, expect, it } from "vitest";
import { ShownBefore, verdictOn } from "./shown-before.ts";

describe("the record of what a device was shown", () => {
  it("keeps the first text of a name with its time, whatever comes later under the same name", () => {
    const store = memoryStore();
    let now = 1_000;
    const shown = new ShownBefore(store, () => now);
    shown.keep("pair", [["sed_1", "first"]]);
    now = 2_000;
    // Another tab of the same device.
    new ShownBefore(store, () => now).keep("pair", [
      ["sed_1", "later"],
      ["sed_2", "second"],
    ]);
    expect(shown.find("pair", "sed_1")).toEqual({ text: "first", at: 1_000 });
    expect(shown.find("pair", "sed_2")).toEqual({ text: "second", at: 2_000 });
    expect(shown.find("draw", "sed_1")).toBeNull();
  });

  it("is bounded per kind, and drops the oldest", () => {
    const shown = new ShownBefore(memoryStore(), () => 1);
    for (let n = 0; n < 25; n++) shown.keep("chain", [[`sed_${n}`, `${n}`]]);
    shown.keep(
      "flight",
      Array.from({ length: 1_000 }, (_, n) => [`rnd_${n}`, ""]),
    );
    expect(shown.find("chain", "sed_4")).toBeNull();
    expect(shown.find("chain", "sed_5")).toEqual({ text: "5", at: 1 });
  });

  it("gives a repeated name no further room", () => {
    const shown = new ShownBefore(memoryStore(), () => 1);
    shown.keep("chain", [["sed_first", "first"]]);
    for (let n = 0; n < 50; n++) shown.keep("chain", [["sed_again", `${n}`]]);
    expect(shown.find("chain", "sed_first")).toEqual({ text: "first", at: 1 });
    expect(shown.find("chain", "sed_again")).toEqual({ text: "0", at: 1 });
  });

  it("is empty where the storage holds something else", () => {
    const store = memoryStore();
    const shown = new ShownBefore(store, () => 1);
    for (const text of ["{", "{}", '[1, ["a"], ["a", "b", "c"], null]']) {
      store.setItem("MC_SHOWN:draw", text);
      expect(shown.find("draw", "a")).toBeNull();
    }
    shown.keep("draw", [["a", "b"]]);
    expect(shown.find("draw", "a")).toEqual({ text: "b", at: 1 });
  });
});

describe("the verdict on a result that fits its seeds", () => {
  it("is good where its hash is the shown one, and bad where it is another", () => {
    const shown = { text: "hash", at: 1 };
    expect(verdictOn(shown, "hash", true)).toBe("good");
    expect(verdictOn(shown, "swapped", true)).toBe("bad");
    expect(verdictOn(shown, "hash", false)).toBe("bad");
  });

  it("is unshown where this device saw none of it before", () => {
    expect(verdictOn(null, "hash", true)).toBe("unshown");
    expect(verdictOn(null, "hash", false)).toBe("bad");
  });
});
