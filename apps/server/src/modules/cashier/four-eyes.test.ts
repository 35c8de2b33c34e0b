import { createCanvas } from "@napi-rs/canvas";
import { OPERATOR_PERMISSIONS } from "@perya/contract/operator";
import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import { seededEntropy } from "../../../../../tests/server/fixtures.ts";
import { overtakenAt } from "../../../../../tests/server/overtaken.ts";
import type { Session } from "../identity/identity.ts";
import { type Act, Operators } from "../operators/operators.ts";
import { OperatorCashier } from "./operator-cashier.ts";

const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const HOUSE = {
  name: "House bank",
  number: "1234",
  holder: "House Inc.",
  instructions: { EN: "" },
};
const MUCH = "90000000";
const ALONE = 1_000_000n;
const ALONE_DAY = 3_000_000n;

const harness = await openCashierHarness(
  "four eyes",
  {
    methods: [
      { code: "card", name: "Card", provider: "sandbox", kind: "withdrawal", ...LIMITS },
      { code: "bank", name: "Bank", provider: "manual", kind: "deposit", ...LIMITS },
      { code: "other", name: "Other bank", provider: "manual", kind: "deposit", ...LIMITS },
      { code: "bank", name: "Bank", provider: "manual", kind: "withdrawal", ...LIMITS },
    ],
    houseAccounts: [
      { method: "bank", ...HOUSE },
      { method: "other", ...HOUSE, number: "9876" },
    ],
    openMax: 40,
    autoApproveMaxMinor: MUCH,
    autoApproveDaily: { playerMinor: MUCH, destinationMinor: MUCH, deviceMinor: MUCH },
    newDestinationWaitMinutes: 0,
    depositFourEyesAboveMinor: `${ALONE}`,
    payoutFourEyesAboveMinor: `${ALONE}`,
  },
  { settings: { operatorDayFourEyesAboveMinor: `${ALONE_DAY}` } },
);
const { available, cashier, clock, db, evidence, fresh, ledger, merchant, payouts } = harness;
const { player, runJobs, sweep, withdraw, withdrawal } = harness;
const staff = new OperatorCashier(db.pool, clock, cashier);
const operators = new Operators(db.pool, clock, seededEntropy("four eyes"));
const FIRST_PAGE = { after: null, limit: 500 };

let people = 0;
let numbers = 0;

afterAll(harness.close);

afterEach(async () => {
  await runJobs();
  expect(await ledger.verify()).toEqual([]);
});

/** A new operator who may do everything. */
async function employ(): Promise<Act> {
  people += 1;
  const given = { name: `Person ${people}`, permissions: OPERATOR_PERMISSIONS, days: 30 };
  const { operator } = taken(await operators.add(merchant.id, given));
  return { operator, requestId: "request", address: "127.0.0.1" };
}

async function couple(): Promise<[Act, Act]> {
  return [await employ(), await employ()];
}

/** Waits for an operator: no job has looked at it yet. */
async function held(session: Session, minor: bigint, method = "card"): Promise<string> {
  return taken(await withdraw(session, minor, { method })).id;
}

/** Let out by the rule, to be paid by hand. */
async function queued(session: Session, minor: bigint): Promise<string> {
  const id = await held(session, minor, "bank");
  await runJobs();
  expect((await withdrawal(session, id)).state).toBe("sent");
  return id;
}

function freshNumber(): string {
  numbers += 1;
  return `${7_000_000_000_000 + numbers * 1_357_911}`;
}

interface Evidence {
  readonly method?: string;
  readonly number?: string;
  readonly picture?: Buffer;
}

/** A deposit whose player has sent the money, a picture and its number, all of its own. */
async function claimed(session: Session, minor: bigint, change: Evidence = {}): Promise<string> {
  const { method = "bank", number = freshNumber(), picture = freshPicture() } = change;
  const given = { id: fresh("deposit"), method, amount: php(minor) };
  const { id } = taken(await cashier.deposit(merchant, session, given));
  taken(await evidence.sendReceipt(session, id, picture));
  taken(await evidence.claimPaid(merchant, session, id, number));
  return id;
}

function confirm(act: Act, id: string, minor: bigint, number = id) {
  return staff.confirmDeposit(merchant, act, id, php(minor), number);
}

async function statesOf(answers: readonly Promise<Awaited<ReturnType<typeof confirm>>>[]) {
  return (await Promise.all(answers)).map((answer) => taken(answer).state);
}

/** As identity does for every change of what proves who a member is. */
async function changeAccount({ memberId }: Session): Promise<void> {
  clock.advance(MINUTE_MS);
  await db.pool.query(
    "UPDATE members SET proofs_changed_at = to_timestamp($2 / 1000.0) WHERE id = $1",
    [memberId, clock.now()],
  );
}

function count(states: readonly string[], state: string): number {
  return states.filter((one) => one === state).length;
}

async function actionsOn(subject: string): Promise<string[]> {
  const all = await operators.actions(merchant.id, { before: null, limit: 500 });
  const own = all.filter((one) => one.subject === subject).reverse();
  return own.map(({ operator_id, action }) => `${operator_id} ${action}`);
}

async function approversOf(id: string) {
  const { rows } = await db.pool.query(
    "SELECT first_approver, second_approver FROM withdrawals WHERE id = $1",
    [id],
  );
  return [rows[0]?.first_approver, rows[0]?.second_approver];
}

describe("a withdrawal above the brand's amount", () => {
  it.each(["card", "bank"])(
    "is let out by two operators, for any way of payment (%s)",
    async (method) => {
      const [ana, ben] = await couple();
      const session = await player(5_000_000n);
      const id = await held(session, ALONE + 1n, method);
      const first = await staff.approve(merchant, ana, id);
      expect(taken(first)).toEqual({ id, state: "first_approved" });
      expect((await withdrawal(session, id)).state).toBe("held");
      const again = await staff.approve(merchant, ana, id);
      expect(codeOf(again)).toBe("second_person_needed");
      const waiting = await staff.heldWithdrawals(merchant, FIRST_PAGE);
      expect(waiting.find((row) => row.id === id)?.approver).toBe(ana.operator.name);
      expect(taken(await staff.approve(merchant, ben, id)).state).not.toBe("first_approved");
      for (const act of [ana, ben]) taken(await staff.approve(merchant, act, id));
      expect(["approved", "sent", "paid"]).toContain((await withdrawal(session, id)).state);
      expect(await approversOf(id)).toEqual([ana.operator.id, ben.operator.id]);
      expect(await actionsOn(id)).toEqual([
        `${ana.operator.id} withdrawal.approve`,
        `${ben.operator.id} withdrawal.confirm`,
      ]);
    },
  );

  it("that two operators approve at once goes out once", async () => {
    const [ana, ben] = await couple();
    const session = await player(90_000_000n);
    for (let i = 0; i < 5; i++) {
      const id = await held(session, ALONE + 1n);
      await Promise.all([ana, ben, ana, ben].map((act) => staff.approve(merchant, act, id)));
      await runJobs();
      expect(await payouts(id)).toBe(1);
      expect((await approversOf(id)).sort()).toEqual([ana.operator.id, ben.operator.id].sort());
      expect(await actionsOn(id)).toHaveLength(2);
    }
  });

  it("forgets its first approver when it is rejected or fails", async () => {
    const [ana, ben] = await couple();
    const session = await player(5_000_000n);
    const rejected = await held(session, ALONE + 1n);
    taken(await staff.approve(merchant, ana, rejected));
    taken(await staff.reject(merchant, ben, rejected, "Ask support"));
    expect(await approversOf(rejected)).toEqual([null, null]);
    expect(codeOf(await staff.approve(merchant, ben, rejected))).toBe("wrong_state");
    const failed = await held(session, ALONE + 1n, "bank");
    for (const act of [ana, ben]) taken(await staff.approve(merchant, act, failed));
    taken(await staff.claim(merchant, ana, failed));
    taken(await staff.markFailed(merchant, ana, failed, "No such number"));
    taken(await staff.confirmPayout(merchant, ben, failed, "failed"));
    expect(await approversOf(failed)).toEqual([null, null]);
    expect(await available(session)).toBe(5_000_000n);
  });

  it.each([false, true])(
    "must be approved by two anew if its player is blocked, as neither knew of that (the rule: %s)",
    async (isJudged) => {
      const [ana, ben] = await couple();
      const session = await player(5_000_000n);
      const id = await held(session, ALONE + 1n);
      taken(await staff.approve(merchant, ana, id));
      await db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [session.memberId]);
      // Either the rule or the next approval finds the block first.
      if (isJudged) await cashier.review(id);
      else expect(codeOf(await staff.approve(merchant, ben, id))).toBe("member_blocked");
      expect(await approversOf(id)).toEqual([null, null]);
      expect(taken(await staff.approve(merchant, ben, id)).state).toBe("first_approved");
      expect(taken(await staff.approve(merchant, ana, id)).state).not.toBe("first_approved");
    },
  );

  it.each(["the sweep", "the rule", "the second word"])(
    "must be approved by two anew each time its account is changed between their words (found by %s)",
    async (by) => {
      const [ana, ben] = await couple();
      const session = await player(5_000_000n);
      const id = await held(session, ALONE + 1n);
      for (let changes = 0; changes < 3; changes++) {
        expect(taken(await staff.approve(merchant, ana, id)).state).toBe("first_approved");
        await changeAccount(session);
        if (by === "the sweep") await sweep();
        else if (by === "the rule") await cashier.review(id);
        else expect(codeOf(await staff.approve(merchant, ben, id))).toBe("account_changed");
        expect(await approversOf(id)).toEqual([null, null]);
        expect((await withdrawal(session, id)).wait_reasons).toEqual(["account_changed"]);
      }
      // A change that was noted once voids no later word.
      expect(taken(await staff.approve(merchant, ben, id)).state).toBe("first_approved");
      await sweep();
      await cashier.review(id);
      expect(await approversOf(id)).toEqual([ben.operator.id, null]);
      expect(taken(await staff.approve(merchant, ana, id)).state).not.toBe("first_approved");
      await runJobs();
      expect(await payouts(id)).toBe(1);
    },
  );

  it("cannot be stored as let out by one operator twice", async () => {
    const ana = await employ();
    const id = await held(await player(5_000_000n), 10_000n);
    const twice = db.pool.query(
      "UPDATE withdrawals SET first_approver = $2, second_approver = $2 WHERE id = $1",
      [id, ana.operator.id],
    );
    await expect(twice).rejects.toThrow("withdrawals_four_eyes");
  });
});

describe("the limit on what one operator alone lets in and out in 24 hours", () => {
  it("stops at the brand's amount for a player's withdrawals, also twenty at once", async () => {
    const [ana, ben] = await couple();
    const session = await player(90_000_000n);
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push(await held(session, 100_000n));
    const states = await statesOf(ids.map((id) => staff.approve(merchant, ana, id)));
    expect(count(states, "first_approved")).toBe(10);
    // The next person lets the others out, and has done nothing alone by that.
    const left = ids.filter((_, i) => states[i] === "first_approved");
    const seconded = await statesOf(left.map((id) => staff.approve(merchant, ben, id)));
    expect(count(seconded, "first_approved")).toBe(0);
    const own = await held(session, ALONE);
    expect(taken(await staff.approve(merchant, ben, own)).state).not.toBe("first_approved");
    clock.advance(DAY_MS + 1);
    const later = await held(session, ALONE);
    expect(taken(await staff.approve(merchant, ana, later)).state).not.toBe("first_approved");
  });

  it("stops at the brand's amount for a player's deposits, also twenty at once", async () => {
    const [ana, ben] = await couple();
    const session = await player(0n);
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push(await claimed(session, 100_000n));
    const states = await statesOf(ids.map((id) => confirm(ana, id, 100_000n)));
    expect([count(states, "paid"), count(states, "counted")]).toEqual([10, 10]);
    expect(await available(session)).toBe(ALONE);
    const again = await statesOf(ids.map((id) => confirm(ana, id, 100_000n)));
    expect(count(again, "counted")).toBe(10);
    expect(await statesOf(ids.map((id) => confirm(ben, id, 100_000n)))).not.toContain("counted");
    expect(await available(session)).toBe(2n * ALONE);
  });

  it("counts what came in and what goes out together, and one payment once", async () => {
    const [ana, ben] = await couple();
    const session = await player(5_000_000n);
    const deposit = await claimed(session, 600_000n);
    expect(taken(await confirm(ana, deposit, 600_000n)).state).toBe("paid");
    // Approved and paid by the same person: still 400,000.
    const out = await held(session, 400_000n, "bank");
    expect(taken(await staff.approve(merchant, ana, out)).state).not.toBe("first_approved");
    taken(await staff.claim(merchant, ana, out));
    expect(taken(await staff.markPaid(merchant, ana, out, "BPI-800001")).state).toBe("paid");
    const next = await queued(session, 1n);
    taken(await staff.claim(merchant, ana, next));
    expect(taken(await staff.markPaid(merchant, ana, next, "BPI-800002")).state).toBe("marked");
    taken(await staff.confirmPayout(merchant, ben, next, "paid"));
    const small = await held(session, 1n);
    expect(taken(await staff.approve(merchant, ana, small)).state).toBe("first_approved");
    // Another player has a limit of their own.
    const other = await held(await player(ALONE), ALONE);
    expect(taken(await staff.approve(merchant, ana, other)).state).not.toBe("first_approved");
  });

  it("stops at the brand's day for all players together", async () => {
    const [ana, ben] = await couple();
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await claimed(await player(0n), 500_000n));
    const states = await statesOf(ids.map((id) => confirm(ana, id, 500_000n)));
    expect([count(states, "paid"), count(states, "counted")]).toEqual([6, 2]);
    const small = await held(await player(ALONE), 1n);
    expect(taken(await staff.approve(merchant, ana, small)).state).toBe("first_approved");
    taken(await staff.approve(merchant, ben, small));
  });

  it("counts nothing that was refused in the end", async () => {
    const [ana, ben] = await couple();
    const session = await player(0n);
    const taking = await claimed(session, ALONE);
    taken(await confirm(ana, taking, ALONE, "ST 900001"));
    const other = await player(0n);
    const id = await claimed(other, ALONE);
    expect(codeOf(await confirm(ben, id, ALONE, "ST 900001"))).toBe("bankReference taken");
    expect(taken(await confirm(ben, id, ALONE)).state).toBe("paid");
  });
});

describe("a pay-out by hand that its operator says cannot be made", () => {
  it("above the brand's amount waits for a second person, as a paid one does", async () => {
    const [ana, ben] = await couple();
    const session = await player(5_000_000n);
    const id = await queued(session, ALONE + 1n);
    taken(await staff.claim(merchant, ana, id));
    for (let times = 0; times < 2; times++) {
      const marked = await staff.markFailed(merchant, ana, id, "No such number");
      expect(taken(marked).state).toBe("marked_failed");
    }
    expect(await available(session)).toBe(5_000_000n - ALONE - 1n);
    const [waiting] = (await staff.waitingPayouts(merchant, FIRST_PAGE)).filter(
      (row) => row.withdrawal_id === id,
    );
    expect(waiting).toMatchObject({ reason: "No such number", marker: ana.operator.name });
    expect(codeOf(await staff.confirmPayout(merchant, ana, id, "failed"))).toBe(
      "second_person_needed",
    );
    // Nobody can confirm something other than what was marked.
    expect(codeOf(await staff.confirmPayout(merchant, ben, id, "paid"))).toBe("wrong_state");
    expect(codeOf(await staff.release(merchant, ana, id))).toBe("wrong_state");
    taken(await staff.returnPayout(merchant, ben, id, "It stands in the statement"));
    taken(await staff.markPaid(merchant, ana, id, "BPI-810001"));
    expect(codeOf(await staff.confirmPayout(merchant, ben, id, "failed"))).toBe("wrong_state");
    taken(await staff.returnPayout(merchant, ben, id, "It came back"));
    taken(await staff.markFailed(merchant, ana, id, "No such number"));
    for (let times = 0; times < 2; times++) {
      const confirmed = await staff.confirmPayout(merchant, ben, id, "failed");
      expect(taken(confirmed).state).toBe("failed");
    }
    expect(await withdrawal(session, id)).toMatchObject({
      state: "failed",
      reason: "No such number",
    });
    expect(await available(session)).toBe(5_000_000n);
  });

  it("in small parts also waits for one, once they exceed the brand's amount", async () => {
    const ana = await employ();
    const session = await player(5_000_000n);
    const states: string[] = [];
    for (let i = 0; i < 12; i++) {
      const id = await queued(session, 100_000n);
      taken(await staff.claim(merchant, ana, id));
      states.push(taken(await staff.markFailed(merchant, ana, id, "No such number")).state);
    }
    expect([count(states, "failed"), count(states, "marked_failed")]).toEqual([10, 2]);
  });
});

describe("a pay-out by hand that is released", () => {
  async function waitingPayout(id: string) {
    const rows = await staff.waitingPayouts(merchant, FIRST_PAGE);
    return rows.find((row) => row.withdrawal_id === id);
  }

  async function say(said: ReturnType<OperatorCashier["release"]>): Promise<string> {
    const answer = await said;
    return answer.ok ? answer.value.state : codeOf(answer);
  }

  /** Let out and claimed, so that nobody else knows whether it was paid. */
  async function claimedBy(act: Act, session: Session, minor: bigint): Promise<string> {
    const id = await queued(session, minor);
    taken(await staff.claim(merchant, act, id));
    return id;
  }

  it("above the brand's amount is back in the queue once somebody else says that nobody paid it", async () => {
    const [ana, ben] = await couple();
    const session = await player(5_000_000n);
    const id = await claimedBy(ana, session, ALONE + 1n);
    const claimedAt = clock.now();
    for (let times = 0; times < 2; times++) {
      expect(await say(staff.release(merchant, ana, id))).toBe("marked_released");
    }
    // Nobody pays it meanwhile, and nobody gives its money back.
    expect(await say(staff.claim(merchant, ben, id))).toBe("claimed_by_another");
    await changeAccount(session);
    await sweep();
    expect(await say(staff.reject(merchant, ana, id, "Changed"))).toBe("wrong_state");
    expect(await waitingPayout(id)).toMatchObject({ marker: ana.operator.name });
    expect(await say(staff.confirmPayout(merchant, ana, id, "released"))).toBe(
      "second_person_needed",
    );
    taken(await staff.returnPayout(merchant, ben, id, "It stands in the statement"));
    expect(await say(staff.release(merchant, ana, id))).toBe("marked_released");
    clock.advance(MINUTE_MS);
    const until = clock.now();
    for (let times = 0; times < 2; times++) {
      expect(await say(staff.confirmPayout(merchant, ben, id, "released"))).toBe("queued");
    }
    const earlier = [{ by: ana.operator.name, from: claimedAt, until }];
    expect(await waitingPayout(id)).toMatchObject({ claimer: null, earlier_claims: earlier });
    // The answer says so also if the account was changed, and the pay-out has left the queue.
    expect(await say(staff.claim(merchant, ben, id))).toBe("account_changed");
    const held = await staff.heldWithdrawals(merchant, FIRST_PAGE);
    expect(held.find((row) => row.id === id)?.earlier_claims).toEqual(earlier);
    taken(await staff.reject(merchant, ana, id, "Ask support"));
    expect(await available(session)).toBe(5_000_000n);
    expect(await actionsOn(id)).toEqual([
      `${ana.operator.id} payout.claim`,
      `${ana.operator.id} payout.release`,
      `${ben.operator.id} payout.return`,
      `${ana.operator.id} payout.release`,
      `${ben.operator.id} payout.confirm`,
      `${ana.operator.id} withdrawal.reject`,
    ]);
  });

  it("by somebody else is confirmed by neither of them, and becomes its claimer's own word once they say so", async () => {
    const [ana, ben] = await couple();
    const cara = await employ();
    const session = await player(5_000_000n);
    const id = await claimedBy(ana, session, ALONE + 1n);
    expect(await say(staff.release(merchant, ben, id))).toBe("marked_released");
    for (const act of [ana, ben]) {
      expect(await say(staff.confirmPayout(merchant, act, id, "released"))).toBe(
        "second_person_needed",
      );
    }
    // The operator who paid it takes the word back by that.
    expect(await say(staff.returnPayout(merchant, ana, id, "I paid it"))).toBe("claimed");
    expect(await say(staff.release(merchant, ben, id))).toBe("marked_released");
    expect(await say(staff.release(merchant, cara, id))).toBe("wrong_state");
    expect(await say(staff.release(merchant, ana, id))).toBe("marked_released");
    expect(await say(staff.confirmPayout(merchant, ben, id, "released"))).toBe("queued");
    const again = await claimedBy(ana, session, ALONE + 1n);
    expect(await say(staff.release(merchant, ben, again))).toBe("marked_released");
    expect(await say(staff.confirmPayout(merchant, cara, again, "released"))).toBe("queued");
  });

  it("in small parts also waits for one, and so does a second release of the same one", async () => {
    const ana = await employ();
    const session = await player(5_000_000n);
    const id = await claimedBy(ana, session, 400_000n);
    expect(await say(staff.release(merchant, ana, id))).toBe("queued");
    taken(await staff.claim(merchant, ana, id));
    expect(await say(staff.release(merchant, ana, id))).toBe("marked_released");
    const states: string[] = [];
    for (let i = 0; i < 3; i++) {
      const next = await claimedBy(ana, session, 300_000n);
      states.push(await say(staff.release(merchant, ana, next)));
    }
    expect(states).toEqual(["queued", "queued", "marked_released"]);
  });
});

describe("the word of an operator who was revoked", () => {
  async function revoke({ operator }: Act): Promise<void> {
    expect(await operators.revoke(merchant.id, operator.id)).toBe(true);
  }

  /** Adds the same person again with another token. */
  async function addAgain({ operator, ...call }: Act): Promise<Act> {
    const { name } = operator;
    const given = { name, permissions: OPERATOR_PERMISSIONS, days: 30 };
    const again = taken(await operators.add(merchant.id, given));
    expect(again.operator.id).toBe(operator.id);
    return { ...call, operator: again.operator };
  }

  async function answerOf(said: ReturnType<OperatorCashier["release"]>): Promise<string> {
    const answer = await said;
    return answer.ok ? answer.value.state : codeOf(answer);
  }

  it("lets no withdrawal out together with another's: the next word is the first one", async () => {
    const [ana, ben] = await couple();
    const cara = await employ();
    const id = await held(await player(5_000_000n), ALONE + 1n);
    expect(await answerOf(staff.approve(merchant, ana, id))).toBe("first_approved");
    await revoke(ana);
    expect(await answerOf(staff.approve(merchant, ben, id))).toBe("first_approved");
    expect(await answerOf(staff.approve(merchant, ben, id))).toBe("second_person_needed");
    expect(await approversOf(id)).toEqual([ben.operator.id, null]);
    expect(await payouts(id)).toBe(0);
    expect(await answerOf(staff.approve(merchant, cara, id))).not.toBe("first_approved");
    expect(await approversOf(id)).toEqual([ben.operator.id, cara.operator.id]);
    expect(await actionsOn(id)).toEqual([
      `${ana.operator.id} withdrawal.approve`,
      `${ben.operator.id} withdrawal.approve`,
      `${cara.operator.id} withdrawal.confirm`,
    ]);
    await runJobs();
    expect(await payouts(id)).toBe(1);
  });

  it("stays void if they are added again, and counts once they say it anew", async () => {
    const [ana, ben] = await couple();
    const session = await player(5_000_000n);
    const [one, two] = [await held(session, ALONE + 1n), await held(session, ALONE + 1n)];
    for (const id of [one, two]) taken(await staff.approve(merchant, ana, id));
    await revoke(ana);
    const again = await addAgain(ana);
    expect(await answerOf(staff.approve(merchant, ben, one))).toBe("first_approved");
    expect(await answerOf(staff.approve(merchant, again, two))).toBe("first_approved");
    expect(await answerOf(staff.approve(merchant, again, two))).toBe("second_person_needed");
    for (const [act, id] of [
      [again, one],
      [ben, two],
    ] as const) {
      expect(await answerOf(staff.approve(merchant, act, id))).not.toBe("first_approved");
    }
  });

  it("counts for no deposit together with another's, and not beyond what that one lets in alone", async () => {
    const [ana, ben] = await couple();
    const cara = await employ();
    const session = await player(0n);
    const id = await claimed(session, ALONE + 1n);
    expect(await answerOf(confirm(ana, id, ALONE + 1n))).toBe("counted");
    await revoke(ana);
    for (let times = 0; times < 2; times++) {
      expect(await answerOf(confirm(ben, id, ALONE + 1n))).toBe("counted");
    }
    expect(await available(session)).toBe(0n);
    expect(await answerOf(confirm(cara, id, ALONE + 1n))).toBe("paid");
    expect(await available(session)).toBe(ALONE + 1n);
    expect(await actionsOn(id)).toEqual([
      `${ana.operator.id} deposit.count`,
      `${ben.operator.id} deposit.count`,
      `${cara.operator.id} deposit.confirm`,
    ]);
  });

  it.each(["paid", "failed", "released"] as const)(
    "ends no pay-out by hand as %s together with another's",
    async (outcome) => {
      const [ana, ben] = await couple();
      const cara = await employ();
      const session = await player(5_000_000n);
      const id = await queued(session, ALONE + 1n);
      taken(await staff.claim(merchant, ana, id));
      const say = {
        paid: () => staff.markPaid(merchant, ana, id, freshNumber()),
        failed: () => staff.markFailed(merchant, ana, id, "No such number"),
        released: () => staff.release(merchant, ana, id),
      };
      const marked = await answerOf(say[outcome]());
      expect(marked).toMatch(/^marked/);
      await revoke(ana);
      const confirmed = (act: Act) => answerOf(staff.confirmPayout(merchant, act, id, outcome));
      expect(await confirmed(ben)).toBe(marked);
      expect(await confirmed(ben)).toBe("second_person_needed");
      expect((await withdrawal(session, id)).state).toBe("sent");
      expect(await confirmed(cara)).toBe(outcome === "released" ? "queued" : outcome);
    },
  );

  it.each(["paid", "failed", "released"] as const)(
    "on a pay-out can be said again under a new token, and is confirmed after that (%s)",
    async (outcome) => {
      const [ana, ben] = await couple();
      const id = await queued(await player(5_000_000n), ALONE + 1n);
      taken(await staff.claim(merchant, ana, id));
      const number = freshNumber();
      const say = {
        paid: (act: Act) => staff.markPaid(merchant, act, id, number),
        failed: (act: Act) => staff.markFailed(merchant, act, id, "No such number"),
        released: (act: Act) => staff.release(merchant, act, id),
      };
      const marked = await answerOf(say[outcome](ana));
      await revoke(ana);
      const again = await addAgain(ana);
      for (let times = 0; times < 2; times++) {
        expect(await answerOf(say[outcome](again))).toBe(marked);
      }
      expect(await actionsOn(id)).toHaveLength(3);
      const confirmed = answerOf(staff.confirmPayout(merchant, ben, id, outcome));
      expect(await confirmed).toBe(outcome === "released" ? "queued" : outcome);
    },
  );

  it.each([
    ["withdrawals", "approves", (act: Act, id: string) => staff.approve(merchant, act, id)],
    ["withdrawals", "rejects", (act: Act, id: string) => staff.reject(merchant, act, id, "No")],
    ["manual_payouts", "claims", (act: Act, id: string) => staff.claim(merchant, act, id)],
  ] as const)(
    "does nothing if their call waited for a lock of %s meanwhile (who %s)",
    async (table, verb, say) => {
      const ana = await employ();
      const session = await player(5_000_000n);
      const id = await (verb === "claims" ? queued(session, 1n) : held(session, 1n));
      const before = await withdrawal(session, id);
      const key = table === "withdrawals" ? "id" : "withdrawal_id";
      const lock = `SELECT FROM ${table} WHERE ${key} = $1 FOR UPDATE`;
      const answer = await overtakenAt(
        db.pool,
        { lock, id },
        () => answerOf(say(ana, id)),
        () => revoke(ana),
      );
      expect(answer).toBe("not_logged_in");
      expect(await withdrawal(session, id)).toEqual(before);
      expect(await actionsOn(id)).toEqual([]);
      // Nobody else is in the way of it now.
      const ben = await employ();
      expect(await answerOf(say(ben, id))).not.toBe("not_logged_in");
    },
  );

  it("lets in no deposit if their call waited for its lock meanwhile", async () => {
    const ana = await employ();
    const session = await player(0n);
    const id = await claimed(session, 10_000n);
    const lock = "SELECT FROM manual_deposits WHERE deposit_id = $1 FOR UPDATE";
    const answer = await overtakenAt(
      db.pool,
      { lock, id },
      () => answerOf(confirm(ana, id, 10_000n)),
      () => revoke(ana),
    );
    expect(answer).toBe("not_logged_in");
    await sweep();
    expect(await available(session)).toBe(0n);
    expect(await actionsOn(id)).toEqual([]);
  });

  it("changes nothing of what others say at the same moment", async () => {
    const [ana, ben] = await couple();
    const session = await player(5_000_000n);
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push(await held(session, 10_000n));
    // As calls do that were authorised before.
    await revoke(ana);
    const answers = await Promise.all(
      ids.map((id, i) => answerOf(staff.reject(merchant, i % 4 === 1 ? ana : ben, id, "No"))),
    );
    expect(count(answers, "rejected")).toBe(9);
    expect(count(answers, "not_logged_in")).toBe(3);
    for (const [i, id] of ids.entries()) {
      expect((await withdrawal(session, id)).state).toBe(i % 4 === 1 ? "held" : "rejected");
    }
    for (const id of ids) taken(await staff.reject(merchant, ben, id, "No"));
    expect(await available(session)).toBe(5_000_000n);
  });
});

describe("the number that an operator reads in the house account's statement", () => {
  it("is valid once for that account of the house, in any spelling", async () => {
    const ana = await employ();
    const [one, two] = [await player(0n), await player(0n)];
    const first = await claimed(one, 10_000n);
    const second = await claimed(two, 10_000n);
    taken(await confirm(ana, first, 10_000n, "1234567890123"));
    for (const same of [
      ...["1234567890123", "1234 567 890123", "REF 1234567890123", "1234567890123A"],
      "gcash ref no 1234-567-890-123",
    ]) {
      expect(codeOf(await confirm(ana, second, 10_000n, same))).toBe("bankReference taken");
    }
    expect(await available(two)).toBe(0n);
    const elsewhere = await claimed(two, 10_000n, { method: "other" });
    expect(taken(await confirm(ana, elsewhere, 10_000n, "1234567890123")).state).toBe("paid");
    expect(taken(await confirm(ana, second, 10_000n, "1234567890124")).state).toBe("paid");
    // The same word again has the same answer; another number is another word.
    expect(taken(await confirm(ana, second, 10_000n, "1234567890124")).state).toBe("paid");
    const changed = await confirm(ana, second, 10_000n, "1234567890199");
    expect(codeOf(changed)).toBe("wrong_state");
    const [last] = await operators.actions(merchant.id, { before: null, limit: 1 });
    expect(last?.detail).toMatchObject({ received: "10000", bankReference: "1234567890124" });
  });

  it("is another one if more than words differ around its digits", async () => {
    const ana = await employ();
    for (const number of ["20261123153012PHP1", "20261123153012PHP2", "ST 12-A", "ST 12-B"]) {
      const id = await claimed(await player(0n), 10_000n);
      expect(taken(await confirm(ana, id, 10_000n, number)).state).toBe("paid");
    }
  });

  it("pays one of many deposits at once", async () => {
    const people = await Promise.all(Array.from({ length: 6 }, async () => employ()));
    const sessions = await Promise.all(people.map(() => player(0n)));
    const ids: string[] = [];
    for (const session of sessions) ids.push(await claimed(session, 10_000n));
    const answers = await Promise.all(
      people.map((act, i) => confirm(act, ids[i] ?? "", 10_000n, "1234567899999")),
    );
    expect(count(answers.map(codeOf), "ok")).toBe(1);
    expect(count(answers.map(codeOf), "bankReference taken")).toBe(5);
  });

  it("must be the same from both operators, and is free again if the deposit is refused", async () => {
    const [ana, ben] = await couple();
    const [one, two] = [await player(0n), await player(0n)];
    const id = await claimed(one, ALONE + 1n);
    const say = async (act: Act, number: string) =>
      taken(await confirm(act, id, ALONE + 1n, number)).state;
    expect(await say(ana, "ST 777001")).toBe("counted");
    expect(await say(ben, "ST 777002")).toBe("counted");
    const waiting = await staff.waitingDeposits(merchant, FIRST_PAGE);
    expect(waiting.find((row) => row.deposit_id === id)).toMatchObject({
      counter: ben.operator.name,
      bank_reference: "ST 777002",
    });
    const other = await claimed(two, 10_000n);
    expect(codeOf(await confirm(ana, other, 10_000n, "st777002"))).toBe("bankReference taken");
    taken(await staff.refuseDeposit(merchant, ana, id, "Not there"));
    expect(taken(await confirm(ana, other, 10_000n, "st777002")).state).toBe("paid");
  });

  it("pays one pay-out by hand, in any spelling", async () => {
    const ana = await employ();
    const session = await player(ALONE);
    const [one, two] = [await queued(session, 10_000n), await queued(session, 10_000n)];
    for (const id of [one, two]) taken(await staff.claim(merchant, ana, id));
    taken(await staff.markPaid(merchant, ana, one, "9876543210987"));
    const same = await staff.markPaid(merchant, ana, two, "REF 9876543210987");
    expect(codeOf(same)).toBe("bankReference taken");
  });
});

describe("the queue of deposits", () => {
  async function flagsOf(id: string) {
    const rows = await staff.waitingDeposits(merchant, FIRST_PAGE);
    const row = rows.find(({ deposit_id }) => deposit_id === id);
    return [row?.flagged, row?.number_alike, row?.picture_again];
  }

  it("flags a number that occurs within another's, also of one that was paid long ago", async () => {
    const ana = await employ();
    const paid = await claimed(await player(0n), 10_000n, { number: "5550001112223" });
    taken(await confirm(ana, paid, 10_000n));
    clock.advance(30 * DAY_MS);
    const around = await claimed(await player(0n), 10_000n, { number: "REF 5550001112223" });
    const within = await claimed(await player(0n), 10_000n, { number: "0001112223" });
    const plain = await claimed(await player(0n), 10_000n, { number: "5550001112224" });
    for (const id of [around, within]) expect(await flagsOf(id)).toEqual([false, true, false]);
    expect(await flagsOf(plain)).toEqual([false, false, false]);
  });

  it("flags a picture that was sent for another deposit, also if a later one replaced it", async () => {
    const picture = freshPicture();
    const session = await player(0n);
    const before = await claimed(session, 10_000n, { picture });
    expect(await flagsOf(before)).toEqual([false, false, false]);
    taken(await evidence.sendReceipt(session, before, freshPicture()));
    const again = await claimed(await player(0n), 10_000n, { picture });
    expect(await flagsOf(again)).toEqual([false, false, true]);
    // The same picture as a file of other bytes.
    const tail = Buffer.concat([picture, Buffer.from("more")]);
    const padded = await claimed(await player(0n), 10_000n, { picture: tail });
    expect(await flagsOf(padded)).toEqual([false, false, true]);
    expect(await flagsOf(await claimed(session, 10_000n))).toEqual([false, false, false]);
  });
});

let pictures = 0;

/** No other picture has its width and darkness. */
function freshPicture(): Buffer {
  pictures += 1;
  const canvas = createCanvas(20 + pictures, 20);
  const context = canvas.getContext("2d");
  context.fillStyle = `rgb(${pictures}, 0, 0)`;
  context.fillRect(0, 0, 20 + pictures, 20);
  return canvas.toBuffer("image/png");
}
