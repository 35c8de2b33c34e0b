import { SECOND_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NoTurn, Turns } from "./turns.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a queue of turns", () => {
  it("serves waiters in their order, and never more than so many at once", async () => {
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

  it("never exceeds its weight, and no light one passes a heavy one that waits", async () => {
    const turns = new Turns();
    const went: string[] = [];
    const take = async (who: string, weight: number) => {
      const end = await turns.take("mem_1", 10, { weight });
      went.push(who);
      return end;
    };
    const first = await take("six", 6);
    const heavy = take("eight", 8);
    const light = take("two", 2);
    await vi.advanceTimersByTimeAsync(0);
    expect(went).toEqual(["six"]);
    first();
    (await heavy)();
    (await light)();
    expect(went).toEqual(["six", "eight", "two"]);
    await take("ten", 10);
  });

  it("serves a light one once the heavy one before it has given up", async () => {
    const turns = new Turns();
    await turns.take("mem_1", 10, { weight: 6 });
    const heavy = turns.take("mem_1", 10, { weight: 8 }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    const light = turns.take("mem_1", 10, { weight: 2 });
    await vi.advanceTimersByTimeAsync(4 * SECOND_MS);
    expect(await heavy).toBeInstanceOf(NoTurn);
    await light;
  });

  it("drops waiters after five seconds, and keeps nobody in the queue", async () => {
    const turns = new Turns();
    const end = await turns.take("mem_1", 1);
    const late = turns.take("mem_1", 1).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5 * SECOND_MS);
    expect(await late).toBeInstanceOf(NoTurn);
    end();
    await turns.take("mem_1", 1);
  });

  it("drops a waiter who hangs up at once, and serves a light one that waited behind", async () => {
    const turns = new Turns();
    const hangUp = new AbortController();
    const { signal } = hangUp;
    await turns.take("mem_1", 10, { weight: 6 });
    const heavy = turns.take("mem_1", 10, { weight: 8, hangUp: signal, waitingMax: 1 });
    const light = turns.take("mem_1", 10, { weight: 2 });
    hangUp.abort();
    await expect(heavy).rejects.toBeInstanceOf(NoTurn);
    await light;
    const line = { max: 10, waitingMax: 1, hangUp: signal };
    const work = vi.fn(async () => undefined);
    await expect(turns.run("mem_1", line, work)).rejects.toBeInstanceOf(NoTurn);
    expect(work).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("refuses a waiter if as many wait as allowed", async () => {
    const turns = new Turns();
    const end = await turns.take("mem_1", 1, { waitingMax: 1 });
    const second = turns.take("mem_1", 1, { waitingMax: 1 });
    await expect(turns.take("mem_1", 1, { waitingMax: 1 })).rejects.toBeInstanceOf(NoTurn);
    end();
    (await second)();
    await turns.take("mem_1", 1, { waitingMax: 1 });
  });
});
