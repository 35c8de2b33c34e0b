import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import { lockWaits } from "../../../../../tests/server/lock-waits.ts";
import { CommitUnknownError, withTransaction } from "../../platform/postgres/pool.ts";
import type { Session } from "../identity/identity.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { KnownPayment, PaymentProvider } from "./provider.ts";

const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
/** The outside provider's payments; the next variable says whether it answers. */
const has = new Map<string, KnownPayment>();
let isAway = false;
const outside: PaymentProvider = {
  code: "outside",
  isOutside: true,
  serves: () => true,
  openDeposit: async ({ id }) => ({ reference: id, payUrl: `https://outside.test/${id}` }),
  sendPayout: async ({ id, amount }) => {
    if (isAway) throw new Error("no answer");
    has.set(id, { status: "paid", amount: php(amount.minor) });
  },
  ask: async (_kind, id) => has.get(id) ?? null,
  isSigned: () => false,
};
const harness = await openCashierHarness(
  "account changes",
  {
    methods: [{ code: "card", name: "Card", provider: "outside", kind: "withdrawal", ...LIMITS }],
    autoApproveMaxMinor: "500000",
    newDestinationWaitMinutes: 24 * 60,
    openMax: 10,
  },
  { providers: [outside] },
);
const { act, available, cashier, clock, db, ledger, mailed, player, runJobs, sweep } = harness;
const { another, newDigits, newPassword, sessions, withdrawal } = harness;
const NUMBER = "09171234567";
const HELD_BACK = ["held", "account_changed"];

beforeEach(async () => {
  isAway = false;
  await mailed();
});

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

async function asked(session: Session, minor: bigint, destination = NUMBER, language = "EN") {
  const given = { method: "card", destination, language };
  return taken(await harness.withdraw(session, minor, given)).id;
}

async function paid(session: Session, destination = NUMBER): Promise<void> {
  const id = await asked(session, 10_000n, destination);
  expect(await cashier.withdrawals.approve(id, act)).toBe(true);
  await runJobs();
  await cashier.withdrawals.review(id);
  await runJobs();
  expect((await withdrawal(session, id)).state).toBe("paid");
}

/** As identity does for every change of what proves who a member is. */
async function changeAccount({ memberId }: Session): Promise<void> {
  await db.pool.query(
    "UPDATE members SET proofs_changed_at = to_timestamp($2 / 1000.0) WHERE id = $1",
    [memberId, clock.now()],
  );
}

/** Ends a session, by its own log-out or by another's act. */
async function endSession({ id }: Session): Promise<void> {
  await db.pool.query("UPDATE sessions SET ended_at = to_timestamp($2 / 1000.0) WHERE id = $1", [
    id,
    clock.now(),
  ]);
}

/** Waits until somebody waits for a lock. */
async function isHeldUp(): Promise<void> {
  await expect.poll(() => lockWaits(db.pool)).toBeGreaterThan(0);
}

async function standsAs(session: Session, id: string) {
  const { state, wait_reasons } = await withdrawal(session, id);
  return [state, ...wait_reasons];
}

describe("a withdrawal that was requested before the account was changed", () => {
  it("to a new number is never let out by the rule, however long it waits", async () => {
    const session = await player(100_000n);
    const id = await asked(session, 20_000n);
    await runJobs();
    expect(await standsAs(session, id)).toEqual(["held", "new_destination"]);
    clock.advance(HOUR_MS);
    await changeAccount(session);
    await sweep();
    expect(await standsAs(session, id)).toEqual(["held", "account_changed", "new_destination"]);
    for (let days = 0; days < 4; days++) {
      clock.advance(DAY_MS);
      await sweep();
      await cashier.withdrawals.review(id);
      await runJobs();
    }
    expect((await standsAs(session, id)).slice(0, 2)).toEqual(["held", "account_changed"]);
    expect(await cashier.withdrawals.approve(id, act)).toBe(true);
    await runJobs();
    expect(has.has(id)).toBe(true);
  });

  it("to a number that was paid before, or held for any other reason, waits for an operator, who sees the change", async () => {
    const session = await player(2_000_000n);
    await paid(session);
    const [due, large] = [await asked(session, 20_000n), await asked(session, 600_000n)];
    await cashier.withdrawals.review(large);
    expect(await standsAs(session, large)).toEqual(["held", "amount"]);
    clock.advance(MINUTE_MS);
    await changeAccount(session);
    // Nobody has read that yet.
    expect(await cashier.withdrawals.approve(large, act)).toBe(false);
    expect(await standsAs(session, large)).toEqual(["held", "account_changed", "amount"]);
    await runJobs();
    expect(await standsAs(session, due)).toEqual(["held", "account_changed"]);
    expect(await cashier.withdrawals.approve(large, act)).toBe(true);
    await runJobs();
    expect([has.has(large), has.has(due)]).toEqual([true, false]);
  });

  it("and was let out comes back to an operator, unless it was sent", async () => {
    const session = await player(100_000n);
    await paid(session);
    isAway = true;
    const id = await asked(session, 20_000n);
    await runJobs();
    expect((await withdrawal(session, id)).state).toBe("approved");
    clock.advance(12 * MINUTE_MS);
    await changeAccount(session);
    isAway = false;
    await runJobs();
    expect(await standsAs(session, id)).toEqual(["held", "account_changed"]);
    expect(has.has(id)).toBe(false);
    // It was let out in the knowledge of one change, and of no other.
    isAway = true;
    clock.advance(MINUTE_MS);
    expect(await cashier.withdrawals.approve(id, act)).toBe(true);
    clock.advance(12 * MINUTE_MS);
    await changeAccount(session);
    isAway = false;
    await runJobs();
    expect(await standsAs(session, id)).toEqual(["held", "account_changed"]);
    expect(await cashier.withdrawals.reject(id, { act, reason: "Not the player's" })).toBe(true);
    expect(await available(session)).toBe(90_000n);
  });
});

describe("a withdrawal without a proof, while a payment password is being set", () => {
  it("counts as requested before it and waits for an operator, if it was set after the check", async () => {
    const session = await player(100_000n);
    await paid(session);
    const id = harness.fresh("withdrawal");
    const other = await db.pool.connect();
    await other.query("BEGIN");
    await other.query("INSERT INTO payment_ids (id, account_id) VALUES ($1, 'another')", [id]);
    const given = { id, method: "card", destination: NUMBER };
    const waiting = harness.withdraw(session, 20_000n, given);
    await isHeldUp();
    clock.advance(MINUTE_MS);
    await withTransaction(db.pool, (client) => newDigits(client, session));
    clock.advance(MINUTE_MS);
    await other.query("ROLLBACK");
    other.release();
    taken(await waiting);
    await runJobs();
    expect(await standsAs(session, id)).toEqual(["held", "account_changed"]);
    expect(has.has(id)).toBe(false);
  });

  it("needs a proof if it comes while the change is not written yet, since the instant of the change is earlier", async () => {
    const session = await player(100_000n);
    const owner = await db.pool.connect();
    await owner.query("BEGIN");
    await newDigits(owner, session);
    clock.advance(MINUTE_MS);
    const waiting = harness.withdraw(session, 20_000n, { method: "card", destination: NUMBER });
    const ended = waiting.then(codeOf);
    await Promise.race([ended, isHeldUp()]);
    await owner.query("COMMIT");
    owner.release();
    expect(await ended).toBe("payment_proof_needed");
    expect(await available(session)).toBe(100_000n);
  });
});

describe("a withdrawal of a session that has ended", () => {
  it("is refused though its process has not heard of the end, and leaves no row", async () => {
    const session = await player(100_000n);
    await endSession(session);
    const id = harness.fresh("withdrawal");
    const given = { id, method: "card", destination: NUMBER };
    const { elsewhere } = harness;
    for (const at of [cashier, elsewhere]) {
      expect(codeOf(await harness.withdraw(session, 20_000n, given, at))).toBe("session_ended");
    }
    expect(await cashier.withdrawals.find(session, id)).toBeNull();
    expect(await available(session)).toBe(100_000n);
  });

  it("is refused if the session ends while the withdrawal waits in its member's queue", async () => {
    const [session, other] = [await player(100_000n), await player(100_000n)];
    const line = await db.pool.connect();
    const { id, lane } = harness.walletOf(session);
    await line.query("BEGIN");
    await line.query("SELECT FROM ledger_accounts WHERE lane = $1 AND id = $2 FOR UPDATE", [
      lane,
      id,
    ]);
    const waiting = harness.withdraw(session, 20_000n, { method: "card", destination: NUMBER });
    await isHeldUp();
    await endSession(session);
    await line.query("ROLLBACK");
    line.release();
    expect(codeOf(await waiting)).toBe("session_ended");
    expect(await available(session)).toBe(100_000n);
    taken(await harness.withdraw(other, 20_000n, { method: "card", destination: NUMBER }));
  });

  it("differs from one of a session that was never stored, such as the demo's, which goes out", async () => {
    const session = { ...(await player(100_000n)), id: "demo" };
    const id = await asked(session, 20_000n);
    clock.advance(DAY_MS);
    await sweep();
    await runJobs();
    expect(has.has(id)).toBe(true);
  });

  it("that was made before the end stays as it is, however often it is sent again", async () => {
    const session = await player(100_000n);
    const given = { id: harness.fresh("withdrawal"), method: "card", destination: NUMBER };
    const first = taken(await harness.withdraw(session, 20_000n, given));
    await endSession(session);
    expect(taken(await harness.withdraw(session, 20_000n, given))).toEqual(first);
  });
});

describe("a payment requested in a session that its owner ended", () => {
  it.each(["by it alone", "with all others", "by a new password"])(
    "waits for an operator, and no other session's does (%s)",
    async (how) => {
      const own = await player(500_000n);
      const strange = await another(own);
      const [theirs, mine] = [
        await asked(strange, 20_000n, "09173333333"),
        await asked(own, 20_000n),
      ];
      await runJobs();
      expect(await standsAs(own, theirs)).toEqual(["held", "new_destination"]);
      clock.advance(HOUR_MS);
      if (how === "by it alone") await sessions.shutOut(strange.id);
      else if (how === "with all others") await sessions.endAll(own.memberId, own.id);
      // One requested while the change was under way: the instant of the change is earlier.
      else await newPassword(own, clock.now() - 2 * HOUR_MS);
      await sweep();
      expect(await standsAs(own, theirs)).toEqual(["held", "account_changed", "new_destination"]);
      clock.advance(DAY_MS);
      await sweep();
      await runJobs();
      expect(await standsAs(own, theirs)).toEqual(["held", "account_changed", "new_destination"]);
      expect((await withdrawal(own, mine)).state).not.toBe("held");
      // Nor does it make the number known.
      const again = await asked(own, 20_000n, "09173333333");
      await runJobs();
      expect(await standsAs(own, again)).toEqual(["held", "new_destination"]);
      expect(await cashier.withdrawals.approve(theirs, act)).toBe(true);
      await runJobs();
      expect(has.has(theirs)).toBe(true);
    },
  );

  it("comes back if it was let out and not sent, and goes out once it is let out again", async () => {
    const own = await player(100_000n);
    await paid(own);
    const strange = await another(own);
    isAway = true;
    const id = await asked(strange, 20_000n);
    await runJobs();
    expect((await withdrawal(own, id)).state).toBe("approved");
    clock.advance(12 * MINUTE_MS);
    await sessions.shutOut(strange.id);
    isAway = false;
    await runJobs();
    expect(await standsAs(own, id)).toEqual(["held", "account_changed"]);
    expect(await cashier.withdrawals.approve(id, act)).toBe(true);
    await runJobs();
    expect(has.has(id)).toBe(true);
  });

  it("goes out by the rule if the session logged itself out or expired", async () => {
    const own = await player(500_000n);
    await paid(own);
    const [left, lapsed] = [await another(own), await another(own)];
    const ids = [await asked(left, 20_000n), await asked(lapsed, 20_000n)];
    await sessions.end(left.id);
    clock.advance(DAY_MS);
    await sweep();
    await runJobs();
    for (const id of ids) expect(has.has(id)).toBe(true);
  });
});

describe("the limit of open withdrawals", () => {
  const { openMax } = harness.merchant.settings.cashier;

  async function fill(session: Session): Promise<string[]> {
    const ids = [];
    for (let i = 0; i < openMax; i++) ids.push(await asked(session, 100n, "09173333333"));
    expect(await codeOfOneMore(session)).toBe("too_many_open");
    return ids;
  }

  async function codeOfOneMore(session: Session) {
    return codeOf(await harness.withdraw(session, 100n, { method: "card", destination: NUMBER }));
  }

  it.each(["held", "approved"])(
    "is not used up by requests of a session that its owner ended (%s)",
    async (state) => {
      const own = await player(500_000n);
      if (state === "approved") await paid(own, "09173333333");
      isAway = true;
      const strange = await another(own);
      const theirs = await fill(strange);
      await runJobs();
      for (const id of theirs) expect((await withdrawal(own, id)).state).toBe(state);
      expect(await codeOfOneMore(own)).toBe("too_many_open");
      clock.advance(12 * MINUTE_MS);
      await sessions.shutOut(strange.id);
      const mine = await asked(own, 20_000n);
      isAway = false;
      await sweep();
      clock.advance(DAY_MS);
      await sweep();
      await runJobs();
      expect(has.has(mine)).toBe(true);
      for (const id of theirs) expect((await standsAs(own, id)).slice(0, 2)).toEqual(HELD_BACK);
    },
  );

  it("is not used up by requests of a session that logged itself out before a new password", async () => {
    const own = await player(500_000n);
    const strange = await another(own);
    await fill(strange);
    await sessions.end(strange.id);
    expect(await codeOfOneMore(own)).toBe("too_many_open");
    clock.advance(MINUTE_MS);
    await harness.newPassword(own);
    expect(await codeOfOneMore(own)).toBe("ok");
  });

  it("grows for no session by a change of the account: a session's own requests always count for it", async () => {
    const own = await player(500_000n);
    const strange = await another(own);
    await fill(strange);
    clock.advance(MINUTE_MS);
    await changeAccount(own);
    expect(await codeOfOneMore(strange)).toBe("too_many_open");
    expect(await codeOfOneMore(own)).toBe("ok");
  });

  it("is four times as high for all sessions together, however often sessions are ended", async () => {
    const own = await player(500_000n);
    for (let times = 0; times < 4; times++) {
      const session = await another(own);
      await fill(session);
      await sessions.shutOut(session.id);
    }
    expect(await codeOfOneMore(own)).toBe("too_many_open");
    const all = await cashier.withdrawals.list(own, { before: null, limit: 100 });
    expect(all).toHaveLength(4 * openMax);
    expect(
      await cashier.withdrawals.reject(all[0]?.id ?? "", { act, reason: "Not the player's" }),
    ).toBe(true);
    const codes = await Promise.all([codeOfOneMore(own), codeOfOneMore(own)]);
    expect(codes.sort()).toEqual(["ok", "too_many_open"]);
  });

  it("is sixteen times as high for all that ever were, however often the password is changed", async () => {
    let session = await player(5_000_000n);
    for (let times = 0; times < 16; times++) {
      await fill(session);
      clock.advance(MINUTE_MS);
      await harness.newPassword(session);
      session = await another(session);
    }
    expect(await codeOfOneMore(session)).toBe("too_many_open");
  });

  it("is free for the owner once they set a new password, however many sessions filled it before", async () => {
    const own = await player(500_000n);
    for (let times = 0; times < 4; times++) {
      const session = await another(own);
      await fill(session);
      await sessions.shutOut(session.id);
    }
    expect(await codeOfOneMore(own)).toBe("too_many_open");
    clock.advance(MINUTE_MS);
    await harness.newPassword(own);
    await fill(own);
    expect(await codeOfOneMore(own)).toBe("too_many_open");
  });
});

describe("a number that was named before the account was changed", () => {
  it("is new again, unless it was paid", async () => {
    const session = await player(500_000n);
    const other = "09179999999";
    await paid(session);
    const first = await asked(session, 20_000n, other);
    clock.advance(2 * DAY_MS);
    await changeAccount(session);
    await sweep();
    expect(await standsAs(session, first)).toEqual(["held", "account_changed"]);
    clock.advance(MINUTE_MS);
    const [known, again] = [await asked(session, 10_000n), await asked(session, 10_000n, other)];
    await runJobs();
    expect((await withdrawal(session, known)).state).not.toBe("held");
    expect(await standsAs(session, again)).toEqual(["held", "new_destination"]);
    clock.advance(DAY_MS);
    await sweep();
    await runJobs();
    expect((await withdrawal(session, again)).state).not.toBe("held");
  });
});

describe("the owner of an account", () => {
  async function owner(): Promise<Session> {
    const session = await player(500_000n);
    await db.pool.query(
      `UPDATE members SET email = id || '@example.test', email_verified_at = now() WHERE id = $1`,
      [session.memberId],
    );
    return session;
  }

  it("gets a mail about the first withdrawal to a number, and about no other", async () => {
    const session = await owner();
    const id = await asked(session, 123_456n);
    const [mail, ...more] = await mailed();
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ to: `${session.memberId}@example.test` });
    for (const said of ["₱1,234.56", "•••••••4567", "change your password"]) {
      expect(mail?.text).toContain(said);
    }
    expect(mail?.text).not.toContain(NUMBER);
    clock.advance(1);
    taken(await harness.withdraw(session, 123_456n, { id, method: "card", destination: NUMBER }));
    await asked(session, 10_000n);
    expect(await mailed()).toEqual([]);
    await asked(session, 10_000n, "09171111111", "TY");
    const [inTagalog] = await mailed();
    expect(inTagalog?.text).toContain("palitan agad ang password mo");
  });

  it("gets one mail even if the answer was lost together with its process", async () => {
    const session = await owner();
    const books = Object.create(ledger, {
      hold: {
        value: async (command: Parameters<Ledger["hold"]>[0]) => {
          await ledger.hold(command);
          throw new CommitUnknownError(new Error("the line was cut"));
        },
      },
    }) as Ledger; // the test asks it for nothing but the hold
    const id = harness.fresh("withdrawal");
    const given = { id, method: "card", destination: NUMBER };
    const dying = harness.withdraw(session, 123_456n, given, harness.cashierOver(books));
    await expect(dying).rejects.toThrow(CommitUnknownError);
    for (let times = 0; times < 2; times++) taken(await harness.withdraw(session, 123_456n, given));
    const [mail, ...more] = await mailed();
    expect(mail?.text).toContain("₱1,234.56");
    expect(more).toEqual([]);
  });

  it("gets a mail about each number, however many were refused before in the hour, even if they end alike", async () => {
    const session = await owner();
    for (let nth = 10; nth < 30; nth++) {
      const given = { method: "card", destination: `091800010${nth}` };
      expect(codeOf(await harness.withdraw(session, 900_000n, given))).not.toBe("ok");
    }
    await asked(session, 300_000n, "09180002222");
    clock.advance(MINUTE_MS);
    await asked(session, 10_000n, "09990002222");
    const told = (await mailed()).map(({ text }) => /₱[\d,.]+/.exec(text)?.[0]);
    expect(told.sort()).toEqual(["₱100.00", "₱3,000.00"]);
  });

  it("gets mails about twenty numbers an hour at once, and no more if several are new at once", async () => {
    const session = await owner();
    const at = (nth: number) => ({ method: "card", destination: `091800010${nth}` });
    for (let nth = 10; nth < 25; nth++) await harness.withdraw(session, 900_000n, at(nth));
    const ten = Array.from({ length: 10 }, (_, i) =>
      harness.withdraw(session, 10_000n, at(30 + i)),
    );
    for (const one of await Promise.all(ten)) taken(one);
    const { rows } = await db.pool.query(
      `SELECT key LIKE '%{%' AS "atOnce", count(*)::int AS told FROM graphile_worker.jobs
       WHERE key LIKE '%newDestination%' GROUP BY 1 ORDER BY 1`,
    );
    expect(rows).toEqual([
      { atOnce: false, told: 5 },
      { atOnce: true, told: 5 },
    ]);
  });

  it("gets another mail about a number that is new again, and never at an address that is not theirs", async () => {
    const session = await owner();
    await asked(session, 10_000n);
    clock.advance(MINUTE_MS);
    await changeAccount(session);
    clock.advance(MINUTE_MS);
    await asked(session, 10_000n);
    expect(await mailed()).toHaveLength(2);
    await db.pool.query("UPDATE members SET email_verified_at = NULL WHERE id = $1", [
      session.memberId,
    ]);
    await asked(session, 10_000n, "09172222222");
    expect(await mailed()).toEqual([]);
  });
});
