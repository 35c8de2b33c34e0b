import { SECOND_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NoTurn, Turns } from "./turns.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("turns", () => {
  it("go to those who wait in their order, and never to more than so many at once", async () => {
    const turns = new Turns();
    const went: string[] = [];
    const take = async (who: string) => {
      const end = await turns.take("mem_1", 2);
      went.push(who);
      return end;
    };
    const [first, , third, fourth] = ["first", "second", "third", "fourth"].map(take);
    await turns.take("mem_2", 2);
    expect(went).toEqual(["first", "second"]);
    (await first)?.();
    (await third)?.();
    await fourth;
    expect(went).toEqual(["first", "second", "third", "fourth"]);
  });

  it("are given up after five seconds, and leave nobody in the line", async () => {
    const turns = new Turns();
    const end = await turns.take("mem_1", 1);
    const late = turns.take("mem_1", 1).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5 * SECOND_MS);
    expect(await late).toBeInstanceOf(NoTurn);
    end();
    await turns.take("mem_1", 1);
  });

  it("are not waited for where as many wait as may", async () => {
    const turns = new Turns();
    const end = await turns.take("mem_1", 1, 1);
    const second = turns.take("mem_1", 1, 1);
    await expect(turns.take("mem_1", 1, 1)).rejects.toBeInstanceOf(NoTurn);
    end();
    (await second)();
    await turns.take("mem_1", 1, 1);
  });
});
