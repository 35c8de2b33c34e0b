import { HOUR_MS, SECOND_MS } from "@perya/kernel/instant";
import { describe, expect, it } from "vitest";
import { manualClock } from "../../../../tests/server/fixtures.ts";
import { createSharedReads } from "./shared-reads.ts";

describe("a shared read", () => {
  it("is repeated after its time, and at once if the clock is set back an hour", async () => {
    const clock = manualClock();
    const once = createSharedReads(clock, SECOND_MS);
    let reads = 0;
    const read = () => once("one", async () => ++reads);
    expect([await read(), await read()]).toEqual([1, 1]);
    clock.advance(SECOND_MS);
    expect([await read(), await read()]).toEqual([2, 2]);
    clock.set(clock.now() - HOUR_MS);
    expect([await read(), await read()]).toEqual([3, 3]);
  });

  it("is done once for all who ask during it, however long it takes, and cached from then on", async () => {
    const clock = manualClock();
    const once = createSharedReads(clock, SECOND_MS);
    const begun: ((value: number) => void)[] = [];
    const read = () => once("one", () => new Promise<number>((done) => begun.push(done)));
    const first = read();
    clock.advance(10 * SECOND_MS);
    const second = read();
    expect(begun).toHaveLength(1);
    begun[0]?.(1);
    expect(await Promise.all([first, second])).toEqual([1, 1]);
    clock.advance(SECOND_MS - 1);
    expect(await read()).toBe(1);
    expect(begun).toHaveLength(1);
  });

  it("that fails is refused to all who waited, and repeated", async () => {
    const once = createSharedReads(manualClock(), SECOND_MS);
    const away = () => once("one", async () => Promise.reject(new Error("away")));
    const both = await Promise.allSettled([away(), away()]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await once("one", async () => 2)).toBe(2);
  });

  it("that was forgotten while it ran is repeated, and the old result never cached", async () => {
    const once = createSharedReads(manualClock(), SECOND_MS);
    let end: (value: number) => void = () => undefined;
    const old = once(
      "one",
      () =>
        new Promise<number>((done) => {
          end = done;
        }),
    );
    once.forget();
    expect(await once("one", async () => 2)).toBe(2);
    end(1);
    expect(await old).toBe(1);
    expect(await once("one", async () => 3)).toBe(2);
  });
});
