import { assert } from "@perya/kernel/assert";
import { MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import type { Session } from "../identity/identity.ts";
import type { Act } from "../operators/operators.ts";
import type { PaymentProvider } from "./cashier.ts";
import { operatorCashierRoutes } from "./operator-cashier.routes.ts";
import { type KnownPayment, ProviderUnavailable } from "./provider.ts";
import { ARRIVES_MS } from "./withdrawal-gate.ts";

const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const MUCH = "90000000";
/** The amount that one operator ends alone. */
const ALONE = 1_000_000n;
const LATE_MS = ARRIVES_MS + MINUTE_MS;

/** The outside provider's word on its pay-outs; the next variable says whether it answers. */
const books = new Map<string, KnownPayment["status"]>();
/** The payments that it was called for. */
const calls: string[] = [];
let isDead = false;
const outside: PaymentProvider = {
  code: "outside",
  isOutside: true,
  serves: () => true,
  openDeposit: async ({ returnUrl }) => ({ reference: "one", payUrl: returnUrl }),
  sendPayout: async ({ id }) => {
    calls.push(id);
    if (isDead) throw new ProviderUnavailable("no answer");
    books.set(id, "pending");
  },
  ask: async (_kind, id) => {
    calls.push(id);
    if (isDead) throw new ProviderUnavailable("no answer");
    const status = books.get(id);
    return status === undefined ? null : { status, amount: php(20_000n) };
  },
  // Every call-back in these tests comes from the provider.
  isSigned: () => true,
};

const harness = await openCashierHarness(
  "gone providers",
  {
    methods: [
      { code: "card", name: "Card", provider: "outside", kind: "withdrawal", ...LIMITS },
      { code: "bank", name: "Bank", provider: "manual", kind: "withdrawal", ...LIMITS },
    ],
    openMax: 40,
    autoApproveMaxMinor: MUCH,
    autoApproveDaily: { playerMinor: MUCH, destinationMinor: MUCH, deviceMinor: MUCH },
    newDestinationWaitMinutes: 0,
    payoutFourEyesAboveMinor: `${ALONE}`,
  },
  { providers: [outside] },
);
const { alarms, available, cashier, clock, db, employ, ledger, merchant, operators } = harness;
const { player, runJobs, staff, sweep, withdraw, withdrawal } = harness;
/** A process that was started after the provider was removed from its configuration. */
const without = harness.cashierOver(ledger, []);
const staffWithout = harness.staffOf(without);
const FIRST_PAGE = { after: null, limit: 500 };

const [ana, ben] = [await employ("Ana"), await employ("Ben")];

beforeEach(() => {
  isDead = false;
  alarms.length = 0;
});

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

async function rowOf(id: string) {
  const { rows } = await db.pool.query("SELECT * FROM withdrawals WHERE id = $1", [id]);
  return rows[0];
}

function callsFor(id: string): number {
  return calls.filter((one) => one === id).length;
}

async function actionsOn(subject: string): Promise<string[]> {
  const all = await operators.actions(merchant.id, { before: null, limit: 500 });
  return all.filter((one) => one.subject === subject).map(({ action }) => action);
}

/** Waits for an operator: no job has looked at it yet. */
async function held(session: Session, minor = 20_000n): Promise<string> {
  return taken(await withdraw(session, minor, { method: "card" })).id;
}

describe("a held withdrawal whose provider is no longer configured", () => {
  it("cannot be approved, which says why and writes nothing, and is rejected or waits for the provider", async () => {
    const session = await player(100_000n);
    const [one, two] = [await held(session), await held(session)];
    const before = await rowOf(one);
    const listed = await staffWithout.withdrawals.held(merchant, FIRST_PAGE);
    expect(listed.find(({ id }) => id === one)?.provider).toBe("outside");
    for (const _time of ["once", "again"]) {
      expect(codeOf(await staffWithout.withdrawals.approve(merchant, ana, one))).toBe(
        "provider_not_wired",
      );
    }
    expect([await rowOf(one), await actionsOn(one)]).toEqual([before, []]);
    expect(
      taken(await staffWithout.withdrawals.reject(merchant, ana, one, "Ask again")).state,
    ).toBe("rejected");
    expect(taken(await staff.withdrawals.approve(merchant, ana, two)).state).toBe("approved");
    // Sent again without its provider, it answers as it is.
    expect(taken(await staffWithout.withdrawals.approve(merchant, ana, two)).state).toBe(
      "approved",
    );
    await runJobs();
    expect((await withdrawal(session, two)).state).toBe("sent");
    expect(await available(session)).toBe(80_000n);
  });
});

/** Let out and sent, so that the provider has it and does not end it. */
async function sent(session: Session, minor = 20_000n): Promise<string> {
  const id = await held(session, minor);
  await runJobs();
  expect((await withdrawal(session, id)).state).toBe("sent");
  return id;
}

/** Let out while the provider does not answer, and tried until now. */
async function tried(session: Session, minor = 20_000n): Promise<string> {
  isDead = true;
  const id = await held(session, minor);
  await runJobs();
  expect((await withdrawal(session, id)).state).toBe("approved");
  return id;
}

/** Let out, and never tried. */
async function untried(session: Session, minor = 20_000n): Promise<string> {
  const id = await held(session, minor);
  await cashier.withdrawals.review(id);
  await harness.loseJobs();
  expect(await rowOf(id)).toMatchObject({ state: "approved", tried_at: null });
  return id;
}

async function stuck(of = staff): Promise<string[]> {
  return (await of.withdrawals.stuckPayouts(merchant, FIRST_PAGE)).map(({ id }) => id);
}

async function listed(id: string) {
  const all = await staff.withdrawals.waitingPayouts(merchant, FIRST_PAGE);
  return all.find((one) => one.withdrawal_id === id);
}

/** A player's pay-out, taken over by Ana once its provider can take no earlier call any more. */
async function takenOver(minor = 20_000n) {
  const session = await player(minor);
  const id = await sent(session, minor);
  clock.advance(LATE_MS);
  expect(taken(await staff.withdrawals.takeOver(merchant, ana, id)).state).toBe("claimed");
  return { session, id };
}

describe("a pay-out that is stuck at a provider", () => {
  it("is listed, taken over at once and given back if the provider is gone and never had it", async () => {
    const session = await player(100_000n);
    const id = await untried(session);
    expect(await stuck()).not.toContain(id);
    expect(await stuck(staffWithout)).toContain(id);
    expect(codeOf(await staff.withdrawals.takeOver(merchant, ana, id))).toBe("payout_under_way");
    for (const _time of ["once", "again"]) {
      const took = taken(await staffWithout.withdrawals.takeOver(merchant, ana, id));
      expect(took).toEqual({ id, state: "claimed" });
    }
    expect(codeOf(await staff.withdrawals.takeOver(merchant, ben, id))).toBe("claimed_by_another");
    expect(await stuck(staffWithout)).not.toContain(id);
    for (const _time of ["once", "again"]) {
      const failed = await staffWithout.withdrawals.markFailed(
        merchant,
        ana,
        id,
        "The provider is gone",
      );
      expect(taken(failed).state).toBe("failed");
    }
    expect(await withdrawal(session, id)).toMatchObject({
      state: "failed",
      reason: "The provider is gone",
    });
    expect(await available(session)).toBe(100_000n);
    expect(await actionsOn(id)).toEqual(["payout.failed", "payout.take_over"]);
    expect(codeOf(await staffWithout.withdrawals.takeOver(merchant, ana, id))).toBe("wrong_state");
  });

  it("is listed with the time of its provider's last call, if there was one", async () => {
    const session = await player(100_000n);
    const [never, once] = [await untried(session), await tried(session)];
    const triedAt = clock.now();
    clock.advance(LATE_MS);
    // Their calls read only the brand and the page.
    const call = { merchant, query: { limit: 50 } } as never;
    const routes = operatorCashierRoutes(staffWithout);
    const waiting = taken(await routes["GET /api/v1/operator/stuck-payouts"](call));
    assert("items" in waiting, "a list is answered as it is");
    const told = new Map(waiting.items.map((one) => [one.id, one.triedAt]));
    expect([told.get(never), told.get(once)]).toEqual([null, triedAt]);
    taken(await staffWithout.withdrawals.takeOver(merchant, ana, never));
    taken(await staffWithout.withdrawals.takeOver(merchant, ana, once));
    const payouts = taken(await routes["GET /api/v1/operator/payouts"](call));
    assert("items" in payouts, "a list is answered as it is");
    const over = new Map(payouts.items.map((one) => [one.id, one.takenOver?.triedAt]));
    expect([over.get(never), over.get(once)]).toEqual([null, triedAt]);
    for (const id of [never, once])
      taken(await staffWithout.withdrawals.markFailed(merchant, ana, id, "Gone"));
  });

  it("can be ended only once no earlier call can arrive at the provider, which is called no more", async () => {
    const session = await player(100_000n);
    const id = await tried(session);
    clock.advance(LATE_MS);
    // Tried every minute for as long as it is open, so that its last try is never old.
    await sweep();
    await runJobs();
    expect(taken(await staff.withdrawals.takeOver(merchant, ana, id)).state).toBe("claimed");
    const before = callsFor(id);
    for (const say of [
      () => staff.withdrawals.markPaid(merchant, ana, id, "po_77-1"),
      () => staff.withdrawals.markFailed(merchant, ana, id, "It never came"),
    ]) {
      expect(codeOf(await say())).toBe("payout_under_way");
    }
    clock.advance(ARRIVES_MS - 1);
    await runJobs();
    await sweep();
    await runJobs();
    expect(codeOf(await staff.withdrawals.markFailed(merchant, ana, id, "It never came"))).toBe(
      "payout_under_way",
    );
    clock.advance(1);
    expect(
      taken(await staff.withdrawals.markFailed(merchant, ana, id, "It never came")).state,
    ).toBe("failed");
    expect([callsFor(id), books.has(id), await available(session)]).toEqual([
      before,
      false,
      100_000n,
    ]);
  });

  it("that the provider has lost counts from when it was sent there again", async () => {
    const session = await player(100_000n);
    const id = await sent(session);
    books.delete(id);
    clock.advance(LATE_MS);
    await sweep();
    expect(books.get(id)).toBe("pending");
    expect(taken(await staff.withdrawals.takeOver(merchant, ana, id)).state).toBe("claimed");
    expect(codeOf(await staff.withdrawals.markFailed(merchant, ana, id, "Forgotten"))).toBe(
      "payout_under_way",
    );
    clock.advance(ARRIVES_MS);
    expect(taken(await staff.withdrawals.markFailed(merchant, ana, id, "Forgotten")).state).toBe(
      "failed",
    );
  });

  it("is paid under the provider's reference, which is valid once", async () => {
    const [one, two] = [await takenOver(), await takenOver()];
    expect(await listed(one.id)).toMatchObject({ provider: "outside", state: "claimed" });
    for (const _time of ["once", "again"]) {
      const paid = await staff.withdrawals.markPaid(merchant, ana, one.id, "po_2026.77/1");
      expect(taken(paid).state).toBe("paid");
    }
    expect((await withdrawal(one.session, one.id)).state).toBe("paid");
    expect(await available(one.session)).toBe(0n);
    expect(await listed(one.id)).toBeUndefined();
    expect(codeOf(await staff.withdrawals.markPaid(merchant, ana, two.id, "PO 2026 771"))).toBe(
      "bankReference taken",
    );
    taken(await staff.withdrawals.markFailed(merchant, ana, two.id, "Not in its books"));
    expect(await available(two.session)).toBe(20_000n);
  });

  it.each([
    ["paid", "failed"],
    ["failed", "paid"],
  ] as const)(
    "that people ended as %s is not moved by a provider that says %s",
    async (to, says) => {
      const { session, id } = await takenOver();
      taken(
        to === "paid"
          ? await staff.withdrawals.markPaid(merchant, ana, id, `REF ${id.slice(-8)} A`)
          : await staff.withdrawals.markFailed(merchant, ana, id, "Not in its books"),
      );
      const told = harness.event("withdrawal", id, says, 20_000n);
      expect(await harness.callBack(told, undefined, "outside")).toBe(409);
      expect(alarms).toEqual(["a pay-out was told to end otherwise than it did"]);
      expect((await withdrawal(session, id)).state).toBe(to);
      expect(await available(session)).toBe(to === "paid" ? 0n : 20_000n);
      const same = harness.event("withdrawal", id, to, 20_000n);
      expect(await harness.callBack(same, undefined, "outside")).toBe(200);
    },
  );

  it("that people have taken over is theirs to end, whatever the provider says meanwhile", async () => {
    const { session, id } = await takenOver();
    for (const says of ["failed", "paid"] as const) {
      const told = harness.event("withdrawal", id, says, 20_000n);
      expect(await harness.callBack(told, undefined, "outside")).toBe(409);
    }
    expect(new Set(alarms)).toEqual(
      new Set(["a provider tells how a pay-out ended that operators took over"]),
    );
    expect((await withdrawal(session, id)).state).toBe("sent");
    taken(await staff.withdrawals.markPaid(merchant, ana, id, `REF ${id.slice(-8)} B`));
    expect(await available(session)).toBe(0n);
  });

  it("that its provider ends at the moment of the take-over ends in one way only", async () => {
    for (let i = 0; i < 8; i++) {
      const session = await player(20_000n);
      const id = await sent(session);
      clock.advance(LATE_MS);
      const told = harness.event("withdrawal", id, "paid", 20_000n);
      const [answered, took] = await Promise.all([
        harness.callBack(told, undefined, "outside"),
        staff.withdrawals.takeOver(merchant, ana, id),
      ]);
      if (took.ok) {
        expect(answered).toBe(409);
        taken(await staff.withdrawals.markFailed(merchant, ana, id, "Not in its books"));
      } else expect([answered, codeOf(took)]).toEqual([200, "wrong_state"]);
      expect(await available(session)).toBe(took.ok ? 20_000n : 0n);
    }
  }, 20_000);

  it("beyond what one operator ends alone is ended by two, as paid and as failed", async () => {
    const [one, two] = [await takenOver(ALONE + 1n), await takenOver(ALONE + 1n)];
    expect(
      taken(await staff.withdrawals.markPaid(merchant, ana, one.id, "two-people-1")).state,
    ).toBe("marked");
    expect(
      taken(await staff.withdrawals.markFailed(merchant, ana, two.id, "Not there")).state,
    ).toBe("marked_failed");
    await sweep();
    expect((await withdrawal(one.session, one.id)).state).toBe("sent");
    const confirm = (by: Act, id: string, outcome: "paid" | "failed") =>
      staff.withdrawals.confirmPayout(merchant, by, id, outcome);
    expect(codeOf(await confirm(ana, one.id, "paid"))).toBe("second_person_needed");
    expect(taken(await confirm(ben, one.id, "paid")).state).toBe("paid");
    expect(taken(await confirm(ben, two.id, "failed")).state).toBe("failed");
    expect((await withdrawal(one.session, one.id)).state).toBe("paid");
    expect((await withdrawal(two.session, two.id)).state).toBe("failed");
    expect([await available(one.session), await available(two.session)]).toEqual([0n, ALONE + 1n]);
  });

  it("stays with people when it is released or its player is blocked, and no block holds it", async () => {
    const { session, id } = await takenOver();
    await db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [session.memberId]);
    expect(taken(await staff.withdrawals.release(merchant, ana, id)).state).toBe("queued");
    await sweep();
    await runJobs();
    expect((await withdrawal(session, id)).state).toBe("sent");
    expect(taken(await staff.withdrawals.claim(merchant, ben, id)).state).toBe("claimed");
    expect((await withdrawal(session, id)).state).toBe("sent");
    expect(taken(await staff.withdrawals.markFailed(merchant, ben, id, "Not there")).state).toBe(
      "failed",
    );
    expect(await available(session)).toBe(20_000n);
  });

  it("whose operator's word came in a process that died is ended by the sweep of one without the provider", async () => {
    const { session, id } = await takenOver();
    const { settlePayout } = cashier.withdrawals;
    cashier.withdrawals.settlePayout = async () => {};
    taken(await staff.withdrawals.markFailed(merchant, ana, id, "Not there"));
    cashier.withdrawals.settlePayout = settlePayout;
    expect((await withdrawal(session, id)).state).toBe("sent");
    await without.withdrawals.review(id);
    expect((await withdrawal(session, id)).state).toBe("failed");
    expect(alarms).toEqual([]);
  });

  it("cannot be taken over while it is held, ended, new, or paid by hand", async () => {
    const session = await player(200_000n);
    const byHand = taken(await withdraw(session, 20_000n, { method: "bank" })).id;
    const [waits, young] = [await held(session), await sent(session)];
    const over = await sent(session);
    const told = harness.event("withdrawal", over, "paid", 20_000n);
    expect(await harness.callBack(told, undefined, "outside")).toBe(200);
    const codes = [waits, young, over, byHand].map(async (id) =>
      codeOf(await staff.withdrawals.takeOver(merchant, ana, id)),
    );
    // The jobs that `sent` ran have let out the held ones as well.
    expect(await Promise.all(codes)).toEqual([
      "payout_under_way",
      "payout_under_way",
      "wrong_state",
      "wrong_state",
    ]);
    const last = await held(session);
    expect(codeOf(await staffWithout.withdrawals.takeOver(merchant, ana, last))).toBe(
      "wrong_state",
    );
  });
});
