import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openFourEyes } from "../../../../../tests/server/four-eyes.ts";
import type { Session } from "../identity/identity.ts";
import type { Act } from "../operators/operators.ts";
import type { OperatorWithdrawals } from "./operator-withdrawals.ts";

const harness = await openFourEyes("four eyes");
const { actionsOn, ALONE, approversOf, available, cashier, changeAccount, claimed } = harness;
const { clock, confirm, count, couple, db, employ, evidence, FIRST_PAGE, freshPicture } = harness;
const { held, ledger, merchant, payouts, player, queued, runJobs, staff, statesOf } = harness;
const { sweep, withdrawal } = harness;

afterEach(async () => {
  await runJobs();
  expect(await ledger.verify()).toEqual([]);
});

describe("a withdrawal above the brand's amount", () => {
  it.each(["card", "bank"])(
    "is let out by two operators, for any way of payment (%s)",
    async (method) => {
      const [ana, ben] = await couple();
      const session = await player(5_000_000n);
      const id = await held(session, ALONE + 1n, method);
      const first = await staff.withdrawals.approve(merchant, ana, id);
      expect(taken(first)).toEqual({ id, state: "first_approved" });
      expect((await withdrawal(session, id)).state).toBe("held");
      const again = await staff.withdrawals.approve(merchant, ana, id);
      expect(codeOf(again)).toBe("second_person_needed");
      const waiting = await staff.withdrawals.held(merchant, FIRST_PAGE);
      expect(waiting.find((row) => row.id === id)?.approver).toBe(ana.operator.name);
      expect(taken(await staff.withdrawals.approve(merchant, ben, id)).state).not.toBe(
        "first_approved",
      );
      for (const act of [ana, ben]) taken(await staff.withdrawals.approve(merchant, act, id));
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
      await Promise.all(
        [ana, ben, ana, ben].map((act) => staff.withdrawals.approve(merchant, act, id)),
      );
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
    taken(await staff.withdrawals.approve(merchant, ana, rejected));
    taken(await staff.withdrawals.reject(merchant, ben, rejected, "Ask support"));
    expect(await approversOf(rejected)).toEqual([null, null]);
    expect(codeOf(await staff.withdrawals.approve(merchant, ben, rejected))).toBe("wrong_state");
    const failed = await held(session, ALONE + 1n, "bank");
    for (const act of [ana, ben]) taken(await staff.withdrawals.approve(merchant, act, failed));
    taken(await staff.withdrawals.claim(merchant, ana, failed));
    taken(await staff.withdrawals.markFailed(merchant, ana, failed, "No such number"));
    taken(await staff.withdrawals.confirmPayout(merchant, ben, failed, "failed"));
    expect(await approversOf(failed)).toEqual([null, null]);
    expect(await available(session)).toBe(5_000_000n);
  });

  it.each([false, true])(
    "must be approved by two anew if its player is blocked, as neither knew of that (the rule: %s)",
    async (isJudged) => {
      const [ana, ben] = await couple();
      const session = await player(5_000_000n);
      const id = await held(session, ALONE + 1n);
      taken(await staff.withdrawals.approve(merchant, ana, id));
      await db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [session.memberId]);
      // Either the rule or the next approval finds the block first.
      if (isJudged) await cashier.withdrawals.review(id);
      else
        expect(codeOf(await staff.withdrawals.approve(merchant, ben, id))).toBe("member_blocked");
      expect(await approversOf(id)).toEqual([null, null]);
      expect(taken(await staff.withdrawals.approve(merchant, ben, id)).state).toBe(
        "first_approved",
      );
      expect(taken(await staff.withdrawals.approve(merchant, ana, id)).state).not.toBe(
        "first_approved",
      );
    },
  );

  it.each(["the sweep", "the rule", "the second word"])(
    "must be approved by two anew each time its account is changed between their words (found by %s)",
    async (by) => {
      const [ana, ben] = await couple();
      const session = await player(5_000_000n);
      const id = await held(session, ALONE + 1n);
      for (let changes = 0; changes < 3; changes++) {
        expect(taken(await staff.withdrawals.approve(merchant, ana, id)).state).toBe(
          "first_approved",
        );
        await changeAccount(session);
        if (by === "the sweep") await sweep();
        else if (by === "the rule") await cashier.withdrawals.review(id);
        else
          expect(codeOf(await staff.withdrawals.approve(merchant, ben, id))).toBe(
            "account_changed",
          );
        expect(await approversOf(id)).toEqual([null, null]);
        expect((await withdrawal(session, id)).wait_reasons).toEqual(["account_changed"]);
      }
      // A change that was noted once voids no later word.
      expect(taken(await staff.withdrawals.approve(merchant, ben, id)).state).toBe(
        "first_approved",
      );
      await sweep();
      await cashier.withdrawals.review(id);
      expect(await approversOf(id)).toEqual([ben.operator.id, null]);
      expect(taken(await staff.withdrawals.approve(merchant, ana, id)).state).not.toBe(
        "first_approved",
      );
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
    const states = await statesOf(ids.map((id) => staff.withdrawals.approve(merchant, ana, id)));
    expect(count(states, "first_approved")).toBe(10);
    // The next person lets the others out, and has done nothing alone by that.
    const left = ids.filter((_, i) => states[i] === "first_approved");
    const seconded = await statesOf(left.map((id) => staff.withdrawals.approve(merchant, ben, id)));
    expect(count(seconded, "first_approved")).toBe(0);
    const own = await held(session, ALONE);
    expect(taken(await staff.withdrawals.approve(merchant, ben, own)).state).not.toBe(
      "first_approved",
    );
    clock.advance(DAY_MS + 1);
    const later = await held(session, ALONE);
    expect(taken(await staff.withdrawals.approve(merchant, ana, later)).state).not.toBe(
      "first_approved",
    );
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
    expect(taken(await staff.withdrawals.approve(merchant, ana, out)).state).not.toBe(
      "first_approved",
    );
    taken(await staff.withdrawals.claim(merchant, ana, out));
    expect(taken(await staff.withdrawals.markPaid(merchant, ana, out, "BPI-800001")).state).toBe(
      "paid",
    );
    const next = await queued(session, 1n);
    taken(await staff.withdrawals.claim(merchant, ana, next));
    expect(taken(await staff.withdrawals.markPaid(merchant, ana, next, "BPI-800002")).state).toBe(
      "marked",
    );
    taken(await staff.withdrawals.confirmPayout(merchant, ben, next, "paid"));
    const small = await held(session, 1n);
    expect(taken(await staff.withdrawals.approve(merchant, ana, small)).state).toBe(
      "first_approved",
    );
    // Another player has a limit of their own.
    const other = await held(await player(ALONE), ALONE);
    expect(taken(await staff.withdrawals.approve(merchant, ana, other)).state).not.toBe(
      "first_approved",
    );
  });

  it("stops at the brand's day for all players together", async () => {
    const [ana, ben] = await couple();
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await claimed(await player(0n), 500_000n));
    const states = await statesOf(ids.map((id) => confirm(ana, id, 500_000n)));
    expect([count(states, "paid"), count(states, "counted")]).toEqual([6, 2]);
    const small = await held(await player(ALONE), 1n);
    expect(taken(await staff.withdrawals.approve(merchant, ana, small)).state).toBe(
      "first_approved",
    );
    taken(await staff.withdrawals.approve(merchant, ben, small));
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
    taken(await staff.withdrawals.claim(merchant, ana, id));
    for (let times = 0; times < 2; times++) {
      const marked = await staff.withdrawals.markFailed(merchant, ana, id, "No such number");
      expect(taken(marked).state).toBe("marked_failed");
    }
    expect(await available(session)).toBe(5_000_000n - ALONE - 1n);
    const [waiting] = (await staff.withdrawals.waitingPayouts(merchant, FIRST_PAGE)).filter(
      (row) => row.withdrawal_id === id,
    );
    expect(waiting).toMatchObject({ reason: "No such number", marker: ana.operator.name });
    expect(codeOf(await staff.withdrawals.confirmPayout(merchant, ana, id, "failed"))).toBe(
      "second_person_needed",
    );
    // Nobody can confirm something other than what was marked.
    expect(codeOf(await staff.withdrawals.confirmPayout(merchant, ben, id, "paid"))).toBe(
      "wrong_state",
    );
    expect(codeOf(await staff.withdrawals.release(merchant, ana, id))).toBe("wrong_state");
    taken(await staff.withdrawals.returnPayout(merchant, ben, id, "It stands in the statement"));
    taken(await staff.withdrawals.markPaid(merchant, ana, id, "BPI-810001"));
    expect(codeOf(await staff.withdrawals.confirmPayout(merchant, ben, id, "failed"))).toBe(
      "wrong_state",
    );
    taken(await staff.withdrawals.returnPayout(merchant, ben, id, "It came back"));
    taken(await staff.withdrawals.markFailed(merchant, ana, id, "No such number"));
    for (let times = 0; times < 2; times++) {
      const confirmed = await staff.withdrawals.confirmPayout(merchant, ben, id, "failed");
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
      taken(await staff.withdrawals.claim(merchant, ana, id));
      states.push(
        taken(await staff.withdrawals.markFailed(merchant, ana, id, "No such number")).state,
      );
    }
    expect([count(states, "failed"), count(states, "marked_failed")]).toEqual([10, 2]);
  });
});

describe("a pay-out by hand that is released", () => {
  async function waitingPayout(id: string) {
    const rows = await staff.withdrawals.waitingPayouts(merchant, FIRST_PAGE);
    return rows.find((row) => row.withdrawal_id === id);
  }

  async function say(said: ReturnType<OperatorWithdrawals["release"]>): Promise<string> {
    const answer = await said;
    return answer.ok ? answer.value.state : codeOf(answer);
  }

  /** Let out and claimed, so that nobody else knows whether it was paid. */
  async function claimedBy(act: Act, session: Session, minor: bigint): Promise<string> {
    const id = await queued(session, minor);
    taken(await staff.withdrawals.claim(merchant, act, id));
    return id;
  }

  it("above the brand's amount is back in the queue once somebody else says that nobody paid it", async () => {
    const [ana, ben] = await couple();
    const session = await player(5_000_000n);
    const id = await claimedBy(ana, session, ALONE + 1n);
    const claimedAt = clock.now();
    for (let times = 0; times < 2; times++) {
      expect(await say(staff.withdrawals.release(merchant, ana, id))).toBe("marked_released");
    }
    // Nobody pays it meanwhile, and nobody gives its money back.
    expect(await say(staff.withdrawals.claim(merchant, ben, id))).toBe("claimed_by_another");
    await changeAccount(session);
    await sweep();
    expect(await say(staff.withdrawals.reject(merchant, ana, id, "Changed"))).toBe("wrong_state");
    expect(await waitingPayout(id)).toMatchObject({ marker: ana.operator.name });
    expect(await say(staff.withdrawals.confirmPayout(merchant, ana, id, "released"))).toBe(
      "second_person_needed",
    );
    taken(await staff.withdrawals.returnPayout(merchant, ben, id, "It stands in the statement"));
    expect(await say(staff.withdrawals.release(merchant, ana, id))).toBe("marked_released");
    clock.advance(MINUTE_MS);
    const until = clock.now();
    for (let times = 0; times < 2; times++) {
      expect(await say(staff.withdrawals.confirmPayout(merchant, ben, id, "released"))).toBe(
        "queued",
      );
    }
    const earlier = [{ by: ana.operator.name, from: claimedAt, until }];
    expect(await waitingPayout(id)).toMatchObject({ claimer: null, earlier_claims: earlier });
    // The answer says so also if the account was changed, and the pay-out has left the queue.
    expect(await say(staff.withdrawals.claim(merchant, ben, id))).toBe("account_changed");
    const held = await staff.withdrawals.held(merchant, FIRST_PAGE);
    expect(held.find((row) => row.id === id)?.earlier_claims).toEqual(earlier);
    taken(await staff.withdrawals.reject(merchant, ana, id, "Ask support"));
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
    expect(await say(staff.withdrawals.release(merchant, ben, id))).toBe("marked_released");
    for (const act of [ana, ben]) {
      expect(await say(staff.withdrawals.confirmPayout(merchant, act, id, "released"))).toBe(
        "second_person_needed",
      );
    }
    // The operator who paid it takes the word back by that.
    expect(await say(staff.withdrawals.returnPayout(merchant, ana, id, "I paid it"))).toBe(
      "claimed",
    );
    expect(await say(staff.withdrawals.release(merchant, ben, id))).toBe("marked_released");
    expect(await say(staff.withdrawals.release(merchant, cara, id))).toBe("wrong_state");
    expect(await say(staff.withdrawals.release(merchant, ana, id))).toBe("marked_released");
    expect(await say(staff.withdrawals.confirmPayout(merchant, ben, id, "released"))).toBe(
      "queued",
    );
    const again = await claimedBy(ana, session, ALONE + 1n);
    expect(await say(staff.withdrawals.release(merchant, ben, again))).toBe("marked_released");
    expect(await say(staff.withdrawals.confirmPayout(merchant, cara, again, "released"))).toBe(
      "queued",
    );
  });

  it("in small parts also waits for one, and so does a second release of the same one", async () => {
    const ana = await employ();
    const session = await player(5_000_000n);
    const id = await claimedBy(ana, session, 400_000n);
    expect(await say(staff.withdrawals.release(merchant, ana, id))).toBe("queued");
    taken(await staff.withdrawals.claim(merchant, ana, id));
    expect(await say(staff.withdrawals.release(merchant, ana, id))).toBe("marked_released");
    const states: string[] = [];
    for (let i = 0; i < 3; i++) {
      const next = await claimedBy(ana, session, 300_000n);
      states.push(await say(staff.withdrawals.release(merchant, ana, next)));
    }
    expect(states).toEqual(["queued", "queued", "marked_released"]);
  });
});

describe("the queue of deposits", () => {
  async function flagsOf(id: string) {
    const rows = await staff.deposits.waiting(merchant, FIRST_PAGE);
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
