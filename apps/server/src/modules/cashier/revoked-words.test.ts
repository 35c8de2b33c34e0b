import { OPERATOR_PERMISSIONS } from "@perya/contract/operator";
import { afterEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openFourEyes } from "../../../../../tests/server/four-eyes.ts";
import { overtakenAt } from "../../../../../tests/server/overtaken.ts";
import { accountOf } from "../ledger/ledger.ts";
import type { Act } from "../operators/operators.ts";
import type { OperatorWithdrawals } from "./operator-withdrawals.ts";

const harness = await openFourEyes("words of the revoked");
const { actionsOn, ALONE, approversOf, available, claimed, confirm, count, couple, db } = harness;
const { employ, FIRST_PAGE, freshNumber, held, ledger, merchant, operators, payouts } = harness;
const { player, queued, runJobs, staff, sweep, withdrawal } = harness;

afterEach(async () => {
  await runJobs();
  expect(await ledger.verify()).toEqual([]);
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

  async function answerOf(said: ReturnType<OperatorWithdrawals["release"]>): Promise<string> {
    const answer = await said;
    return answer.ok ? answer.value.state : codeOf(answer);
  }

  it("lets no withdrawal out together with another's: the next word is the first one", async () => {
    const [ana, ben] = await couple();
    const cara = await employ();
    const id = await held(await player(5_000_000n), ALONE + 1n);
    expect(await answerOf(staff.withdrawals.approve(merchant, ana, id))).toBe("first_approved");
    await revoke(ana);
    expect(await answerOf(staff.withdrawals.approve(merchant, ben, id))).toBe("first_approved");
    expect(await answerOf(staff.withdrawals.approve(merchant, ben, id))).toBe(
      "second_person_needed",
    );
    expect(await approversOf(id)).toEqual([ben.operator.id, null]);
    expect(await payouts(id)).toBe(0);
    expect(await answerOf(staff.withdrawals.approve(merchant, cara, id))).not.toBe(
      "first_approved",
    );
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
    for (const id of [one, two]) taken(await staff.withdrawals.approve(merchant, ana, id));
    await revoke(ana);
    const again = await addAgain(ana);
    expect(await answerOf(staff.withdrawals.approve(merchant, ben, one))).toBe("first_approved");
    expect(await answerOf(staff.withdrawals.approve(merchant, again, two))).toBe("first_approved");
    expect(await answerOf(staff.withdrawals.approve(merchant, again, two))).toBe(
      "second_person_needed",
    );
    for (const [act, id] of [
      [again, one],
      [ben, two],
    ] as const) {
      expect(await answerOf(staff.withdrawals.approve(merchant, act, id))).not.toBe(
        "first_approved",
      );
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
      taken(await staff.withdrawals.claim(merchant, ana, id));
      const say = {
        paid: () => staff.withdrawals.markPaid(merchant, ana, id, freshNumber()),
        failed: () => staff.withdrawals.markFailed(merchant, ana, id, "No such number"),
        released: () => staff.withdrawals.release(merchant, ana, id),
      };
      const marked = await answerOf(say[outcome]());
      expect(marked).toMatch(/^marked/);
      await revoke(ana);
      const confirmed = (act: Act) =>
        answerOf(staff.withdrawals.confirmPayout(merchant, act, id, outcome));
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
      taken(await staff.withdrawals.claim(merchant, ana, id));
      const number = freshNumber();
      const say = {
        paid: (act: Act) => staff.withdrawals.markPaid(merchant, act, id, number),
        failed: (act: Act) => staff.withdrawals.markFailed(merchant, act, id, "No such number"),
        released: (act: Act) => staff.withdrawals.release(merchant, act, id),
      };
      const marked = await answerOf(say[outcome](ana));
      await revoke(ana);
      const again = await addAgain(ana);
      for (let times = 0; times < 2; times++) {
        expect(await answerOf(say[outcome](again))).toBe(marked);
      }
      expect(await actionsOn(id)).toHaveLength(3);
      const confirmed = answerOf(staff.withdrawals.confirmPayout(merchant, ben, id, outcome));
      expect(await confirmed).toBe(outcome === "released" ? "queued" : outcome);
    },
  );

  it.each([
    [
      "withdrawals",
      "approves",
      (act: Act, id: string) => staff.withdrawals.approve(merchant, act, id),
    ],
    [
      "withdrawals",
      "rejects",
      (act: Act, id: string) => staff.withdrawals.reject(merchant, act, id, "No"),
    ],
    [
      "manual_payouts",
      "claims",
      (act: Act, id: string) => staff.withdrawals.claim(merchant, act, id),
    ],
  ] as const)(
    "does nothing if their call waited for a lock of %s meanwhile (who %s)",
    async (table, verb, say) => {
      const ana = await employ();
      const session = await player(5_000_000n);
      const id = await (verb === "claims" ? queued(session, 1n) : held(session, 1n));
      const before = await withdrawal(session, id);
      const { lane } = accountOf(session.memberId, session.currency);
      const row = table === "withdrawals" ? `lane = ${lane} AND id` : "withdrawal_id";
      const lock = `SELECT FROM ${table} WHERE ${row} = $1 FOR UPDATE`;
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
      ids.map((id, i) =>
        answerOf(staff.withdrawals.reject(merchant, i % 4 === 1 ? ana : ben, id, "No")),
      ),
    );
    expect(count(answers, "rejected")).toBe(9);
    expect(count(answers, "not_logged_in")).toBe(3);
    for (const [i, id] of ids.entries()) {
      expect((await withdrawal(session, id)).state).toBe(i % 4 === 1 ? "held" : "rejected");
    }
    for (const id of ids) taken(await staff.withdrawals.reject(merchant, ben, id, "No"));
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
    const waiting = await staff.deposits.waiting(merchant, FIRST_PAGE);
    expect(waiting.find((row) => row.deposit_id === id)).toMatchObject({
      counter: ben.operator.name,
      bank_reference: "ST 777002",
    });
    const other = await claimed(two, 10_000n);
    expect(codeOf(await confirm(ana, other, 10_000n, "st777002"))).toBe("bankReference taken");
    taken(await staff.deposits.refuse(merchant, ana, id, "Not there"));
    expect(taken(await confirm(ana, other, 10_000n, "st777002")).state).toBe("paid");
  });

  it("pays one pay-out by hand, in any spelling", async () => {
    const ana = await employ();
    const session = await player(ALONE);
    const [one, two] = [await queued(session, 10_000n), await queued(session, 10_000n)];
    for (const id of [one, two]) taken(await staff.withdrawals.claim(merchant, ana, id));
    taken(await staff.withdrawals.markPaid(merchant, ana, one, "9876543210987"));
    const same = await staff.withdrawals.markPaid(merchant, ana, two, "REF 9876543210987");
    expect(codeOf(same)).toBe("bankReference taken");
  });
});
