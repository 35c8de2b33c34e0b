import { OPERATOR_PERMISSIONS } from "@perya/contract/operator";
import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import { makeBrand, makeMember, manualClock } from "../../../../../tests/server/fixtures.ts";
import { startPaymentGateway } from "../../../../../tests/server/payment-gateway-process.ts";
import type { Session } from "../identity/identity.ts";
import type { Act } from "../operators/operators.ts";
import { createGatewayProvider } from "./gateway-provider.ts";

/** Deposits whose payment a provider has, while the restored database has nothing of them. */
const SECRET = "a secret that the provider and the house share";
const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const gateway = await startPaymentGateway(SECRET);
// The provider uses the machine's clock, and signatures are valid for minutes.
const clock = manualClock(Date.now());
const provider = createGatewayProvider({
  ...{ clock, url: gateway.url, merchantId: "house-1", secret: SECRET },
  timeoutMs: 500,
});
const harness = await openCashierHarness(
  "restored deposits",
  {
    methods: [
      { code: "card", name: "Card", provider: "gateway", kind: "deposit", ...LIMITS },
      { code: "other", name: "Other", provider: "gateway", kind: "deposit", ...LIMITS },
      { code: "bank", name: "Bank", provider: "manual", kind: "deposit", ...LIMITS },
    ],
    depositMinutes: 1,
    openMax: 40,
  },
  { clock, providers: [provider], reachable: true },
);
const { alarms, available, cashier, db, employ, fresh, ledger, loseJobs, merchant } = harness;
const { operators, player, runJobs, staff, stored, sweep, told } = harness;
/** A process that has no payment provider. */
const staffWithout = harness.staffOf(harness.cashierOver(ledger, []));

const [ana, ben, carla] = [await employ("Ana"), await employ("Ben"), await employ("Carla")];

beforeEach(() => {
  clock.set(Date.now());
  alarms.length = 0;
});

afterAll(() => gateway.stop());

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

/** Opened at the provider, and no longer here: what came later was never here. */
async function lost(session: Session, minor = 50_000n): Promise<string> {
  const id = fresh("deposit");
  taken(await cashier.deposits.open(merchant, session, { id, method: "card", amount: php(minor) }));
  await db.pool.query("DELETE FROM deposits WHERE id = $1", [id]);
  await db.pool.query("DELETE FROM payment_ids WHERE id = $1", [id]);
  await loseJobs();
  return id;
}

/** Lost, paid, and told to a process whose database is gone. */
async function lostAndPaid(session: Session, minor?: string): Promise<string> {
  const id = await lost(session);
  await gateway.end({ id, status: "paid", times: 0, ...(minor === undefined ? {} : { minor }) });
  return id;
}

type Given = Parameters<typeof staff.deposits.restore>[3];

function says(act: Act, id: string, session: Session, change: Partial<Given> = {}, by = staff) {
  const given = { username: session.username, method: "card", amount: php(50_000n), ...change };
  return by.deposits.restore(merchant, act, id, given);
}

/** All rows under an id, in any table. */
async function rowsOf(id: string): Promise<unknown> {
  const { rows } = await db.pool.query(
    `SELECT (SELECT count(*)::int FROM deposits WHERE id = $1) AS deposits,
       (SELECT count(*)::int FROM payment_ids WHERE id = $1) AS ids,
       (SELECT count(*)::int FROM ledger_entries WHERE ref = $1) AS entries`,
    [id],
  );
  return rows[0];
}
const NOTHING = { deposits: 0, ids: 0, entries: 0 };

async function actionsOn(subject: string) {
  const all = await operators.actions(merchant.id, { before: null, limit: 500 });
  return all
    .filter((one) => one.subject === subject)
    .map(({ action, name, detail }) => ({ action, name, detail }))
    .reverse();
}

describe("a deposit that a restore has lost", () => {
  it("is written again by two operators and credited once, with what its provider says came", async () => {
    const session = await player(0n);
    const id = await lostAndPaid(session, "49000");
    expect(await gateway.end({ id, status: "paid", minor: "49000", times: 1 })).toEqual([404]);
    told.length = 0;
    expect(taken(await says(ana, id, session))).toEqual({ id, state: "first_restored" });
    expect(taken(await says(ben, id, session))).toEqual({ id, state: "pending" });
    expect(told).toEqual([session.memberId]);
    expect(await available(session)).toBe(0n);
    await runJobs();
    expect(await stored(session, id)).toMatchObject({
      ...{ state: "paid", amount_minor: 50_000n, received_minor: 49_000n },
      ...{ method: "card", provider: "gateway", member_id: session.memberId },
    });
    const again = await gateway.end({ id, status: "paid", minor: "49000", times: 4 });
    expect(new Set(again)).toEqual(new Set([200]));
    for (const by of [ana, ben, carla]) {
      expect(taken(await says(by, id, session))).toEqual({ id, state: "paid" });
    }
    await sweep();
    expect(await available(session)).toBe(49_000n);
    expect(await rowsOf(id)).toEqual({ deposits: 1, ids: 1, entries: 1 });
    const { username, memberId: member } = session;
    const detail = { member, username, method: "card", amount: "50000" };
    expect(await actionsOn(id)).toEqual([
      { action: "deposit.restore", name: "Ana", detail },
      { action: "deposit.restore", name: "Ben", detail },
    ]);
    expect(alarms).toEqual([]);
  });

  it("is not changed by one operator alone, however often and with whatever token", async () => {
    const session = await player(0n);
    const id = await lostAndPaid(session);
    const dora = await employ("Dora");
    for (const _time of ["once", "again"]) {
      expect(taken(await says(dora, id, session)).state).toBe("first_restored");
    }
    expect(await actionsOn(id)).toHaveLength(1);
    await operators.revoke(merchant.id, "Dora");
    expect(codeOf(await says(dora, id, session))).toBe("not_logged_in");
    const anew = await employ("Dora");
    expect(anew.operator.id).toBe(dora.operator.id);
    expect(taken(await says(anew, id, session)).state).toBe("first_restored");
    await runJobs();
    await sweep();
    expect(await rowsOf(id)).toEqual(NOTHING);
    expect(taken(await says(ben, id, session)).state).toBe("pending");
    await runJobs();
    expect(await available(session)).toBe(50_000n);
  });

  it("is not written by the word of an operator who was revoked before the second one", async () => {
    const session = await player(0n);
    const id = await lostAndPaid(session);
    const elena = await employ("Elena");
    expect(taken(await says(elena, id, session)).state).toBe("first_restored");
    await operators.revoke(merchant.id, "Elena");
    expect(taken(await says(ben, id, session)).state).toBe("first_restored");
    expect(await rowsOf(id)).toEqual(NOTHING);
    expect(taken(await says(ana, id, session)).state).toBe("pending");
  });

  it("is written only if two name the same player, method and amount, each by their last word", async () => {
    const [session, other] = [await player(0n), await player(0n)];
    const id = await lostAndPaid(session);
    expect(taken(await says(ana, id, other)).state).toBe("first_restored");
    for (const differs of [{}, { method: "other" }, { amount: php(50_001n) }]) {
      expect(taken(await says(ben, id, session, differs)).state).toBe("first_restored");
    }
    // Ben has taken back what he said first, and Ana's word is about another deposit.
    expect(taken(await says(carla, id, session)).state).toBe("first_restored");
    expect(await rowsOf(id)).toEqual(NOTHING);
    expect(taken(await says(ana, id, session)).state).toBe("pending");
    await runJobs();
    expect([await available(session), await available(other)]).toEqual([50_000n, 0n]);
  });

  it("is one deposit of one player, whatever many operators say at one moment", async () => {
    for (let i = 0; i < 6; i++) {
      const [session, other] = [await player(0n), await player(0n)];
      const id = await lostAndPaid(session);
      taken(await says(ana, id, session));
      const all = [ana, ben, carla].flatMap((by) => [
        says(by, id, session),
        says(by, id, other),
        says(by, id, session),
      ]);
      await Promise.all(all);
      await says(ana, id, session);
      await says(ben, id, session);
      await runJobs();
      const { rows } = await db.pool.query("SELECT member_id, state FROM deposits WHERE id = $1", [
        id,
      ]);
      expect(rows).toEqual([{ member_id: expect.any(String), state: "paid" }]);
      expect((await available(session)) + (await available(other))).toBe(50_000n);
    }
  });

  it("is asked about by the sweep if the process died that wrote it", async () => {
    const session = await player(0n);
    const id = await lostAndPaid(session);
    const { ask } = cashier.deposits;
    cashier.deposits.ask = async () => {};
    taken(await says(ana, id, session));
    taken(await says(ben, id, session));
    cashier.deposits.ask = ask;
    clock.advance(MINUTE_MS);
    await sweep();
    expect((await stored(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(50_000n);
  });

  it("is credited by its provider's later word if it was not paid yet, also to a blocked player", async () => {
    const session = await player(0n);
    const id = await lost(session);
    await db.pool.query("UPDATE members SET blocked = true WHERE id = $1", [session.memberId]);
    taken(await says(ana, id, session));
    taken(await says(ben, id, session));
    await runJobs();
    expect((await stored(session, id)).state).toBe("pending");
    expect(await gateway.end({ id, status: "paid", times: 2 })).toEqual([200, 200]);
    expect(await available(session)).toBe(50_000n);
  });

  it("is asked about anew if an operator names it again, however long its provider was silent", async () => {
    const session = await player(0n);
    const id = await lostAndPaid(session);
    taken(await says(ana, id, session));
    taken(await says(ben, id, session));
    await loseJobs();
    await db.pool.query("UPDATE deposits SET state = 'expired', look_at = NULL WHERE id = $1", [
      id,
    ]);
    await sweep();
    expect(await available(session)).toBe(0n);
    taken(await says(ana, id, session));
    await runJobs();
    expect((await stored(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(50_000n);
  });

  it("that its provider does not know is never credited, and ends as an unpaid one does", async () => {
    const session = await player(0n);
    const id = fresh("deposit");
    taken(await says(ana, id, session));
    taken(await says(ben, id, session));
    await runJobs();
    expect((await stored(session, id)).state).toBe("pending");
    clock.advance(2 * MINUTE_MS);
    await cashier.deposits.expire();
    expect((await stored(session, id)).state).toBe("expired");
    // Made old by hand: the provider takes no call of another day, and so would say nothing.
    await db.pool.query("UPDATE deposits SET created_at = $2, look_at = now() WHERE id = $1", [
      id,
      new Date(Date.now() - 4 * DAY_MS),
    ]);
    clock.set(Date.now() + MINUTE_MS);
    await sweep();
    const after = await db.pool.query("SELECT state, look_at FROM deposits WHERE id = $1", [id]);
    expect(after.rows).toEqual([{ state: "expired", look_at: null }]);
    expect(await available(session)).toBe(0n);
  });

  it("is refused and not written if it exists in another form, or could not be asked about", async () => {
    const [session, other] = [await player(0n), await player(0n)];
    const trial = await makeMember({ pool: db.pool, ledger, clock }, merchant, { type: 4 });
    const elsewhere = await makeBrand(db.pool, clock, { hosts: ["elsewhere.test"] });
    const foreign = await makeMember({ pool: db.pool, ledger, clock }, elsewhere);
    const id = await lostAndPaid(session);
    const refused: [string, ReturnType<typeof says>][] = [
      ["not_found", says(ana, id, { ...session, username: "nobody here" })],
      ["not_found", says(ana, id, foreign)],
      ["not_found", says(ana, id, trial)],
      [
        "amount.currency foreign_currency",
        says(ana, id, session, { amount: { minor: 50_000n, currency: "FUN" } }),
      ],
      ["method not_allowed", says(ana, id, session, { method: "bank" })],
      ["method not_allowed", says(ana, id, session, { method: "unheard-of" })],
      ["provider_not_wired", says(ana, id, session, {}, staffWithout)],
    ];
    for (const [code, answer] of refused) expect(codeOf(await answer)).toBe(code);
    expect([await rowsOf(id), await actionsOn(id)]).toEqual([NOTHING, []]);
    // One that was not lost gives one operator the same answer as two.
    const stands = fresh("deposit");
    const given = { id: stands, method: "card", amount: php(50_000n) };
    taken(await cashier.deposits.open(merchant, session, given));
    expect(taken(await says(ana, stands, session)).state).toBe("created");
    for (const [by, change] of [
      [other, {}],
      [session, { amount: php(50_001n) }],
      [session, { method: "other" }],
    ] as const) {
      expect(codeOf(await says(ana, stands, by, change))).toBe("id_reused");
      expect(codeOf(await says(ben, stands, by, change))).toBe("id_reused");
    }
    expect(await actionsOn(stands)).toEqual([]);
    const stranger = await employ("Faye", OPERATOR_PERMISSIONS, elsewhere);
    const theirs = { username: foreign.username, method: "card", amount: php(50_000n) };
    expect(codeOf(await staff.deposits.restore(elsewhere, stranger, stands, theirs))).toBe(
      "id_reused",
    );
  });
});
