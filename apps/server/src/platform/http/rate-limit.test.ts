import { HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { expect, it } from "vitest";
import { manualClock } from "../../../../../tests/server/fixtures.ts";
import { localRateLimiter } from "./rate-limit.ts";

it("a window lasts its time and no longer, also if the clock is set back an hour in it", async () => {
  const clock = manualClock();
  const rates = localRateLimiter(clock);
  const take = () => rates.take([{ subject: "one", max: 1 }], MINUTE_MS);
  expect(await take()).toBeNull();
  expect(await take()).toBe(clock.now() + MINUTE_MS);
  clock.advance(MINUTE_MS - 1);
  expect(await take()).toBe(clock.now() + 1);
  clock.set(clock.now() - HOUR_MS);
  expect(await take()).toBeNull();
  expect(await take()).toBe(clock.now() + MINUTE_MS);
  clock.advance(MINUTE_MS);
  expect(await take()).toBeNull();
});

it("a limit per day is pushed out by no minute's subjects, however many", async () => {
  const rates = localRateLimiter(manualClock());
  expect(await rates.take([{ subject: "of the day", max: 1 }], 24 * HOUR_MS)).toBeNull();
  for (let n = 0; n < 120_000; n++)
    await rates.take([{ subject: `of a minute ${n}`, max: 1 }], MINUTE_MS);
  expect(await rates.take([{ subject: "of the day", max: 1 }], 24 * HOUR_MS)).not.toBeNull();
});
