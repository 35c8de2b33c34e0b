import { HOUR_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import { manualClock } from "../../../../../tests/server/fixtures.ts";
import { startPaymentGateway } from "../../../../../tests/server/payment-gateway-process.ts";
import type { Session } from "../identity/identity.ts";
import type { PaymentProvider } from "./cashier.ts";
import { createGatewayProvider } from "./gateway-provider.ts";

/** Against a provider in a process of its own, by signed calls and call-backs over HTTP. */
const SECRET = "a secret that the provider and the house share";
const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const gateway = await startPaymentGateway(SECRET);
// The provider uses the machine's clock, and signatures are valid for minutes.
const clock = manualClock(Date.now());
const provider = createGatewayProvider({
  ...{ clock, url: gateway.url, merchantId: "house-1", secret: SECRET },
  timeoutMs: 500,
});
/** What happens between the last check of a withdrawal and the call. */
let beforePayout: () => Promise<void> = async () => {};
const slow: PaymentProvider = {
  ...provider,
  sendPayout: async (payout) => {
    await beforePayout();
    await provider.sendPayout(payout);
  },
};
const harness = await openCashierHarness(
  "gateway payments",
  {
    methods: [
      { code: "card", name: "Card", provider: "gateway", kind: "deposit", ...LIMITS },
      { code: "card", name: "Card", provider: "gateway", kind: "withdrawal", ...LIMITS },
    ],
    depositMinutes: 1,
  },
  { clock, providers: [slow], reachable: true },
);
const { alarms, available, cashier, fresh, ledger, loseJobs, merchant, player } = harness;
const { db, elsewhere, runJobs, stored, sweep, told, withdraw, withdrawal } = harness;

afterAll(() => gateway.stop());

beforeEach(() => {
  clock.set(Date.now());
  alarms.length = 0;
});

afterEach(async () => {
  vi.useRealTimers();
  await gateway.fault({ calls: 0, how: "500" });
  expect(await ledger.verify()).toEqual([]);
});

function deposit(session: Session, minor: bigint, id = fresh("deposit")) {
  return cashier.deposits.open(merchant, session, { id, method: "card", amount: php(minor) });
}

async function payment(id: string) {
  return (await gateway.books()).find((one) => one.id === id);
}

describe("a deposit through a provider", () => {
  it("leads to the provider's page, and is credited once however often its call-back comes", async () => {
    const session = await player(0n);
    const { id, pay_url } = taken(await deposit(session, 50_000n));
    expect(pay_url).toMatch(/^https:\/\/pay\.example\.com\/ref-\d+$/);
    expect((await payment(id))?.returnUrl).toContain(`/m/voucherCenter?deposit=${id}`);
    const told = await gateway.end({ id, status: "paid", times: 5 });
    expect(new Set(told)).toEqual(new Set([200]));
    expect((await stored(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(50_000n);
  });

  it.each([
    ["a centavo", 1n],
    ["less", 49_999n],
    ["more", 61_000n],
  ])("of which %s came is credited with what came", async (_what, came) => {
    const session = await player(0n);
    const { id } = taken(await deposit(session, 50_000n));
    await gateway.end({ id, status: "paid", minor: `${came}`, times: 2 });
    expect(await stored(session, id)).toMatchObject({ state: "paid", received_minor: came });
    expect(await available(session)).toBe(came);
  });

  it("that is paid after it expired still counts", async () => {
    const session = await player(0n);
    const { id } = taken(await deposit(session, 50_000n));
    clock.advance(MINUTE_MS + SECOND_MS);
    await cashier.deposits.expire();
    expect((await stored(session, id)).state).toBe("expired");
    expect(await gateway.end({ id, status: "paid", times: 1 })).toEqual([200]);
    expect(await available(session)).toBe(50_000n);
  });

  it("stays as it was first paid, whatever contradicts it", async () => {
    const session = await player(0n);
    const { id } = taken(await deposit(session, 50_000n));
    await gateway.end({ id, status: "paid", times: 1 });
    expect(await gateway.end({ id, status: "failed", times: 1, lie: true })).toEqual([409]);
    const more = { id, status: "paid", minor: "90000", times: 1, lie: true } as const;
    expect(await gateway.end(more)).toEqual([409]);
    expect(alarms).toEqual([
      "a deposit that was paid is told to have failed",
      "a deposit was told to be paid with two amounts",
    ]);
    expect(await stored(session, id)).toMatchObject({ state: "paid", received_minor: 50_000n });
    expect(await available(session)).toBe(50_000n);
  });

  it("whose call-back never came is found by the sweep", async () => {
    const session = await player(0n);
    const [paid, failed] = [
      taken(await deposit(session, 50_000n)),
      taken(await deposit(session, 60_000n)),
    ];
    await gateway.end({ id: paid.id, status: "paid", minor: "49000", times: 0 });
    await gateway.end({ id: failed.id, status: "failed", times: 0 });
    clock.advance(MINUTE_MS);
    await sweep();
    expect((await stored(session, paid.id)).received_minor).toBe(49_000n);
    expect((await stored(session, failed.id)).state).toBe("failed");
    expect(await available(session)).toBe(49_000n);
  });

  it.each(["hang", "500", "nonsense", "done-500"] as const)(
    "whose opening ends in %s opens if it is sent again, as one payment",
    async (how) => {
      const session = await player(0n);
      const id = fresh("deposit");
      await gateway.fault({ calls: 1, how });
      expect(codeOf(await deposit(session, 50_000n, id))).toBe("provider_unavailable");
      expect(taken(await deposit(session, 50_000n, id)).pay_url).not.toBeNull();
      expect((await gateway.books()).filter((one) => one.id === id)).toHaveLength(1);
    },
  );

  it("whose page was lost on the way gets it again, also once the provider was asked", async () => {
    const session = await player(0n);
    const id = fresh("deposit");
    await gateway.fault({ calls: 1, how: "done-500" });
    expect(codeOf(await deposit(session, 50_000n, id))).toBe("provider_unavailable");
    clock.advance(2 * MINUTE_MS);
    await sweep();
    expect((await stored(session, id)).state).toBe("pending");
    expect(taken(await deposit(session, 50_000n, id)).pay_url).not.toBeNull();
    expect((await gateway.books()).filter((one) => one.id === id)).toHaveLength(1);
  });

  it("that the provider refuses for good has failed, and its player gets that answer and that message", async () => {
    const session = await player(0n);
    const id = fresh("deposit");
    await gateway.fault({ calls: 1, how: "422" });
    expect(taken(await deposit(session, 50_000n, id))).toMatchObject({ id, state: "failed" });
    expect((await stored(session, id)).state).toBe("failed");
    expect(told).toContain(session.memberId);
  });

  it("is not credited on the word of a caller without the secret", async () => {
    const session = await player(0n);
    const { id } = taken(await deposit(session, 50_000n));
    const forged = harness.event("deposit", id, "paid", 50_000n);
    expect(await harness.callBack(forged, undefined, "gateway")).toBe(401);
    expect(await available(session)).toBe(0n);
  });
});

describe("a provider that is called no more after time-outs", () => {
  const ask = (of: PaymentProvider) => of.ask("deposit", "nothing that it knows");
  let passed = 0;
  const watched = () =>
    createGatewayProvider({
      ...{ clock, url: gateway.url, merchantId: "house-1", secret: SECRET },
      ...{ timeoutMs: 200, elapsed: () => passed },
    });

  it("is called again after five seconds, though the machine's clock was set back meanwhile", async () => {
    const provider = watched();
    await gateway.fault({ calls: 2, how: "hang" });
    for (let calls = 0; calls < 2; calls++) {
      await expect(ask(provider)).rejects.toThrow("did not answer");
    }
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - HOUR_MS });
    passed += 4_999;
    await expect(ask(provider)).rejects.toThrow("for a while");
    passed += 1;
    expect(await ask(provider)).toBeNull();
    expect(await ask(provider)).toBeNull();
  });

  it("gets one call at a time, and a pause as long again if that one times out", async () => {
    const provider = watched();
    await gateway.fault({ calls: 3, how: "hang" });
    for (let calls = 0; calls < 2; calls++) {
      await expect(ask(provider)).rejects.toThrow("did not answer");
    }
    passed += 5_000;
    const one = ask(provider);
    await expect(ask(provider)).rejects.toThrow("for a while");
    await expect(one).rejects.toThrow("did not answer");
    await expect(ask(provider)).rejects.toThrow("for a while");
    passed += 5_000;
    expect(await ask(provider)).toBeNull();
  });

  it("is not one that fails at once, nor one that answers in between", async () => {
    const provider = watched();
    for (const how of ["hang", "500", "hang"] as const) {
      await gateway.fault({ calls: 1, how });
      await expect(ask(provider)).rejects.toThrow(how === "hang" ? "did not answer" : "500");
    }
    expect(await ask(provider)).toBeNull();
    await gateway.fault({ calls: 1, how: "hang" });
    await expect(ask(provider)).rejects.toThrow("did not answer");
    expect(await ask(provider)).toBeNull();
  });

  it("is also one for which a proxy reports the time-out", async () => {
    const provider = watched();
    await gateway.fault({ calls: 2, how: "page-504" });
    for (let calls = 0; calls < 2; calls++)
      await expect(ask(provider)).rejects.toThrow("/payments/");
    await expect(ask(provider)).rejects.toThrow("for a while");
  });

  it("is believed to know nothing or to refuse only in its own words, not in those of a proxy", async () => {
    const provider = watched();
    for (const status of [404, 422]) {
      await gateway.fault({ calls: 1, how: `page-${status}` });
      await expect(ask(provider)).rejects.toThrow(`${status}`);
    }
    await gateway.fault({ calls: 1, how: "empty" });
    await expect(ask(provider)).rejects.toThrow("not understood");
    expect(await ask(provider)).toBeNull();
  });
});

describe("a pay-out through a provider", () => {
  it("is sent once and paid by its call-back", async () => {
    const session = await player(100_000n);
    const { id } = taken(await withdraw(session, 20_000n, { method: "card" }));
    await runJobs();
    expect((await withdrawal(session, id)).state).toBe("sent");
    const told = await gateway.end({ id, status: "paid", times: 4 });
    expect(new Set(told)).toEqual(new Set([200]));
    expect((await withdrawal(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(80_000n);
  });

  it.each(["hang", "500", "nonsense", "done-500"] as const)(
    "whose sending ends in %s is sent again by the sweep, and paid once",
    async (how) => {
      const session = await player(100_000n);
      const { id } = taken(await withdraw(session, 20_000n, { method: "card" }));
      await gateway.fault({ calls: 1, how });
      await runJobs();
      await loseJobs();
      clock.advance(MINUTE_MS + SECOND_MS);
      await sweep();
      expect((await withdrawal(session, id)).state).toBe("sent");
      expect((await gateway.books()).filter((one) => one.id === id)).toHaveLength(1);
      await gateway.end({ id, status: "paid", times: 1 });
      expect(await available(session)).toBe(80_000n);
    },
  );

  it("that the provider refuses for good gives the money back", async () => {
    const session = await player(100_000n);
    const { id } = taken(await withdraw(session, 20_000n, { method: "card" }));
    await gateway.fault({ calls: 1, how: "422" });
    await runJobs();
    expect((await withdrawal(session, id)).state).toBe("failed");
    expect(await available(session)).toBe(100_000n);
    expect(await payment(id)).toBeUndefined();
  });

  it("whose call-back never came is found by the sweep; one that the provider lost is sent again", async () => {
    const session = await player(100_000n);
    const [one, two] = [
      taken(await withdraw(session, 20_000n, { method: "card" })),
      taken(await withdraw(session, 30_000n, { method: "card" })),
    ];
    await runJobs();
    await gateway.end({ id: one.id, status: "failed", times: 0 });
    await gateway.forget(two.id);
    clock.advance(2 * MINUTE_MS);
    await sweep();
    expect((await withdrawal(session, one.id)).state).toBe("failed");
    expect((await payment(two.id))?.asked.minor).toBe("30000");
    await gateway.end({ id: two.id, status: "paid", times: 1 });
    expect(await available(session)).toBe(70_000n);
  });

  it("whose process slept before the call is not sent any more, since it may have been given back", async () => {
    clock.set(Date.now() - 12 * MINUTE_MS);
    const { session, id, wake } = await sentAsleep();
    await db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [session.memberId]);
    clock.set(Date.now());
    await askedElsewhere(id);
    expect(await cashier.withdrawals.reject(id, { act: harness.act, reason: "Ask support" })).toBe(
      true,
    );
    expect(await available(session)).toBe(100_000n);
    await wake();
    await sweep();
    expect(await payment(id)).toBeUndefined();
    expect((await withdrawal(session, id)).state).toBe("rejected");
  });

  it("whose process slept is not given back while a provider with a clock minutes behind would take the call", async () => {
    clock.set(Date.now() - 4 * MINUTE_MS);
    const { session, id, wake } = await sentAsleep();
    await db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [session.memberId]);
    clock.set(Date.now() + 4 * MINUTE_MS);
    await askedElsewhere(id);
    expect(await cashier.withdrawals.reject(id, { act: harness.act, reason: "Ask support" })).toBe(
      false,
    );
    await wake();
    expect(await payment(id)).toBeDefined();
    expect((await withdrawal(session, id)).state).toBe("sent");
  });

  /** A withdrawal whose process sleeps between the last check and the call, until it is woken. */
  async function sentAsleep() {
    const session = await player(100_000n);
    const { id } = taken(await withdraw(session, 20_000n, { method: "card" }));
    let wake = () => {};
    const awake = new Promise<void>((done) => {
      wake = done;
    });
    const asleep = new Promise<void>((done) => {
      beforePayout = () => {
        done();
        return awake;
      };
    });
    const sending = runJobs();
    await asleep;
    beforePayout = async () => {};
    const woken = () => {
      wake();
      return sending;
    };
    return { session, id, wake: woken };
  }

  /** Another process asks the provider, which knows nothing of it. */
  async function askedElsewhere(id: string): Promise<void> {
    const [call] = Object.values(elsewhere.providerTasks);
    await call?.({ kind: "withdrawal", id });
  }

  it("with two contradicting ends, or another amount, ends as first told and raises an alarm", async () => {
    const session = await player(100_000n);
    const { id } = taken(await withdraw(session, 20_000n, { method: "card" }));
    await runJobs();
    const less = { id, status: "paid", minor: "19999", times: 1, lie: true } as const;
    expect(await gateway.end(less)).toEqual([400]);
    expect((await withdrawal(session, id)).state).toBe("sent");
    await gateway.end({ id, status: "failed", times: 1 });
    expect(await gateway.end({ id, status: "paid", times: 1 })).toEqual([409]);
    expect(alarms).toContain("a pay-out was told to end otherwise than it did");
    expect(await available(session)).toBe(100_000n);
  });
});
