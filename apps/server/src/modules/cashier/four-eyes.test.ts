import { OPERATOR_PERMISSIONS } from "@perya/contract/operator";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierDesk } from "../../../../../tests/server/cashier-desk.ts";
import { seededEntropy } from "../../../../../tests/server/fixtures.ts";
import type { Session } from "../identity/identity.ts";
import { type Act, Operators } from "../operators/operators.ts";
import { ManualDesk } from "./cashier.ts";

const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const HOUSE = {
  name: "House bank",
  number: "1234",
  holder: "House Inc.",
  instructions: { EN: "" },
};
const MUCH = "90000000";
const ALONE = 1_000_000n;

const desk = await openCashierDesk("four eyes", {
  methods: [
    { code: "card", name: "Card", provider: "sandbox", kind: "withdrawal", ...LIMITS },
    { code: "bank", name: "Bank", provider: "manual", kind: "deposit", ...LIMITS },
    { code: "bank", name: "Bank", provider: "manual", kind: "withdrawal", ...LIMITS },
  ],
  houseAccounts: [{ method: "bank", ...HOUSE }],
  openMax: 40,
  autoApproveMaxMinor: MUCH,
  autoApproveDaily: { playerMinor: MUCH, destinationMinor: MUCH, deviceMinor: MUCH },
  newDestinationWaitMinutes: 0,
  depositFourEyesAboveMinor: `${ALONE}`,
  payoutFourEyesAboveMinor: `${ALONE}`,
});
const { available, cashier, clock, db, ledger, merchant, payouts } = desk;
const { player, runJobs, withdraw, withdrawal } = desk;
const staff = new ManualDesk(db.pool, clock, cashier);
const operators = new Operators(db.pool, clock, seededEntropy("four eyes"));
const FIRST_PAGE = { after: null, limit: 500 };

let people = 0;

afterAll(desk.close);

afterEach(async () => {
  await runJobs();
  expect(await ledger.verify()).toEqual([]);
});

/** Somebody of whom nothing is known yet, and who may do everything. */
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
    "is let out by two operators, whoever pays it afterwards (%s)",
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

  it("forgets who approved it first when it is rejected, or fails", async () => {
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
    expect(await approversOf(failed)).toEqual([null, null]);
    expect(await available(session)).toBe(5_000_000n);
  });

  it.each([false, true])(
    "is approved by two anew when its player is blocked, as neither knew of that (the rule: %s)",
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

  it("cannot stand in the books as let out by one operator twice", async () => {
    const ana = await employ();
    const id = await held(await player(5_000_000n), 10_000n);
    const twice = db.pool.query(
      "UPDATE withdrawals SET first_approver = $2, second_approver = $2 WHERE id = $1",
      [id, ana.operator.id],
    );
    await expect(twice).rejects.toThrow("withdrawals_four_eyes");
  });
});
