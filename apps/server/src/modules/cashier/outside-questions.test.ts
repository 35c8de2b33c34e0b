import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import type { Session } from "../identity/identity.ts";
import type { KnownPayment, PaymentProvider } from "./provider.ts";

/** An outside provider whose call-backs are all lost; it notes what it is asked. */
const asked: string[] = [];
const known = new Map<string, KnownPayment>();
const provider: PaymentProvider = {
  code: "outside",
  isOutside: true,
  serves: () => true,
  openDeposit: async ({ id }) => ({ reference: id, payUrl: `https://outside.test/${id}` }),
  sendPayout: async ({ id, amount }) => {
    known.set(id, { status: "pending", amount: php(amount.minor) });
  },
  ask: async (_kind, id) => {
    asked.push(id);
    return known.get(id) ?? null;
  },
  isSigned: () => false,
};
const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const harness = await openCashierHarness(
  "outside questions",
  {
    methods: [
      { code: "card", name: "Card", provider: "outside", kind: "deposit", ...LIMITS },
      { code: "card", name: "Card", provider: "outside", kind: "withdrawal", ...LIMITS },
    ],
    depositMinutes: 30,
  },
  { providers: [provider] },
);
const { available, cashier, clock, fresh, ledger, merchant, player, runJobs } = harness;
const { stored, sweep, withdraw, withdrawal } = harness;

beforeEach(() => {
  asked.length = 0;
  known.clear();
});

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

async function opened(session: Session): Promise<string> {
  const given = { id: fresh("deposit"), method: "card", amount: php(50_000n) };
  return taken(await cashier.deposits.open(merchant, session, given)).id;
}

/** Runs the jobs every so many minutes, for as long. */
async function live(forMs: number, everyMs = 10 * MINUTE_MS): Promise<void> {
  for (let passed = 0; passed < forMs; passed += everyMs) {
    clock.advance(everyMs);
    await cashier.deposits.expire();
    await sweep();
  }
}

describe("an outside provider", () => {
  it("is asked a handful of times about an abandoned deposit, and never after three days", async () => {
    const id = await opened(await player(0n));
    await live(HOUR_MS / 2, MINUTE_MS);
    await live((3 * HOUR_MS) / 2, 3 * MINUTE_MS);
    const early = asked.filter((one) => one === id).length;
    await live(5 * DAY_MS, 2 * HOUR_MS);
    const times = asked.filter((one) => one === id).length;
    expect(early).toBeLessThanOrEqual(8);
    expect(times - early).toBeLessThanOrEqual(7);
  });

  it.each([1, 20, 40, 71])(
    "is asked once more after hour %i of an abandoned deposit, so that money which came by then is found",
    async (hours) => {
      const session = await player(0n);
      const id = await opened(session);
      await live(hours * HOUR_MS, 30 * MINUTE_MS);
      known.set(id, { status: "paid", amount: php(50_000n) });
      await live(3 * DAY_MS - hours * HOUR_MS + HOUR_MS, HOUR_MS);
      expect((await stored(session, id)).state).toBe("paid");
      expect(await available(session)).toBe(50_000n);
    },
  );

  it("is asked about money that is due and about new deposits before abandoned ones", async () => {
    const session = await player(100_000n);
    const left = [await opened(session), await opened(session), await opened(session)];
    clock.advance(HOUR_MS);
    await cashier.deposits.expire();
    const payout = taken(await withdraw(session, 20_000n, { method: "card" })).id;
    await runJobs();
    const young = await opened(session);
    asked.length = 0;
    expect((await withdrawal(session, payout)).state).toBe("sent");
    for (const id of left) await cashier.deposits.ask(await stored(session, id));
    await cashier.deposits.ask(await stored(session, young));
    await cashier.withdrawals.review(payout);
    await runJobs();
    expect(new Set(asked.slice(0, 2))).toEqual(new Set([young, payout]));
    expect(new Set(asked.slice(2))).toEqual(new Set(left));
  });
});
