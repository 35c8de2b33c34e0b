import { HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { describe, expect, it } from "vitest";
import { manualClock } from "../../../../../tests/server/fixtures.ts";
import { createLogger } from "../log.ts";
import { createRefusalLog } from "./refusal-log.ts";

describe("a logged refusal", () => {
  it("is one line with what a defender needs, and of a flood it says how long it was", () => {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const clock = manualClock();
    const refusals = createRefusalLog(createLogger({ level: "info", destination }), clock);
    expect([401, 403, 429, 503].every(refusals.takes)).toBe(true);
    expect([200, 400, 404, 500].some(refusals.takes)).toBe(false);

    const one = { status: 401, address: "10.0.0.1", route: "/api/v1/auth/login" };
    for (let i = 0; i < 1_000; i++) refusals.note({ ...one, code: "login_failed", memberId: "m" });
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatchObject({ level: "info", ...one, code: "login_failed", memberId: "m" });
    refusals.note({ ...one, address: "10.0.0.2" });
    expect(lines).toHaveLength(6);

    clock.advance(MINUTE_MS);
    refusals.note(one);
    expect(lines.at(-1)).toMatchObject({ address: "10.0.0.1", unlogged: 995 });

    for (let i = 0; i < 10_000; i++) refusals.note({ ...one, address: `2001:db8:0:${i}::/64` });
    expect(lines.length).toBeLessThan(320);

    clock.set(clock.now() - HOUR_MS);
    const before = lines.length;
    refusals.note(one);
    expect(lines).toHaveLength(before + 1);
  });
});
