import { HOUR_MS, SECOND_MS } from "@perya/kernel/instant";
import { expect, it } from "vitest";
import { manualClock } from "../../../../tests/server/fixtures.ts";
import { createSharedReads } from "./shared-reads.ts";

it("what is shared is read anew after its time, and at once where the clock is set back an hour", async () => {
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
