import { afterEach, describe, expect, it, vi } from "vitest";
import { NOTICE_READ_GAP_MS } from "../../shell/timing.ts";
import { spaced } from "./spaced.ts";

afterEach(() => vi.useRealTimers());

describe("spaced work", () => {
  it("[A7-20] begins at once, then runs one piece every 150 ms, and loses none", async () => {
    vi.useFakeTimers();
    const done: string[] = [];
    const run = spaced(NOTICE_READ_GAP_MS);
    for (const name of ["a", "b", "c"]) run(() => done.push(name));
    expect(done).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(149);
    expect(done).toEqual(["a"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toEqual(["a", "b"]);
    await vi.advanceTimersByTimeAsync(150);
    expect(done).toEqual(["a", "b", "c"]);
    await vi.advanceTimersByTimeAsync(1_000);
    run(() => done.push("d"));
    expect(done).toEqual(["a", "b", "c", "d"]);
    run(() => done.push("e"));
    await vi.advanceTimersByTimeAsync(149);
    expect(done).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveLength(5);
  });
});
