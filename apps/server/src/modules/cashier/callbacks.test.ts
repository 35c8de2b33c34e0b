import { MINUTE_MS } from "@perya/kernel/instant";
import { toWire } from "@perya/kernel/money";
import { afterEach, describe, expect, it } from "vitest";
import { openCashierHarness, SECRET } from "../../../../../tests/server/cashier-harness.ts";
import { sign } from "../../platform/http/signature.ts";

const harness = await openCashierHarness("callbacks");
const { alarms, available, callBack, clock, db, event, fresh, ledger, opened, player } = harness;
const { stored } = harness;

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

describe("a call-back", () => {
  it("that is repeated is accepted and moves nothing, also many times at once", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    const paid = event("deposit", id, "paid", 50_000n);
    const statuses = await Promise.all(Array.from({ length: 10 }, () => callBack(paid)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await callBack(paid)).toBe(200);
    expect(await available(session)).toBe(50_000n);
  });

  it("with a known event id and another body is refused", async () => {
    const session = await player(0n);
    const [one, two] = [await opened(session, 50_000n), await opened(session, 50_000n)];
    const paid = event("deposit", one.id, "paid", 50_000n);
    expect(await callBack(paid)).toBe(200);
    expect(await callBack({ ...paid, reference: two.id })).toBe(409);
    expect(await stored(session, two.id)).toMatchObject({ state: "created" });
    expect(await available(session)).toBe(50_000n);
  });

  it("whose process died before it noted the event moves nothing if it comes again", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    const paid = event("deposit", id, "paid", 50_000n);
    await callBack(paid);
    await db.pool.query("DELETE FROM payment_events WHERE event_id = $1", [paid.eventId]);
    expect(await callBack(paid)).toBe(200);
    expect(await available(session)).toBe(50_000n);
  });

  it("[G1-05] that is forged, changed, old or unsigned is refused and moves nothing", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    const paid = event("deposit", id, "paid", 50_000n);
    const body = JSON.stringify({ ...paid, amount: toWire(paid.amount) });
    const now = clock.now();
    const forgeries = [
      sign("another secret", body, now),
      sign(SECRET, body.replace("50000", "90000"), now),
      sign(SECRET, body, now - 5 * MINUTE_MS - 1),
      sign(SECRET, body, now + 5 * MINUTE_MS + 1),
      sign(SECRET, body, now).replace(/t=\d+/, `t=${now + 1}`),
      sign(SECRET, body, now).slice(0, -2),
      "",
    ];
    for (const forged of forgeries) expect(await callBack(paid, forged)).toBe(401);
    expect(await stored(session, id)).toMatchObject({ state: "created" });
    expect(await available(session)).toBe(0n);
  });

  it.each([
    ["a centavo", 1n],
    ["less", 49_999n],
    ["more", 5_000_001n],
  ])("that tells of %s than was requested credits what came, and says so", async (_what, came) => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    expect(await callBack(event("deposit", id, "paid", came))).toBe(200);
    expect(await stored(session, id)).toMatchObject({
      state: "paid",
      amount_minor: 50_000n,
      received_minor: came,
    });
    expect(await available(session)).toBe(came);
  });

  it("that contradicts an earlier one moves nothing and raises an alarm", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    expect(await callBack(event("deposit", id, "paid", 50_000n))).toBe(200);
    alarms.length = 0;
    expect(await callBack(event("deposit", id, "paid", 60_000n))).toBe(409);
    expect(alarms).toEqual(["a deposit was told to be paid with two amounts"]);
    expect(await available(session)).toBe(50_000n);
  });

  it("with another currency or for an unknown payment is refused", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    const fun = {
      ...event("deposit", id, "paid", 50_000n),
      amount: { minor: 50_000n, currency: "FUN" as const },
    };
    expect(await callBack(fun)).toBe(400);
    expect(await callBack(event("deposit", fresh("deposit"), "paid", 50_000n))).toBe(404);
    expect(await callBack(event("withdrawal", id, "paid", 50_000n))).toBe(404);
    expect(await stored(session, id)).toMatchObject({ state: "created" });
    expect(await available(session)).toBe(0n);
    // No refusal has used its event up: the right one still counts.
    expect(await callBack(event("deposit", id, "paid", 50_000n))).toBe(200);
    expect(await available(session)).toBe(50_000n);
  });
});
