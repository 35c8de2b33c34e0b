import { OPERATOR_PERMISSIONS } from "@perya/contract/operator";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierDesk, php } from "../../../../../tests/server/cashier-desk.ts";
import { seededEntropy } from "../../../../../tests/server/fixtures.ts";
import type { Session } from "../identity/identity.ts";
import { type Act, Operators } from "../operators/operators.ts";
import { ManualDesk, type PaymentProvider } from "./cashier.ts";
import type { KnownPayment } from "./provider.ts";

const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const MUCH = "90000000";
/** What one operator ends alone. */
const ALONE = 100_000n;

/** What the provider outside says of the pay-outs that it has. */
const books = new Map<string, KnownPayment["status"]>();
const outside: PaymentProvider = {
  code: "outside",
  isOutside: true,
  serves: () => true,
  openDeposit: async ({ returnUrl }) => ({ reference: "one", payUrl: returnUrl }),
  sendPayout: async ({ id }) => {
    books.set(id, "pending");
  },
  ask: async (_kind, id) => {
    const status = books.get(id);
    return status === undefined ? null : { status, amount: php(20_000n) };
  },
  isSigned: () => false,
};

const desk = await openCashierDesk(
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
const { available, cashier, clock, db, ledger, merchant, player, runJobs } = desk;
const { withdraw, withdrawal } = desk;
/** Of a process that was started after the provider was taken out of its configuration. */
const without = desk.cashierOver(ledger, []);
const staff = new ManualDesk(db.pool, clock, cashier);
const staffWithout = new ManualDesk(db.pool, clock, without);
const operators = new Operators(db.pool, clock, seededEntropy("people of gone providers"));
const FIRST_PAGE = { after: null, limit: 500 };
let ana: Act;

beforeAll(async () => {
  ana = await employ("Ana");
});

afterAll(desk.close);

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

async function employ(name: string): Promise<Act> {
  const given = { name, permissions: OPERATOR_PERMISSIONS, days: 30 };
  const { operator } = taken(await operators.add(merchant.id, given));
  return { operator, requestId: "request", address: "127.0.0.1" };
}

async function rowOf(id: string) {
  const { rows } = await db.pool.query("SELECT * FROM withdrawals WHERE id = $1", [id]);
  return rows[0];
}

async function actionsOn(subject: string): Promise<string[]> {
  const all = await operators.actions(merchant.id, { before: null, limit: 500 });
  return all.filter((one) => one.subject === subject).map(({ action }) => action);
}

/** Waits for an operator: no job has looked at it yet. */
async function held(session: Session, minor = 20_000n): Promise<string> {
  return taken(await withdraw(session, minor, { method: "card" })).id;
}

describe("a held withdrawal whose provider is not wired any more", () => {
  it("is not approved, which says why and writes nothing, and is rejected or waits for the provider", async () => {
    const session = await player(100_000n);
    const [one, two] = [await held(session), await held(session)];
    const before = await rowOf(one);
    const listed = await staffWithout.heldWithdrawals(merchant, FIRST_PAGE);
    expect(listed.find(({ id }) => id === one)?.provider).toBe("outside");
    for (const _time of ["once", "again"]) {
      expect(codeOf(await staffWithout.approve(merchant, ana, one))).toBe("provider_not_wired");
    }
    expect([await rowOf(one), await actionsOn(one)]).toEqual([before, []]);
    expect(taken(await staffWithout.reject(merchant, ana, one, "Ask again")).state).toBe(
      "rejected",
    );
    expect(taken(await staff.approve(merchant, ana, two)).state).toBe("approved");
    // Sent again where the provider is not wired, it answers as it stands.
    expect(taken(await staffWithout.approve(merchant, ana, two)).state).toBe("approved");
    await runJobs();
    expect((await withdrawal(session, two)).state).toBe("sent");
    expect(await available(session)).toBe(80_000n);
  });
});
