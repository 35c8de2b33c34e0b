import { describe, expect, it } from "vitest";
import { idPattern, isId, mintedAt, mintId } from "./ids.ts";

/** An instant and its ten digits, as the examples of the ULID specification have them. */
const NOW = 1_469_918_176_385;
const TIME = "01aryz6s41";
const counting = Uint8Array.from({ length: 16 }, (_, i) => i * 17);

describe("an id", () => {
  it("consists of its kind's prefix, ten digits of time and sixteen random digits", () => {
    expect(mintId("round", 0, new Uint8Array(16))).toBe("rnd_00000000000000000000000000");
    expect(mintId("round", 32 ** 9 + 33, new Uint8Array(16))).toBe(
      "rnd_10000000110000000000000000",
    );
    expect(mintId("bet", 1, counting)).toBe("bet_00000000010h2k4n6q8savcxez");
    expect(mintId("bet", NOW, counting).slice(4, 14)).toBe(TIME);
  });

  it("sorts by the time of its making, and tells that time", () => {
    const times = [0, 31, 32, 1_023, NOW, NOW + 1, 2 ** 48 - 1];
    const ids = times.map((at) => mintId("session", at, counting));
    expect([...ids].reverse().sort()).toEqual(ids);
    expect(ids.map(mintedAt)).toEqual(times);
  });

  it("is valid only for its own kind, with 26 digits and without the letters i, l, o and u", () => {
    const id = mintId("game", NOW, counting);
    expect(isId("game", id)).toBe(true);
    const others = [
      ...[id.slice(0, -1), `${id}0`, id.toUpperCase(), id.replace("gam_", "rnd_")],
      ...["i", "l", "o", "u"].map((digit) => id.slice(0, -1) + digit),
    ];
    expect(others.filter((other) => isId("game", other))).toEqual([]);
    expect(idPattern("game").test(`x${id}`)).toBe(false);
  });

  it("is never made from fewer than sixteen random bytes", () => {
    expect(() => mintId("round", NOW, new Uint8Array(15))).toThrow(RangeError);
  });
});
