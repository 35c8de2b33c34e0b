import { createCanvas } from "@napi-rs/canvas";
import { MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import type { Session } from "../identity/identity.ts";
import type { PaymentProvider } from "./cashier.ts";
import { findProvider } from "./payments.ts";
import { ProviderUnavailable } from "./provider.ts";

const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const LATE_MS = 12 * MINUTE_MS;

/** The outside provider's payments, and what it does before and after it takes a pay-out. */
const has = new Set<string>();
let before: () => void | Promise<void> = () => {};
let after: () => void = () => {};
const outside: PaymentProvider = {
  code: "outside",
  isOutside: true,
  serves: () => true,
  openDeposit: async ({ returnUrl }) => ({ reference: "one", payUrl: returnUrl }),
  sendPayout: async ({ id }) => {
    await before();
    has.add(id);
    after();
  },
  ask: async (kind, id) =>
    kind === "withdrawal" && has.has(id) ? { status: "pending", amount: php(20_000n) } : null,
  isSigned: () => false,
};

const harness = await openCashierHarness(
  "blocked payments",
  {
    methods: [
      { code: "card", name: "Card", provider: "outside", kind: "deposit", ...LIMITS },
      { code: "card", name: "Card", provider: "outside", kind: "withdrawal", ...LIMITS },
      { code: "bank", name: "Bank", provider: "manual", kind: "deposit", ...LIMITS },
      { code: "bank", name: "Bank", provider: "manual", kind: "withdrawal", ...LIMITS },
    ],
    houseAccounts: [
      {
        method: "bank",
        name: "House bank",
        number: "1234",
        holder: "House Inc.",
        instructions: { EN: "Send it" },
      },
    ],
  },
  { providers: [outside] },
);
const { available, cashier, clock, db, elsewhere, employ, evidence, fresh, ledger } = harness;
const { merchant, player, runJobs, staff, stored, sweep, told, withdraw, withdrawal } = harness;

const ana = await employ("Ana", ["deposits", "payouts"]);

beforeEach(() => {
  before = () => {};
  after = () => {};
});

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

function away(): never {
  throw new ProviderUnavailable("no answer");
}

async function block({ memberId }: Session, blocked = true): Promise<void> {
  await db.pool.query("UPDATE members SET blocked = $2 WHERE id = $1", [memberId, blocked]);
}

/** Changes what proves who they are from now on. */
async function changeProofs({ memberId }: Session): Promise<void> {
  await db.pool.query(
    "UPDATE members SET proofs_changed_at = to_timestamp($2 / 1000.0) WHERE id = $1",
    [memberId, clock.now()],
  );
}

/** Let out by the rule while the provider is away. */
async function approved(session: Session): Promise<string> {
  const { id } = taken(await withdraw(session, 20_000n, { method: "card" }));
  before = away;
  await runJobs();
  before = () => {};
  expect((await withdrawal(session, id)).state).toBe("approved");
  return id;
}

async function queued(session: Session): Promise<string> {
  const { id } = taken(await withdraw(session, 20_000n, { method: "bank" }));
  await runJobs();
  expect((await withdrawal(session, id)).state).toBe("sent");
  return id;
}

async function waitingPayout(id: string) {
  const all = await staff.withdrawals.waitingPayouts(merchant, { after: null, limit: 500 });
  return all.find((one) => one.withdrawal_id === id);
}

async function statesOf(session: Session, id: string) {
  return (await withdrawal(session, id)).history.map(({ state }) => state);
}

describe("a deposit of a blocked player", () => {
  it("is refused as a bet is, and leaves no row", async () => {
    const session = await player(0n);
    const given = { id: fresh("deposit"), method: "card", amount: php(50_000n) };
    const blocked = { ...session, blocked: true };
    expect(codeOf(await cashier.deposits.open(merchant, blocked, given))).toBe("member_blocked");
    expect(await cashier.deposits.find(session, given.id)).toBeNull();
    expect(taken(await cashier.deposits.open(merchant, session, given)).state).toBe("created");
  });

  it("that was opened before the block answers as before, is claimed, and is credited", async () => {
    const session = await player(0n);
    const given = { id: fresh("deposit"), method: "bank", amount: php(50_000n) };
    const first = taken(await cashier.deposits.open(merchant, session, given));
    await block(session);
    const blocked = { ...session, blocked: true };
    expect(taken(await cashier.deposits.open(merchant, blocked, given))).toEqual(first);
    clock.advance(24 * 60 * MINUTE_MS);
    await cashier.deposits.expire();
    const picture = createCanvas(8, 8).toBuffer("image/png");
    taken(await evidence.sendReceipt(blocked, first.id, picture));
    taken(await evidence.claimPaid(merchant, blocked, first.id, "GC 7788 100001"));
    expect((await stored(session, first.id)).state).toBe("pending");
    taken(await staff.deposits.confirm(merchant, ana, first.id, php(50_000n), "ST 100001"));
    expect(await available(session)).toBe(50_000n);
  });
});

describe("a withdrawal whose player is blocked after it was let out", () => {
  it("is held again once with the reason, also by two processes, and can be rejected", async () => {
    const session = await player(100_000n);
    const id = await approved(session);
    await block(session);
    clock.advance(LATE_MS);
    told.length = 0;
    await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const [call] = Object.values((i % 2 ? cashier : elsewhere).providerTasks);
        await call?.({ kind: "withdrawal", id });
      }),
    );
    await sweep();
    await runJobs();
    expect(has.has(id)).toBe(false);
    expect(await statesOf(session, id)).toEqual(["held", "approved", "held"]);
    expect((await withdrawal(session, id)).wait_reasons).toEqual(["member_blocked"]);
    expect(told).toEqual([session.memberId]);
    const held = await staff.withdrawals.held(merchant, { after: null, limit: 500 });
    expect(held.find((row) => row.id === id)?.wait_reasons).toEqual(["member_blocked"]);
    expect(await available(session)).toBe(80_000n);
    expect(await cashier.withdrawals.reject(id, { act: ana, reason: "Ask support" })).toBe(true);
    expect(await available(session)).toBe(100_000n);
  });

  it("goes out if an operator lets it out although the reasons name the block", async () => {
    const session = await player(100_000n);
    const id = await approved(session);
    await block(session);
    clock.advance(LATE_MS);
    await sweep();
    expect((await withdrawal(session, id)).state).toBe("held");
    expect(await cashier.withdrawals.approve(id, ana)).toBe(true);
    await runJobs();
    expect(await statesOf(session, id)).toEqual(["held", "approved", "held", "approved", "sent"]);
    expect(has.has(id)).toBe(true);
  });

  it("cannot be let out by an operator whose list did not name the block yet", async () => {
    const session = await player(2_000_000n);
    const { id } = taken(await withdraw(session, 1_000_000n, { method: "card" }));
    await runJobs();
    await block(session);
    expect(await cashier.withdrawals.approve(id, ana)).toBe(false);
    const { state, wait_reasons } = await withdrawal(session, id);
    expect([state, wait_reasons[0]]).toEqual(["held", "member_blocked"]);
    expect(await cashier.withdrawals.approve(id, ana)).toBe(true);
    await runJobs();
    expect(has.has(id)).toBe(true);
  });

  it("is held for a second block, if the first one was over when it was let out", async () => {
    const session = await player(100_000n);
    const { id } = taken(await withdraw(session, 20_000n, { method: "card" }));
    await block(session);
    await runJobs();
    await block(session, false);
    expect(await cashier.withdrawals.approve(id, ana)).toBe(true);
    await block(session);
    await runJobs();
    expect(await statesOf(session, id)).toEqual(["held", "approved", "held"]);
    expect(has.has(id)).toBe(false);
  });

  it("stays sent if the provider took it, though its answer was lost", async () => {
    const session = await player(100_000n);
    const { id } = taken(await withdraw(session, 20_000n, { method: "card" }));
    after = away;
    await runJobs();
    expect((await withdrawal(session, id)).state).toBe("approved");
    await block(session);
    clock.advance(LATE_MS);
    await sweep();
    expect((await withdrawal(session, id)).state).toBe("sent");
    expect(await cashier.withdrawals.reject(id, { act: ana, reason: "Ask support" })).toBe(false);
  });

  it("waits while an unanswered call may still arrive, and is held after that", async () => {
    const session = await player(100_000n);
    const id = await approved(session);
    await block(session);
    clock.advance(10 * MINUTE_MS);
    await sweep();
    expect((await withdrawal(session, id)).state).toBe("approved");
    clock.advance(LATE_MS);
    await sweep();
    expect((await withdrawal(session, id)).state).toBe("held");
    expect(has.has(id)).toBe(false);
  });

  it("is never held while another process is calling the provider", async () => {
    const session = await player(100_000n);
    const { id } = taken(await withdraw(session, 20_000n, { method: "card" }));
    let reached = () => {};
    let goOn = () => {};
    const isCalled = new Promise<void>((done) => {
      reached = done;
    });
    const mayGoOn = new Promise<void>((done) => {
      goOn = done;
    });
    before = async () => {
      reached();
      await mayGoOn;
    };
    const sending = runJobs();
    await isCalled;
    await block(session);
    const [call] = Object.values(elsewhere.providerTasks);
    await call?.({ kind: "withdrawal", id });
    expect((await withdrawal(session, id)).state).toBe("approved");
    goOn();
    await sending;
    expect(await statesOf(session, id)).toEqual(["held", "approved", "sent"]);
  });
});

describe("a pay-out by hand whose player is blocked while it waits", () => {
  it("shows the block, cannot be claimed, and leaves the queue", async () => {
    const session = await player(100_000n);
    const id = await queued(session);
    expect(await waitingPayout(id)).toMatchObject({ blocked: false });
    await block(session);
    expect(await waitingPayout(id)).toMatchObject({ blocked: true });
    told.length = 0;
    const codes = await Promise.all(
      [1, 2, 3].map(async () => codeOf(await staff.withdrawals.claim(merchant, ana, id))),
    );
    expect(new Set(codes)).toEqual(new Set(["member_blocked"]));
    expect(await waitingPayout(id)).toBeUndefined();
    expect(await statesOf(session, id)).toEqual(["held", "approved", "sent", "held"]);
    expect(told).toEqual([session.memberId]);
    expect((await withdrawal(session, id)).wait_reasons).toEqual(["member_blocked"]);
    clock.advance(LATE_MS);
    await sweep();
    expect(await waitingPayout(id)).toBeUndefined();
    expect(await cashier.withdrawals.reject(id, { act: ana, reason: "Ask support" })).toBe(true);
    expect(await available(session)).toBe(100_000n);
  });

  it("is in the queue again, and can be claimed, once an operator lets it out all the same", async () => {
    const session = await player(100_000n);
    const id = await queued(session);
    await block(session);
    expect(codeOf(await staff.withdrawals.claim(merchant, ana, id))).toBe("member_blocked");
    expect(await cashier.withdrawals.approve(id, ana)).toBe(true);
    taken(await staff.withdrawals.claim(merchant, ana, id));
    taken(await staff.withdrawals.markPaid(merchant, ana, id, "BPI-700001"));
    expect((await withdrawal(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(80_000n);
  });

  it("is refused as changed if the account was changed instead, and must be approved anew", async () => {
    const session = await player(100_000n);
    const id = await queued(session);
    clock.advance(MINUTE_MS);
    await changeProofs(session);
    expect(codeOf(await staff.withdrawals.claim(merchant, ana, id))).toBe("account_changed");
    expect(codeOf(await staff.withdrawals.claim(merchant, ana, id))).toBe("account_changed");
    clock.advance(MINUTE_MS);
    taken(await staff.withdrawals.approve(merchant, ana, id));
    // Also for one that no rule has looked at yet.
    const { id: later } = taken(await withdraw(session, 20_000n, { method: "bank" }));
    clock.advance(MINUTE_MS);
    await changeProofs(session);
    expect(codeOf(await staff.withdrawals.approve(merchant, ana, later))).toBe("account_changed");
    expect(await staff.withdrawals.approve(merchant, ana, later)).toMatchObject({ ok: true });
  });

  it("stays with the operator who claimed it before the block and says how it ended", async () => {
    const session = await player(100_000n);
    const [paid, failed] = [await queued(session), await queued(session)];
    for (const id of [paid, failed]) taken(await staff.withdrawals.claim(merchant, ana, id));
    await block(session);
    taken(await staff.withdrawals.markPaid(merchant, ana, paid, "BPI-700002"));
    taken(await staff.withdrawals.markFailed(merchant, ana, failed, "Ask support"));
    expect((await withdrawal(session, paid)).state).toBe("paid");
    expect(await available(session)).toBe(80_000n);
  });

  it("that was claimed before the account was changed shows that, and is paid by an operator who was told once of each change", async () => {
    const session = await player(100_000n);
    const [paid, released] = [await queued(session), await queued(session)];
    for (const id of [paid, released]) taken(await staff.withdrawals.claim(merchant, ana, id));
    expect(await waitingPayout(paid)).toMatchObject({ account_changed: false });
    for (const reference of ["BPI-700003", "BPI-700004"]) {
      clock.advance(MINUTE_MS);
      await changeProofs(session);
      for (const id of [paid, released]) {
        expect(await waitingPayout(id)).toMatchObject({ account_changed: true });
        const told = await staff.withdrawals.markPaid(merchant, ana, id, `${reference} ${id}`);
        expect(codeOf(told)).toBe("account_changed");
        expect(await waitingPayout(id)).toMatchObject({ state: "claimed", account_changed: true });
      }
    }
    for (let times = 0; times < 2; times++) {
      expect(taken(await staff.withdrawals.markPaid(merchant, ana, paid, "BPI-700005")).state).toBe(
        "paid",
      );
    }
    expect((await withdrawal(session, paid)).state).toBe("paid");
    // An operator who was told has approved nothing.
    taken(await staff.withdrawals.release(merchant, ana, released));
    expect(codeOf(await staff.withdrawals.claim(merchant, ana, released))).toBe("account_changed");
    expect((await withdrawal(session, released)).state).toBe("held");
    taken(await staff.withdrawals.approve(merchant, ana, released));
    taken(await staff.withdrawals.claim(merchant, ana, released));
    expect(await waitingPayout(released)).toMatchObject({ account_changed: false });
    expect(
      taken(await staff.withdrawals.markPaid(merchant, ana, released, "BPI-700006")).state,
    ).toBe("paid");
  });

  it("does not return to the queue by a check that began before it left", async () => {
    const session = await player(100_000n);
    for (let i = 0; i < 5; i++) {
      const id = await queued(session);
      await block(session);
      const looks = Array.from({ length: 6 }, (_, k) =>
        (k % 2 ? cashier : elsewhere).withdrawals.review(id),
      );
      const [code] = await Promise.all([staff.withdrawals.claim(merchant, ana, id), ...looks]);
      expect(codeOf(code)).toBe("member_blocked");
      expect(await waitingPayout(id)).toBeUndefined();
      expect((await withdrawal(session, id)).state).toBe("held");
      expect(await cashier.withdrawals.reject(id, { act: ana, reason: "Ask support" })).toBe(true);
      await block(session, false);
    }
    const manual = findProvider(cashier.providers, "manual");
    const id = await queued(session);
    await block(session);
    expect(codeOf(await staff.withdrawals.claim(merchant, ana, id))).toBe("member_blocked");
    const amount = { minor: 20_000n, currency: "PHP" as const };
    const payout = { id, merchant, method: "bank", destination: "", amount, origin: "" };
    await manual?.sendPayout({ ...payout, letOutAt: clock.now() });
    expect(await waitingPayout(id)).toBeUndefined();
  });
});
