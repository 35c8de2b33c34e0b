import { setTimeout as sleep } from "node:timers/promises";
import { createCanvas } from "@napi-rs/canvas";
import type { OperatorPermission } from "@perya/contract/operator";
import { fieldRefusal } from "@perya/contract/refusal";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import { makeBrand, seededEntropy } from "../../../../../tests/server/fixtures.ts";
import { DAY_MAX_BYTES, NO_CALL } from "../../platform/kept-pictures.ts";
import type { Merchant, Session } from "../identity/identity.ts";
import { type Act, Operators } from "../operators/operators.ts";
import { takeDueDeposits } from "./cashier.store.ts";
import { OperatorCashier } from "./operator-cashier.ts";

const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const harness = await openCashierHarness("manual payments", {
  methods: [
    { code: "bank", name: "Bank", provider: "manual", kind: "deposit", ...LIMITS },
    { code: "bank", name: "Bank", provider: "manual", kind: "withdrawal", ...LIMITS },
    { code: "closed", name: "No account", provider: "manual", kind: "deposit", ...LIMITS },
  ],
  houseAccounts: [
    {
      method: "bank",
      name: "House bank",
      number: "1234",
      holder: "House Inc.",
      instructions: { EN: "Send it", TY: "Ipadala" },
    },
  ],
  autoApproveDaily: {
    playerMinor: "90000000",
    destinationMinor: "90000000",
    deviceMinor: "90000000",
  },
  autoApproveMaxMinor: "5000000",
  payoutFourEyesAboveMinor: "100000",
});
const { available, cashier, clock, db, evidence, fresh, ledger, loseJobs, merchant } = harness;
const { player, runJobs, stored, sweep, withdraw, withdrawal } = harness;
const staff = new OperatorCashier(db.pool, clock, cashier);
const operators = new Operators(db.pool, clock, seededEntropy("operators"));
const RECEIPT = createCanvas(8, 8).toBuffer("image/png");

let ana: Act;
let ben: Act;
let requests = 0;
let references = 0;

beforeAll(async () => {
  ana = await employ("Ana", ["deposits", "payouts"]);
  ben = await employ("Ben", ["deposits", "payouts", "payouts.confirm"]);
});

afterAll(harness.close);

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

async function employ(
  name: string,
  permissions: readonly OperatorPermission[],
  brand: Merchant = merchant,
): Promise<Act> {
  const { operator } = taken(await operators.add(brand.id, { name, permissions, days: 30 }));
  requests += 1;
  return { operator, requestId: `request ${requests}`, address: "127.0.0.1" };
}

async function openedByHand(session: Session, minor: bigint): Promise<string> {
  const given = { id: fresh("deposit"), method: "bank", amount: php(minor) };
  return taken(await cashier.deposit(merchant, session, given)).id;
}

async function codeOfOneMore(session: Session) {
  const given = { id: fresh("deposit"), method: "bank", amount: php(50_000n) };
  return codeOf(await cashier.deposit(merchant, session, given));
}

function freshReference(): string {
  references += 1;
  return `GC 7788 ${100_000 + references}`;
}

/** A deposit whose player has sent the money, the receipt and its number. */
async function claimed(session: Session, minor: bigint, reference = freshReference()) {
  const id = await openedByHand(session, minor);
  taken(await evidence.sendReceipt(session, id, RECEIPT));
  taken(await evidence.claimPaid(merchant, session, id, reference));
  return id;
}

async function actionsOn(subject: string) {
  const all = await operators.actions(merchant.id, { before: null, limit: 500 });
  const own = all.filter((one) => one.subject === subject).reverse();
  return own.map(({ name, action }) => `${name}: ${action}`);
}

async function queued(session: Session, minor: bigint): Promise<string> {
  const { id } = taken(await withdraw(session, minor, { method: "bank" }));
  await runJobs();
  expect((await withdrawal(session, id)).state).toBe("sent");
  return id;
}

describe("a deposit by hand", () => {
  it("shows the house's account and a code of its own, and leads back to our own screen", async () => {
    const session = await player(0n);
    const rows = [];
    for (let i = 0; i < 3; i++) {
      rows.push(await stored(session, await openedByHand(session, 50_000n)));
    }
    const details = await evidence.details(rows);
    const codes = rows.map(({ id }) => details.get(id)?.code ?? "");
    expect(new Set(codes).size).toBe(3);
    for (const code of codes) expect(code).toMatch(/^[ACDEFGHJKMNPQRTVWXY3479]{7}$/);
    const [row] = rows;
    expect(details.get(row?.id ?? "")?.house).toMatchObject({ name: "House bank", number: "1234" });
    expect(row?.pay_url).toBe(`https://perya.test/m/voucherCenter?deposit=${row?.id}`);
    const given = { id: fresh("deposit"), method: "closed", amount: php(50_000n) };
    expect(codeOf(await cashier.deposit(merchant, session, given))).toBe("method not_allowed");
  });

  it("whose account was removed before it was opened has failed, and one that was shown stays open", async () => {
    const session = await player(0n);
    const { settings } = merchant;
    const cashierOnly = { ...settings.cashier, houseAccounts: [] };
    const without = { ...merchant, settings: { ...settings, cashier: cashierOnly } };
    const given = { id: fresh("deposit"), method: "bank", amount: php(50_000n) };
    const shown = { ...given, id: fresh("deposit") };
    for (const one of [given, shown]) taken(await cashier.deposit(merchant, session, one));
    // As a process leaves them that dies on the way.
    const ids = [given.id, shown.id];
    await db.pool.query("UPDATE deposits SET pay_url = NULL WHERE id = ANY ($1)", [ids]);
    await db.pool.query("DELETE FROM manual_deposits WHERE deposit_id = $1", [given.id]);
    for (const _time of ["first", "again"]) {
      expect(taken(await cashier.deposit(without, session, given)).state).toBe("failed");
    }
    const { pay_url } = taken(await cashier.deposit(without, session, shown));
    expect(pay_url).toBe(`https://perya.test/m/voucherCenter?deposit=${shown.id}`);
  });

  it.each([
    ["what was asked for", 50_000n],
    ["less", 49_900n],
    ["more", 50_001n],
    ["a centavo", 1n],
  ])(
    "of which %s came is credited once with what came, even if several confirm it repeatedly",
    async (_what, came) => {
      const session = await player(0n);
      const id = await claimed(session, 50_000n);
      expect((await stored(session, id)).state).toBe("pending");
      expect(await available(session)).toBe(0n);
      const confirmed = [ana, ben, ana, ben].map((act) =>
        staff.confirmDeposit(merchant, act, id, php(came), id),
      );
      for (const answer of await Promise.all(confirmed)) {
        expect(taken(answer)).toEqual({ id, state: "paid" });
      }
      expect(await stored(session, id)).toMatchObject({
        amount_minor: 50_000n,
        received_minor: came,
      });
      expect(await available(session)).toBe(came);
      expect(await actionsOn(id)).toHaveLength(1);
      const other = await staff.confirmDeposit(merchant, ana, id, php(came + 1n), id);
      expect(codeOf(other)).toBe("wrong_state");
      expect(codeOf(await staff.refuseDeposit(merchant, ana, id, "Not there"))).toBe("wrong_state");
      expect(await available(session)).toBe(came);
    },
  );

  it("that is confirmed and refused at once ends in one way", async () => {
    const session = await player(0n);
    for (let i = 0; i < 5; i++) {
      const before = await available(session);
      const id = await claimed(session, 50_000n);
      const [confirmed, refused] = await Promise.all([
        staff.confirmDeposit(merchant, ana, id, php(50_000n), id),
        staff.refuseDeposit(merchant, ben, id, "Nothing came"),
      ]);
      expect(confirmed.ok).not.toBe(refused.ok);
      expect(await available(session)).toBe(before + (confirmed.ok ? 50_000n : 0n));
      expect((await stored(session, id)).state).toBe(confirmed.ok ? "paid" : "failed");
    }
  });

  it("that is refused tells the player why, for good", async () => {
    const session = await player(0n);
    const id = await claimed(session, 50_000n);
    taken(await staff.refuseDeposit(merchant, ana, id, "Walang dumating na pera"));
    taken(await staff.refuseDeposit(merchant, ana, id, "Walang dumating na pera"));
    expect(await stored(session, id)).toMatchObject({
      state: "failed",
      reason: "Walang dumating na pera",
    });
    const late = await staff.confirmDeposit(merchant, ana, id, php(50_000n), id);
    expect(codeOf(late)).toBe("wrong_state");
    expect(codeOf(await evidence.claimPaid(merchant, session, id, freshReference()))).toBe(
      "wrong_state",
    );
    expect(codeOf(await evidence.sendReceipt(session, id, otherPicture()))).toBe("wrong_state");
    expect(await available(session)).toBe(0n);
  });

  it("with a number given for another deposit is refused, and both are flagged", async () => {
    const [one, two] = [await player(0n), await player(0n)];
    const first = await claimed(one, 50_000n, "GC 1111 222333");
    const second = await openedByHand(two, 50_000n);
    taken(await evidence.sendReceipt(two, second, RECEIPT));
    for (const same of ["GC 1111 222333", "gc1111222333", "GC-1111-222-333"]) {
      expect(codeOf(await evidence.claimPaid(merchant, two, second, same))).toBe(
        "payerReference taken",
      );
    }
    expect((await stored(two, second)).state).toBe("created");
    const waiting = await staff.waitingDeposits(merchant, { after: null, limit: 50 });
    expect(waiting.find(({ deposit_id }) => deposit_id === first)?.flagged).toBe(true);
    taken(await evidence.claimPaid(merchant, two, second, freshReference()));
    const now = await staff.waitingDeposits(merchant, { after: null, limit: 50 });
    expect(now.find(({ deposit_id }) => deposit_id === second)?.flagged).toBe(true);
    // Once refused, the first frees the number for the player who really sent the money.
    taken(await staff.refuseDeposit(merchant, ana, first, "Not the sender"));
    const third = await openedByHand(two, 50_000n);
    taken(await evidence.sendReceipt(two, third, RECEIPT));
    taken(await evidence.claimPaid(merchant, two, third, "GC 1111 222333"));
  });

  it("keeps each number that was given for it, so that one transfer never pays two deposits", async () => {
    const [one, two] = [await player(0n), await player(0n)];
    const first = await claimed(one, 50_000n, "GC 2222 333444");
    taken(await evidence.claimPaid(merchant, one, first, "GC 2222 333445"));
    taken(await staff.confirmDeposit(merchant, ana, first, php(50_000n), first));
    const second = await openedByHand(two, 50_000n);
    taken(await evidence.sendReceipt(two, second, RECEIPT));
    for (const number of ["GC 2222 333444", "GC 2222 333445"]) {
      expect(codeOf(await evidence.claimPaid(merchant, two, second, number))).toBe(
        "payerReference taken",
      );
    }
    for (let i = 0; i < 3; i++)
      taken(await evidence.claimPaid(merchant, two, second, freshReference()));
    expect(codeOf(await evidence.claimPaid(merchant, two, second, freshReference()))).toBe(
      "payerReference not_allowed",
    );
    const actions = await operators.actions(merchant.id, { before: null, limit: 1 });
    expect(actions[0]?.detail).toMatchObject({ payerReference: "GC 2222 333445" });
  });

  it("that nobody claims as paid cannot be confirmed", async () => {
    const session = await player(0n);
    const id = await openedByHand(session, 50_000n);
    expect(codeOf(await staff.confirmDeposit(merchant, ana, id, php(50_000n), id))).toBe(
      "wrong_state",
    );
    expect(await available(session)).toBe(0n);
  });

  it("above the brand's amount is credited when two operators say the same, and not before", async () => {
    const session = await player(0n);
    const id = await claimed(session, 50_000n);
    const say = async (act: Act, minor: bigint) =>
      taken(await staff.confirmDeposit(merchant, act, id, php(minor), id)).state;
    for (let times = 0; times < 2; times++) expect(await say(ana, 1_000_001n)).toBe("counted");
    expect(await say(ben, 2_000_000n)).toBe("counted");
    expect(await say(ben, 2_000_000n)).toBe("counted");
    expect(await available(session)).toBe(0n);
    const waiting = await staff.waitingDeposits(merchant, { after: null, limit: 100 });
    expect(waiting.find((row) => row.deposit_id === id)).toMatchObject({
      counted_minor: 2_000_000n,
      counter: "Ben",
    });
    // An amount counted for one number must be counted anew for another.
    taken(await evidence.claimPaid(merchant, session, id, freshReference()));
    expect(await say(ana, 2_000_000n)).toBe("counted");
    expect(await say(ben, 2_000_000n)).toBe("paid");
    expect(await available(session)).toBe(2_000_000n);
    expect(await actionsOn(id)).toEqual([
      ...["Ana: deposit.count", "Ben: deposit.count", "Ana: deposit.count"],
      "Ben: deposit.confirm",
    ]);
  });

  it("that was counted by one picture of the receipt must be counted anew for another, at any moment", async () => {
    const session = await player(0n);
    const id = await claimed(session, 2_000_000n);
    const say = async (act: Act) =>
      taken(await staff.confirmDeposit(merchant, act, id, php(2_000_000n), id)).state;
    expect(await say(ana)).toBe("counted");
    // The same picture sent again shows nothing new.
    taken(await evidence.sendReceipt(session, id, RECEIPT));
    taken(await evidence.sendReceipt(session, id, otherPicture()));
    expect(await say(ben)).toBe("counted");
    expect(await available(session)).toBe(0n);
    const waiting = await staff.waitingDeposits(merchant, { after: null, limit: 100 });
    expect(waiting.find((row) => row.deposit_id === id)?.counter).toBe("Ben");
    const [sent, said] = await Promise.all([evidence.sendReceipt(session, id, RECEIPT), say(ana)]);
    // Either the money was there first and no picture is taken any more, or it was counted anew.
    expect([codeOf(sent), said]).toEqual(said === "paid" ? ["wrong_state", said] : ["ok", said]);
    if (said === "counted") expect(await say(ben)).toBe("paid");
    expect(await available(session)).toBe(2_000_000n);
  });

  it("that expired is open again only if there is room for it, however many are claimed at once", async () => {
    const session = await player(0n);
    const { openMax } = merchant.settings.cashier;
    const openAll = () =>
      Promise.all(Array.from({ length: openMax }, () => openedByHand(session, 50_000n)));
    const late = await openAll();
    for (const id of late) taken(await evidence.sendReceipt(session, id, RECEIPT));
    clock.advance(DAY_MS);
    await cashier.expire();
    const [first = "", ...others] = await openAll();
    const numbers = new Map(late.map((id) => [id, freshReference()]));
    const claimLate = () =>
      Promise.all(
        [...numbers].map(async ([id, number]) =>
          codeOf(await evidence.claimPaid(merchant, session, id, number)),
        ),
      );
    expect(new Set(await claimLate())).toEqual(new Set(["too_many_open"]));
    // Open ones can be claimed all the same, and corrected.
    taken(await evidence.sendReceipt(session, first, RECEIPT));
    for (let times = 0; times < 2; times++) {
      taken(await evidence.claimPaid(merchant, session, first, freshReference()));
    }
    taken(await staff.confirmDeposit(merchant, ana, first, php(50_000n), first));
    const codes = await claimLate();
    expect(codes.filter((code) => code === "ok")).toHaveLength(1);
    expect(codes.filter((code) => code === "too_many_open")).toHaveLength(openMax - 1);
    const rows = await cashier.deposits(session, { before: null, limit: 50 });
    const open = rows.filter(({ state }) => state === "created" || state === "pending");
    expect(open).toHaveLength(openMax);
    // Each decision makes room for another.
    for (const id of others) taken(await staff.refuseDeposit(merchant, ana, id, "Not sent"));
    expect(new Set(await claimLate())).toEqual(new Set(["ok"]));
  });

  it("takes no room if a session opened it that its owner ended, or one from before a new password", async () => {
    const { openMax } = merchant.settings.cashier;
    for (const how of ["ended", "logged out"]) {
      const own = await player(0n);
      const strange = await harness.another(own);
      for (let i = 0; i < openMax; i++) await claimed(strange, 50_000n);
      clock.advance(DAY_MS);
      await cashier.expire();
      expect(await codeOfOneMore(own)).toBe("too_many_open");
      if (how === "ended") await harness.sessions.shutOut(strange.id);
      else {
        await harness.sessions.end(strange.id);
        expect(await codeOfOneMore(own)).toBe("too_many_open");
        await harness.newPassword(own);
      }
      const id = await claimed(own, 50_000n);
      taken(await staff.confirmDeposit(merchant, ana, id, php(50_000n), id));
      expect(await available(own)).toBe(50_000n);
      // Not even in a process that has not heard of the end.
      expect(await codeOfOneMore(strange)).toBe("too_many_open");
    }
  });

  it("that expired opens again beside those of a session that its owner ended", async () => {
    const { openMax } = merchant.settings.cashier;
    const own = await player(0n);
    const late = await openedByHand(own, 50_000n);
    taken(await evidence.sendReceipt(own, late, RECEIPT));
    clock.advance(DAY_MS);
    await cashier.expire();
    const strange = await harness.another(own);
    for (let i = 0; i < openMax; i++) await claimed(strange, 50_000n);
    const number = freshReference();
    const claim = async () => codeOf(await evidence.claimPaid(merchant, own, late, number));
    expect(await claim()).toBe("too_many_open");
    await harness.sessions.shutOut(strange.id);
    expect(await claim()).toBe("ok");
  });

  it("has room beside at most four times as many as a player opens, however often sessions are ended", async () => {
    const { openMax } = merchant.settings.cashier;
    const own = await player(0n);
    for (let times = 0; times < 4; times++) {
      const session = await harness.another(own);
      for (let i = 0; i < openMax; i++) await openedByHand(session, 50_000n);
      await harness.sessions.shutOut(session.id);
    }
    expect(await codeOfOneMore(own)).toBe("too_many_open");
    const all = await cashier.deposits(own, { before: null, limit: 100 });
    expect(all).toHaveLength(4 * openMax);
    taken(await staff.refuseDeposit(merchant, ana, all[0]?.id ?? "", "Not sent"));
    expect(await codeOfOneMore(own)).toBe("ok");
    expect(await codeOfOneMore(own)).toBe("too_many_open");
    clock.advance(MINUTE_MS);
    await harness.newPassword(own);
    expect(await codeOfOneMore(own)).toBe("ok");
  });

  it("is claimed as paid and waits for an operator in one step", async () => {
    const session = await player(0n);
    const id = await openedByHand(session, 50_000n);
    taken(await evidence.sendReceipt(session, id, RECEIPT));
    await db.pool.query(
      `CREATE FUNCTION stop_here() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'stopped'; END $$;
       CREATE TRIGGER stop_here BEFORE UPDATE ON deposits FOR EACH ROW
         WHEN (NEW.state = 'pending') EXECUTE FUNCTION stop_here()`,
    );
    await expect(evidence.claimPaid(merchant, session, id, "GC 9999 000111")).rejects.toThrow(
      "stopped",
    );
    await db.pool.query("DROP FUNCTION stop_here CASCADE");
    const details = await evidence.details([await stored(session, id)]);
    expect(details.get(id)).toMatchObject({ sent_at: null, payer_reference: null });
  });

  it("with one number in many deposits at once keeps the number for just one of them", async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, () => player(0n)));
    const ids = await Promise.all(
      sessions.map(async (session) => {
        const id = await openedByHand(session, 50_000n);
        taken(await evidence.sendReceipt(session, id, RECEIPT));
        return id;
      }),
    );
    const codes = await Promise.all(
      sessions.map(async (session, i) =>
        codeOf(await evidence.claimPaid(merchant, session, ids[i] ?? "", "GC 4444 555666")),
      ),
    );
    expect(codes.filter((code) => code === "ok")).toHaveLength(1);
    expect(codes.filter((code) => code === "payerReference taken")).toHaveLength(5);
  });

  it("needs a picture of the receipt and a valid number", async () => {
    const session = await player(0n);
    const id = await openedByHand(session, 50_000n);
    expect(codeOf(await evidence.claimPaid(merchant, session, id, freshReference()))).toBe(
      "receipt required",
    );
    expect(codeOf(await evidence.sendReceipt(session, id, Buffer.from("GIF89a")))).toBe(
      "image not_allowed",
    );
    taken(await evidence.sendReceipt(session, id, RECEIPT));
    taken(await evidence.sendReceipt(session, id, RECEIPT));
    expect(codeOf(await evidence.claimPaid(merchant, session, id, "- 12 - 3"))).toBe(
      "payerReference bad_format",
    );
    const stranger = await player(0n);
    expect(codeOf(await evidence.claimPaid(merchant, stranger, id, freshReference()))).toBe(
      "not_found",
    );
    expect(codeOf(await evidence.sendReceipt(stranger, id, RECEIPT))).toBe("not_found");
  });

  it("takes a picture that its player sent before as it was drawn, and draws any other while they wait", async () => {
    const session = await player(0n);
    const [first, second] = [
      await openedByHand(session, 50_000n),
      await openedByHand(session, 50_000n),
    ];
    const hungUp = { ...NO_CALL, hangUp: AbortSignal.abort() };
    taken(await evidence.sendReceipt(session, first, RECEIPT));
    taken(await evidence.sendReceipt(session, second, RECEIPT, hungUp));
    await expect(evidence.sendReceipt(session, second, otherPicture(), hungUp)).rejects.toThrow(
      "hung up",
    );
  });

  it("keeps no receipt of what was not claimed, and that of a decided one for 180 days", async () => {
    const session = await player(0n);
    const [left, waits, decided] = [
      await openedByHand(session, 50_000n),
      await claimed(session, 50_000n),
      await claimed(session, 50_000n),
    ];
    taken(await evidence.sendReceipt(session, left, RECEIPT));
    const minutes = merchant.settings.cashier.depositMinutes;
    const kept = async () => {
      const { rows } = await db.pool.query<{ deposit_id: string }>(
        "SELECT deposit_id FROM manual_receipts WHERE deposit_id = ANY ($1)",
        [[left, waits, decided]],
      );
      return new Set(rows.map(({ deposit_id }) => deposit_id));
    };
    await evidence.sweep();
    clock.advance(minutes * MINUTE_MS + HOUR_MS - 1);
    await evidence.sweep();
    expect(await kept()).toEqual(new Set([left, waits, decided]));
    clock.advance(1);
    await evidence.sweep();
    expect(await kept()).toEqual(new Set([waits, decided]));
    // A player who claims it after all sends it once more.
    expect(codeOf(await evidence.claimPaid(merchant, session, left, freshReference()))).toBe(
      "receipt required",
    );
    taken(await staff.confirmDeposit(merchant, ana, decided, php(50_000n), decided));
    for (const [days, ids] of [
      [179, [waits, decided]],
      [2, [waits]],
    ] as const) {
      clock.advance(days * DAY_MS);
      await evidence.sweep();
      expect(await kept()).toEqual(new Set(ids));
    }
  });

  it("has every due receipt checked, however many there are", async () => {
    const session = await player(0n);
    const id = await openedByHand(session, 50_000n);
    taken(await evidence.sendReceipt(session, id, RECEIPT));
    await db.pool.query(
      `WITH d AS (
         INSERT INTO deposits (lane, account_id, id, merchant_id, member_id, method, provider,
           currency, amount_minor, state, created_at, expires_at)
         SELECT lane, account_id, id || n, merchant_id, member_id, method, provider, currency,
           amount_minor, 'expired', created_at, expires_at
         FROM deposits, generate_series(1, 450) AS n WHERE id = $1 RETURNING id
       ), m AS (
         INSERT INTO manual_deposits (deposit_id, merchant_id, code, currency, house)
         SELECT d.id, merchant_id, code || d.id, currency, house
         FROM manual_deposits, d WHERE deposit_id = $1
       )
       SELECT 1`,
      [id],
    );
    await db.pool.query(
      `INSERT INTO manual_receipts (deposit_id, sent_hash, image, width, height, sent_at, look_at)
       SELECT d.deposit_id, r.sent_hash, r.image, r.width, r.height, r.sent_at, r.look_at
       FROM manual_deposits d, manual_receipts r
       WHERE r.deposit_id = $1 AND d.deposit_id LIKE $1 || '_%'`,
      [id],
    );
    clock.advance(DAY_MS);
    await evidence.sweep();
    const { rows } = await db.pool.query(
      "SELECT count(*)::int AS left FROM manual_receipts WHERE deposit_id LIKE $1 || '%'",
      [id],
    );
    expect(rows).toEqual([{ left: 0 }]);
  });

  it("takes so many bytes of pictures a day per player and per address, and names what it refuses", async () => {
    const session = await player(0n);
    const id = await openedByHand(session, 50_000n);
    const spent = "UPDATE picture_days SET bytes = $2 WHERE member_id = $1";
    taken(await evidence.sendReceipt(session, id, RECEIPT));
    await db.pool.query(spent, [session.memberId, DAY_MAX_BYTES - 10]);
    expect(codeOf(await evidence.sendReceipt(session, id, otherPicture()))).toBe("image day_spent");
    const refused = fieldRefusal("image", "day_spent");
    const roomForPicture = async () => refused;
    const other = await player(0n);
    const full = await openedByHand(other, 50_000n);
    const sent = await evidence.sendReceipt(other, full, RECEIPT, { ...NO_CALL, roomForPicture });
    expect(codeOf(sent)).toBe("image day_spent");
    expect(codeOf(await evidence.claimPaid(merchant, other, full, "4018822771"))).toBe(
      "receipt required",
    );
    // A picture that was sent before does not count again.
    taken(await evidence.sendReceipt(session, id, RECEIPT));
    clock.advance(DAY_MS);
    taken(await evidence.sendReceipt(session, id, otherPicture()));
  });

  it("that waits for an operator never expires; one that nobody claims does, and may come late", async () => {
    const session = await player(0n);
    const waits = await claimed(session, 50_000n);
    const left = await openedByHand(session, 50_000n);
    clock.advance(10 * DAY_MS);
    await cashier.expire();
    expect((await stored(session, waits)).state).toBe("pending");
    expect((await stored(session, left)).state).toBe("expired");
    taken(await evidence.sendReceipt(session, left, RECEIPT));
    taken(await evidence.claimPaid(merchant, session, left, freshReference()));
    expect((await stored(session, left)).state).toBe("pending");
    taken(await staff.confirmDeposit(merchant, ana, left, php(50_000n), left));
    expect(await available(session)).toBe(50_000n);
  });

  it("that is claimed while expired ones are being closed stays open", async () => {
    const session = await player(0n);
    const id = await openedByHand(session, 50_000n);
    clock.advance(DAY_MS);
    const claim = await db.pool.connect();
    await claim.query("BEGIN");
    await cashier.awaitOperator(claim, await stored(session, id));
    const closing = cashier.expire();
    await sleep(200);
    await claim.query("COMMIT");
    claim.release();
    await closing;
    expect((await stored(session, id)).state).toBe("pending");
  });

  it("that expired although it was claimed waits for an operator again once it is claimed again", async () => {
    const session = await player(0n);
    const reference = freshReference();
    const id = await claimed(session, 50_000n, reference);
    await db.pool.query("UPDATE deposits SET state = 'expired' WHERE id = $1", [id]);
    expect(taken(await evidence.claimPaid(merchant, session, id, reference)).state).toBe("pending");
    expect(taken(await evidence.claimPaid(merchant, session, id, reference)).state).toBe("pending");
  });

  it("whose process died after the operator's word is credited by the sweep, even days later", async () => {
    const session = await player(0n);
    const id = await claimed(session, 50_000n);
    clock.advance(5 * DAY_MS);
    await sweep();
    await db.pool.query(
      `UPDATE manual_deposits SET decision = 'confirmed', received_minor = 50000, decided_at = now()
       WHERE deposit_id = $1`,
      [id],
    );
    await db.pool.query("UPDATE deposits SET look_at = created_at WHERE id = $1", [id]);
    // A sweep that dies as it takes the deposit leaves it to a later one.
    expect(await takeDueDeposits(db.pool, clock.now(), 1_000)).not.toEqual([]);
    clock.advance(2 * HOUR_MS);
    await sweep();
    expect((await stored(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(50_000n);
  });

  it("that expired before an operator refused it has failed, and says why", async () => {
    const session = await player(0n);
    const id = await openedByHand(session, 50_000n);
    clock.advance(DAY_MS);
    await cashier.expire();
    const refused = await staff.refuseDeposit(merchant, ana, id, "Nothing came");
    expect(taken(refused)).toEqual({ id, state: "failed" });
    expect((await stored(session, id)).reason).toBe("Nothing came");
  });

  it("is listed by pages, longest waiting first, without a gap or a repeat", async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => player(0n)));
    const ids: string[] = [];
    for (const [i, session] of sessions.entries()) {
      if (i === 3) clock.advance(MINUTE_MS);
      ids.push(await claimed(session, 50_000n));
    }
    const seen: string[] = [];
    for (let after: { at: number; id: string } | null = null; ; ) {
      const page = await staff.waitingDeposits(merchant, { after, limit: 2 });
      seen.push(...page.map((row) => row.deposit_id));
      const last = page.at(-1);
      if (last === undefined) break;
      after = { at: last.sent_at.getTime(), id: last.deposit_id };
    }
    expect(new Set(seen).size).toBe(seen.length);
    const own = seen.filter((id) => ids.includes(id));
    expect([...own].sort()).toEqual([...ids].sort());
    expect(new Set(own.slice(3))).toEqual(new Set(ids.slice(3)));
  });

  it("of another brand is hidden from an operator", async () => {
    const elsewhere = await makeBrand(db.pool, clock);
    const stranger = await employ("Cara", ["deposits"], elsewhere);
    const session = await player(0n);
    const id = await claimed(session, 50_000n);
    const answers = [
      await staff.confirmDeposit(elsewhere, stranger, id, php(50_000n), id),
      await staff.refuseDeposit(elsewhere, stranger, id, "Not ours"),
      await staff.receipt(elsewhere, id),
    ];
    expect(answers.map(codeOf)).toEqual(["not_found", "not_found", "not_found"]);
    expect(await staff.waitingDeposits(elsewhere, { after: null, limit: 50 })).toEqual([]);
    expect(await available(session)).toBe(0n);
  });
});

describe("a pay-out by hand", () => {
  it("is claimed by one operator only, even if many try at once", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 50_000n);
    const answers = await Promise.all(
      [ana, ben, ana, ben].map((act) => staff.claim(merchant, act, id)),
    );
    const codes = answers.map(codeOf);
    expect(codes.filter((code) => code === "ok")).toHaveLength(2);
    expect(codes.filter((code) => code === "claimed_by_another")).toHaveLength(2);
    const loser = answers[0]?.ok === true ? ben : ana;
    expect(codeOf(await staff.markPaid(merchant, loser, id, "BPI-000001"))).toBe(
      "claimed_by_another",
    );
    expect(codeOf(await staff.markFailed(merchant, loser, id, "No such number"))).toBe(
      "claimed_by_another",
    );
    expect((await withdrawal(session, id)).state).toBe("sent");
  });

  it("up to the brand's amount is paid by the word of one, once", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 100_000n);
    expect(codeOf(await staff.markPaid(merchant, ana, id, "BPI-100001"))).toBe("wrong_state");
    taken(await staff.claim(merchant, ana, id));
    const marked = [1, 2, 3].map(() => staff.markPaid(merchant, ana, id, "BPI-100001"));
    for (const answer of await Promise.all(marked)) expect(taken(answer).state).toBe("paid");
    expect((await withdrawal(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(900_000n);
    expect(await actionsOn(id)).toEqual(["Ana: payout.claim", "Ana: payout.paid"]);
    expect(codeOf(await staff.markFailed(merchant, ana, id, "Changed my mind"))).toBe(
      "wrong_state",
    );
  });

  it("above it is paid when another confirms, and never by the one who marked it", async () => {
    const session = await player(1_000_000n);
    const both = await employ("Dina", ["payouts", "payouts.confirm"]);
    const id = await queued(session, 100_001n);
    taken(await staff.claim(merchant, both, id));
    expect(taken(await staff.markPaid(merchant, both, id, "BPI-200001")).state).toBe("marked");
    clock.advance(HOUR_MS);
    await sweep();
    expect((await withdrawal(session, id)).state).toBe("sent");
    expect(codeOf(await staff.confirmPayout(merchant, both, id, "paid"))).toBe(
      "second_person_needed",
    );
    expect(taken(await staff.confirmPayout(merchant, ben, id, "paid")).state).toBe("paid");
    expect(taken(await staff.confirmPayout(merchant, ben, id, "paid")).state).toBe("paid");
    expect((await withdrawal(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(899_999n);
    expect(await actionsOn(id)).toEqual([
      "Dina: payout.claim",
      "Dina: payout.paid",
      "Ben: payout.confirm",
    ]);
  });

  it("is confirmed by another person, and one who returns under the same name is the same person", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 200_000n);
    const fe = await employ("Fe", ["payouts"]);
    taken(await staff.claim(merchant, fe, id));
    taken(await staff.markPaid(merchant, fe, id, "BPI-600001"));
    await operators.revoke(merchant.id, "fe");
    const again = await employ("FE", ["payouts", "payouts.confirm"]);
    expect(codeOf(await staff.confirmPayout(merchant, again, id, "paid"))).toBe(
      "second_person_needed",
    );
    const third = await operators.add(merchant.id, {
      name: "Fe",
      permissions: ["payouts"],
      days: 1,
    });
    expect(codeOf(third)).toBe("name taken");
    const said = await staff.markPaid(merchant, again, id, "BPI-600001");
    expect(taken(said).state).toBe("marked");
    expect(taken(await staff.confirmPayout(merchant, ben, id, "paid")).state).toBe("paid");
  });

  it("that was marked in error goes back to the operator who marked it, with the bank's number free", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 200_000n);
    taken(await staff.claim(merchant, ana, id));
    taken(await staff.markPaid(merchant, ana, id, "BPI-300001"));
    expect(codeOf(await staff.returnPayout(merchant, ana, id, "Mine"))).toBe(
      "second_person_needed",
    );
    taken(await staff.returnPayout(merchant, ben, id, "The bank knows no such transfer"));
    taken(await staff.markPaid(merchant, ana, id, "BPI-300001"));
    taken(await staff.confirmPayout(merchant, ben, id, "paid"));
    expect((await withdrawal(session, id)).state).toBe("paid");
  });

  it("cannot be marked under a bank's number that paid another", async () => {
    const session = await player(1_000_000n);
    const [one, two] = [await queued(session, 50_000n), await queued(session, 50_000n)];
    for (const id of [one, two]) taken(await staff.claim(merchant, ana, id));
    taken(await staff.markPaid(merchant, ana, one, "BPI-400001"));
    expect(codeOf(await staff.markPaid(merchant, ana, two, "bpi 400001"))).toBe(
      "bankReference taken",
    );
    expect((await withdrawal(session, two)).state).toBe("sent");
  });

  it("that cannot be made gives the money back and tells the player why", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 50_000n);
    taken(await staff.claim(merchant, ana, id));
    taken(await staff.markFailed(merchant, ana, id, "Walang ganitong numero"));
    taken(await staff.markFailed(merchant, ana, id, "Walang ganitong numero"));
    expect(await withdrawal(session, id)).toMatchObject({
      state: "failed",
      reason: "Walang ganitong numero",
    });
    expect(await available(session)).toBe(1_000_000n);
    expect(codeOf(await staff.markPaid(merchant, ana, id, "BPI-500001"))).toBe("wrong_state");
  });

  it("is released by its claimer or by one who may confirm, and by nobody else", async () => {
    const session = await player(1_000_000n);
    const [own, left] = [await queued(session, 10_000n), await queued(session, 10_000n)];
    const eve = await employ("Eve", ["payouts"]);
    taken(await staff.claim(merchant, ana, own));
    expect(codeOf(await staff.release(merchant, eve, own))).toBe("claimed_by_another");
    taken(await staff.release(merchant, ana, own));
    taken(await staff.claim(merchant, eve, own));
    taken(await staff.claim(merchant, eve, left));
    for (let times = 0; times < 2; times++) taken(await staff.release(merchant, ben, left));
    const waiting = await staff.waitingPayouts(merchant, { after: null, limit: 50 });
    expect(waiting.find((one) => one.withdrawal_id === left)).toMatchObject({
      state: "queued",
      claimer: null,
    });
  });

  it("whose process died after the operator's word is ended by the sweep", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 50_000n);
    taken(await staff.claim(merchant, ana, id));
    await db.pool.query(
      "UPDATE manual_payouts SET state = 'paid', ended_at = now() WHERE withdrawal_id = $1",
      [id],
    );
    await loseJobs();
    clock.advance(5 * MINUTE_MS);
    await sweep();
    expect((await withdrawal(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(950_000n);
  });
});

describe("the record of what operators did", () => {
  it("is permanent: no row of it can be changed or deleted", async () => {
    for (const change of [
      "UPDATE operator_actions SET action = 'nothing'",
      "DELETE FROM operator_actions",
      "TRUNCATE operator_actions",
    ]) {
      await expect(db.pool.query(change)).rejects.toThrow("append-only");
    }
  });

  it("names the approval and the rejection of a withdrawal, and the player reads the reason", async () => {
    const session = await player(90_000_000n);
    const [one, two] = await Promise.all(
      [1, 2].map(async () => taken(await withdraw(session, 5_000_000n, { method: "bank" }))),
    );
    await cashier.approve(one?.id ?? "", ana);
    await cashier.reject(two?.id ?? "", { act: ben, reason: "Ask support" });
    expect(await actionsOn(one?.id ?? "")).toEqual(["Ana: withdrawal.approve"]);
    expect(await actionsOn(two?.id ?? "")).toEqual(["Ben: withdrawal.reject"]);
    expect(await withdrawal(session, two?.id ?? "")).toMatchObject({
      state: "rejected",
      reason: "Ask support",
    });
    await runJobs();
  });
});

function otherPicture(): Buffer {
  return createCanvas(9, 9).toBuffer("image/png");
}
