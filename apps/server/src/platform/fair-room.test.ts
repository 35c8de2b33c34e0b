import { SECOND_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FairRoom } from "./fair-room.ts";
import { NoTurn } from "./turns.ts";

let room: FairRoom;
/** What happened, in order. */
let told: string[];

beforeEach(() => {
  vi.useFakeTimers();
  room = new FairRoom(10);
  told = [];
});
afterEach(() => void vi.useRealTimers());

describe("a fair room", () => {
  it("admits what has room, and the others once it is given back", async () => {
    const first = await comes("ana", 6);
    await comes("ben", 4);
    await comes("ana", 5);
    expect(told).toEqual(["ana 6 in", "ben 4 in"]);
    await first.goes();
    expect(told.slice(2)).toEqual(["ana 5 in"]);
  });

  it("evicts from the largest holder in favour of one who would hold less, the latest holding first", async () => {
    for (const weight of [2, 3, 3]) await comes("crowd", weight);
    await comes("ben", 2);
    told.length = 0;
    await comes("ana", 4);
    expect(told).toEqual(["crowd 3 out", "crowd 3 out", "ana 4 in"]);
    // Nobody holds more than four now: one who would hold five waits.
    await comes("carla", 5);
    expect(told).toHaveLength(3);
  });

  it("evicts nothing for one who would hold as much, nor what can no longer be evicted", async () => {
    await comes("crowd", 6, false);
    await comes("ben", 4);
    await comes("ana", 4);
    await comes("carla", 2);
    expect(told).toEqual(["crowd 6 in", "ben 4 in", "ben 4 out", "carla 2 in"]);
  });

  it("evicts nothing in vain: none if the evictable is not enough, and none for one who has gone", async () => {
    await comes("crowd", 2);
    await comes("crowd", 2);
    await comes("ben", 3, false);
    await comes("carla", 3, false);
    await comes("ana", 8);
    await comes("dora", 3, true, AbortSignal.abort());
    expect(told).toHaveLength(5);
    expect(told.at(-1)).toBe("dora 3 refused");
    await comes("elena", 3);
    expect(told).toHaveLength(5);
    await comes("fe", 2);
    expect(told.slice(5)).toEqual(["crowd 2 out", "fe 2 in"]);
  });

  it("admits a lighter one for which there is room while another waits", async () => {
    await comes("crowd", 6, false);
    await comes("ana", 5);
    await comes("crowd", 3);
    expect(told).toEqual(["crowd 6 in", "crowd 3 in"]);
  });

  it("passes over nobody who has room, not even the one that waits longest", async () => {
    const first = await comes("ben", 3, false);
    await comes("crowd", 7, false);
    await comes("crowd", 2);
    await comes("ana", 5);
    told.length = 0;
    await first.goes();
    expect(told).toEqual(["crowd 2 in"]);
  });

  it("admits first the one who would hold least, not the one who came first", async () => {
    const first = await comes("crowd", 10, false);
    await comes("ana", 4);
    await comes("crowd", 3);
    await comes("ben", 2);
    told.length = 0;
    await first.goes();
    expect(told).toEqual(["ben 2 in", "crowd 3 in", "ana 4 in"]);
  });

  it("makes nobody wait for more than five seconds, and nobody for one who has given up", async () => {
    await comes("crowd", 8, false);
    await comes("ana", 4);
    await vi.advanceTimersByTimeAsync(4 * SECOND_MS);
    await comes("ben", 5);
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    await comes("carla", 2);
    expect(told).toEqual(["crowd 8 in", "ana 4 refused", "carla 2 in"]);
  });

  it("releases a waiter who hangs up at once, and makes no room for them", async () => {
    const hangUp = new AbortController();
    const first = await comes("crowd", 10, false);
    await comes("ana", 2, true, hangUp.signal);
    hangUp.abort();
    await vi.advanceTimersByTimeAsync(0);
    await first.goes();
    expect(told).toEqual(["crowd 10 in", "ana 2 refused"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("counts an evicted holding once, also if it is given back afterwards", async () => {
    const first = await comes("crowd", 10);
    await comes("ana", 4);
    await first.goes();
    for (const who of ["ben", "carla"]) await comes(who, 3);
    await comes("dora", 4);
    expect(told.slice(1)).toEqual(["crowd 10 out", "ana 4 in", "ben 3 in", "carla 3 in"]);
  });
});

async function comes(holder: string, weight: number, canGiveWay = true, hangUp?: AbortSignal) {
  const name = `${holder} ${weight}`;
  const giveWay = () => void told.push(`${name} out`);
  let end: (() => void) | null = null;
  room.take({ holder, weight, hangUp, canGiveWay: () => canGiveWay, giveWay }).then(
    (given) => {
      told.push(`${name} in`);
      end = given;
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(NoTurn);
      told.push(`${name} refused`);
    },
  );
  await vi.advanceTimersByTimeAsync(0);
  return {
    async goes() {
      end?.();
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}
