import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { php } from "../../../../../tests/server/cashier-harness.ts";
import { makeBrand } from "../../../../../tests/server/fixtures.ts";
import { openManualCashier } from "../../../../../tests/server/manual-cashier.ts";
import type { Act } from "../operators/operators.ts";
import { takeDue } from "./due-payments.store.ts";

const harness = await openManualCashier("manual payments");
const { actionsOn, ana, available, ben, cashier, claimed, clock, codeOfOneMore, db } = harness;
const { employ, evidence, fresh, freshReference, ledger, loseJobs, merchant } = harness;
const { openedByHand, operators, otherPicture, player, queued, RECEIPT, runJobs, staff } = harness;
const { stored, sweep, withdraw, withdrawal } = harness;

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

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
    expect(codeOf(await cashier.deposits.open(merchant, session, given))).toBe(
      "method not_allowed",
    );
  });

  it("whose account was removed before it was opened has failed, and one that was shown stays open", async () => {
    const session = await player(0n);
    const { settings } = merchant;
    const cashierOnly = { ...settings.cashier, houseAccounts: [] };
    const without = { ...merchant, settings: { ...settings, cashier: cashierOnly } };
    const given = { id: fresh("deposit"), method: "bank", amount: php(50_000n) };
    const shown = { ...given, id: fresh("deposit") };
    for (const one of [given, shown]) taken(await cashier.deposits.open(merchant, session, one));
    // As a process leaves them that dies on the way.
    const ids = [given.id, shown.id];
    await db.pool.query("UPDATE deposits SET pay_url = NULL WHERE id = ANY ($1)", [ids]);
    await db.pool.query("DELETE FROM manual_deposits WHERE deposit_id = $1", [given.id]);
    for (const _time of ["first", "again"]) {
      expect(taken(await cashier.deposits.open(without, session, given)).state).toBe("failed");
    }
    const { pay_url } = taken(await cashier.deposits.open(without, session, shown));
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
        staff.deposits.confirm(merchant, act, id, php(came), id),
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
      const other = await staff.deposits.confirm(merchant, ana, id, php(came + 1n), id);
      expect(codeOf(other)).toBe("wrong_state");
      expect(codeOf(await staff.deposits.refuse(merchant, ana, id, "Not there"))).toBe(
        "wrong_state",
      );
      expect(await available(session)).toBe(came);
    },
  );

  it("that is confirmed and refused at once ends in one way", async () => {
    const session = await player(0n);
    for (let i = 0; i < 5; i++) {
      const before = await available(session);
      const id = await claimed(session, 50_000n);
      const [confirmed, refused] = await Promise.all([
        staff.deposits.confirm(merchant, ana, id, php(50_000n), id),
        staff.deposits.refuse(merchant, ben, id, "Nothing came"),
      ]);
      expect(confirmed.ok).not.toBe(refused.ok);
      expect(await available(session)).toBe(before + (confirmed.ok ? 50_000n : 0n));
      expect((await stored(session, id)).state).toBe(confirmed.ok ? "paid" : "failed");
    }
  });

  it("that is refused tells the player why, for good", async () => {
    const session = await player(0n);
    const id = await claimed(session, 50_000n);
    taken(await staff.deposits.refuse(merchant, ana, id, "Walang dumating na pera"));
    taken(await staff.deposits.refuse(merchant, ana, id, "Walang dumating na pera"));
    expect(await stored(session, id)).toMatchObject({
      state: "failed",
      reason: "Walang dumating na pera",
    });
    const late = await staff.deposits.confirm(merchant, ana, id, php(50_000n), id);
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
    const waiting = await staff.deposits.waiting(merchant, { after: null, limit: 50 });
    expect(waiting.find(({ deposit_id }) => deposit_id === first)?.flagged).toBe(true);
    taken(await evidence.claimPaid(merchant, two, second, freshReference()));
    const now = await staff.deposits.waiting(merchant, { after: null, limit: 50 });
    expect(now.find(({ deposit_id }) => deposit_id === second)?.flagged).toBe(true);
    // Once refused, the first frees the number for the player who really sent the money.
    taken(await staff.deposits.refuse(merchant, ana, first, "Not the sender"));
    const third = await openedByHand(two, 50_000n);
    taken(await evidence.sendReceipt(two, third, RECEIPT));
    taken(await evidence.claimPaid(merchant, two, third, "GC 1111 222333"));
  });

  it("keeps each number that was given for it, so that one transfer never pays two deposits", async () => {
    const [one, two] = [await player(0n), await player(0n)];
    const first = await claimed(one, 50_000n, "GC 2222 333444");
    taken(await evidence.claimPaid(merchant, one, first, "GC 2222 333445"));
    taken(await staff.deposits.confirm(merchant, ana, first, php(50_000n), first));
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
    expect(codeOf(await staff.deposits.confirm(merchant, ana, id, php(50_000n), id))).toBe(
      "wrong_state",
    );
    expect(await available(session)).toBe(0n);
  });

  it("above the brand's amount is credited when two operators say the same, and not before", async () => {
    const session = await player(0n);
    const id = await claimed(session, 50_000n);
    const say = async (act: Act, minor: bigint) =>
      taken(await staff.deposits.confirm(merchant, act, id, php(minor), id)).state;
    for (let times = 0; times < 2; times++) expect(await say(ana, 1_000_001n)).toBe("counted");
    expect(await say(ben, 2_000_000n)).toBe("counted");
    expect(await say(ben, 2_000_000n)).toBe("counted");
    expect(await available(session)).toBe(0n);
    const waiting = await staff.deposits.waiting(merchant, { after: null, limit: 100 });
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
      taken(await staff.deposits.confirm(merchant, act, id, php(2_000_000n), id)).state;
    expect(await say(ana)).toBe("counted");
    // The same picture sent again shows nothing new.
    taken(await evidence.sendReceipt(session, id, RECEIPT));
    taken(await evidence.sendReceipt(session, id, otherPicture()));
    expect(await say(ben)).toBe("counted");
    expect(await available(session)).toBe(0n);
    const waiting = await staff.deposits.waiting(merchant, { after: null, limit: 100 });
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
    await cashier.deposits.expire();
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
    taken(await staff.deposits.confirm(merchant, ana, first, php(50_000n), first));
    const codes = await claimLate();
    expect(codes.filter((code) => code === "ok")).toHaveLength(1);
    expect(codes.filter((code) => code === "too_many_open")).toHaveLength(openMax - 1);
    const rows = await cashier.deposits.list(session, { before: null, limit: 50 });
    const open = rows.filter(({ state }) => state === "created" || state === "pending");
    expect(open).toHaveLength(openMax);
    // Each decision makes room for another.
    for (const id of others) taken(await staff.deposits.refuse(merchant, ana, id, "Not sent"));
    expect(new Set(await claimLate())).toEqual(new Set(["ok"]));
  });

  it("takes no room if a session opened it that its owner ended, or one from before a new password", async () => {
    const { openMax } = merchant.settings.cashier;
    for (const how of ["ended", "logged out"]) {
      const own = await player(0n);
      const strange = await harness.another(own);
      for (let i = 0; i < openMax; i++) await claimed(strange, 50_000n);
      clock.advance(DAY_MS);
      await cashier.deposits.expire();
      expect(await codeOfOneMore(own)).toBe("too_many_open");
      if (how === "ended") await harness.sessions.shutOut(strange.id);
      else {
        await harness.sessions.end(strange.id);
        expect(await codeOfOneMore(own)).toBe("too_many_open");
        await harness.newPassword(own);
      }
      const id = await claimed(own, 50_000n);
      taken(await staff.deposits.confirm(merchant, ana, id, php(50_000n), id));
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
    await cashier.deposits.expire();
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
    const all = await cashier.deposits.list(own, { before: null, limit: 100 });
    expect(all).toHaveLength(4 * openMax);
    taken(await staff.deposits.refuse(merchant, ana, all[0]?.id ?? "", "Not sent"));
    expect(await codeOfOneMore(own)).toBe("ok");
    expect(await codeOfOneMore(own)).toBe("too_many_open");
    clock.advance(MINUTE_MS);
    await harness.newPassword(own);
    expect(await codeOfOneMore(own)).toBe("ok");
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
    expect(await takeDue(db.pool, "deposits", clock.now(), 1_000)).not.toEqual([]);
    clock.advance(2 * HOUR_MS);
    await sweep();
    expect((await stored(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(50_000n);
  });

  it("that expired before an operator refused it has failed, and says why", async () => {
    const session = await player(0n);
    const id = await openedByHand(session, 50_000n);
    clock.advance(DAY_MS);
    await cashier.deposits.expire();
    const refused = await staff.deposits.refuse(merchant, ana, id, "Nothing came");
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
      const page = await staff.deposits.waiting(merchant, { after, limit: 2 });
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
      await staff.deposits.confirm(elsewhere, stranger, id, php(50_000n), id),
      await staff.deposits.refuse(elsewhere, stranger, id, "Not ours"),
      await staff.deposits.receipt(elsewhere, id),
    ];
    expect(answers.map(codeOf)).toEqual(["not_found", "not_found", "not_found"]);
    expect(await staff.deposits.waiting(elsewhere, { after: null, limit: 50 })).toEqual([]);
    expect(await available(session)).toBe(0n);
  });
});

describe("a pay-out by hand", () => {
  it("is claimed by one operator only, even if many try at once", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 50_000n);
    const answers = await Promise.all(
      [ana, ben, ana, ben].map((act) => staff.withdrawals.claim(merchant, act, id)),
    );
    const codes = answers.map(codeOf);
    expect(codes.filter((code) => code === "ok")).toHaveLength(2);
    expect(codes.filter((code) => code === "claimed_by_another")).toHaveLength(2);
    const loser = answers[0]?.ok === true ? ben : ana;
    expect(codeOf(await staff.withdrawals.markPaid(merchant, loser, id, "BPI-000001"))).toBe(
      "claimed_by_another",
    );
    expect(codeOf(await staff.withdrawals.markFailed(merchant, loser, id, "No such number"))).toBe(
      "claimed_by_another",
    );
    expect((await withdrawal(session, id)).state).toBe("sent");
  });

  it("up to the brand's amount is paid by the word of one, once", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 100_000n);
    expect(codeOf(await staff.withdrawals.markPaid(merchant, ana, id, "BPI-100001"))).toBe(
      "wrong_state",
    );
    taken(await staff.withdrawals.claim(merchant, ana, id));
    const marked = [1, 2, 3].map(() => staff.withdrawals.markPaid(merchant, ana, id, "BPI-100001"));
    for (const answer of await Promise.all(marked)) expect(taken(answer).state).toBe("paid");
    expect((await withdrawal(session, id)).state).toBe("paid");
    expect(await available(session)).toBe(900_000n);
    expect(await actionsOn(id)).toEqual(["Ana: payout.claim", "Ana: payout.paid"]);
    expect(codeOf(await staff.withdrawals.markFailed(merchant, ana, id, "Changed my mind"))).toBe(
      "wrong_state",
    );
  });

  it("above it is paid when another confirms, and never by the one who marked it", async () => {
    const session = await player(1_000_000n);
    const both = await employ("Dina", ["payouts", "payouts.confirm"]);
    const id = await queued(session, 100_001n);
    taken(await staff.withdrawals.claim(merchant, both, id));
    expect(taken(await staff.withdrawals.markPaid(merchant, both, id, "BPI-200001")).state).toBe(
      "marked",
    );
    clock.advance(HOUR_MS);
    await sweep();
    expect((await withdrawal(session, id)).state).toBe("sent");
    expect(codeOf(await staff.withdrawals.confirmPayout(merchant, both, id, "paid"))).toBe(
      "second_person_needed",
    );
    expect(taken(await staff.withdrawals.confirmPayout(merchant, ben, id, "paid")).state).toBe(
      "paid",
    );
    expect(taken(await staff.withdrawals.confirmPayout(merchant, ben, id, "paid")).state).toBe(
      "paid",
    );
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
    taken(await staff.withdrawals.claim(merchant, fe, id));
    taken(await staff.withdrawals.markPaid(merchant, fe, id, "BPI-600001"));
    await operators.revoke(merchant.id, "fe");
    const again = await employ("FE", ["payouts", "payouts.confirm"]);
    expect(codeOf(await staff.withdrawals.confirmPayout(merchant, again, id, "paid"))).toBe(
      "second_person_needed",
    );
    const third = await operators.add(merchant.id, {
      name: "Fe",
      permissions: ["payouts"],
      days: 1,
    });
    expect(codeOf(third)).toBe("name taken");
    const said = await staff.withdrawals.markPaid(merchant, again, id, "BPI-600001");
    expect(taken(said).state).toBe("marked");
    expect(taken(await staff.withdrawals.confirmPayout(merchant, ben, id, "paid")).state).toBe(
      "paid",
    );
  });

  it("that was marked in error goes back to the operator who marked it, with the bank's number free", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 200_000n);
    taken(await staff.withdrawals.claim(merchant, ana, id));
    taken(await staff.withdrawals.markPaid(merchant, ana, id, "BPI-300001"));
    expect(codeOf(await staff.withdrawals.returnPayout(merchant, ana, id, "Mine"))).toBe(
      "second_person_needed",
    );
    taken(
      await staff.withdrawals.returnPayout(merchant, ben, id, "The bank knows no such transfer"),
    );
    taken(await staff.withdrawals.markPaid(merchant, ana, id, "BPI-300001"));
    taken(await staff.withdrawals.confirmPayout(merchant, ben, id, "paid"));
    expect((await withdrawal(session, id)).state).toBe("paid");
  });

  it("cannot be marked under a bank's number that paid another", async () => {
    const session = await player(1_000_000n);
    const [one, two] = [await queued(session, 50_000n), await queued(session, 50_000n)];
    for (const id of [one, two]) taken(await staff.withdrawals.claim(merchant, ana, id));
    taken(await staff.withdrawals.markPaid(merchant, ana, one, "BPI-400001"));
    expect(codeOf(await staff.withdrawals.markPaid(merchant, ana, two, "bpi 400001"))).toBe(
      "bankReference taken",
    );
    expect((await withdrawal(session, two)).state).toBe("sent");
  });

  it("that cannot be made gives the money back and tells the player why", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 50_000n);
    taken(await staff.withdrawals.claim(merchant, ana, id));
    taken(await staff.withdrawals.markFailed(merchant, ana, id, "Walang ganitong numero"));
    taken(await staff.withdrawals.markFailed(merchant, ana, id, "Walang ganitong numero"));
    expect(await withdrawal(session, id)).toMatchObject({
      state: "failed",
      reason: "Walang ganitong numero",
    });
    expect(await available(session)).toBe(1_000_000n);
    expect(codeOf(await staff.withdrawals.markPaid(merchant, ana, id, "BPI-500001"))).toBe(
      "wrong_state",
    );
  });

  it("is released by its claimer or by one who may confirm, and by nobody else", async () => {
    const session = await player(1_000_000n);
    const [own, left] = [await queued(session, 10_000n), await queued(session, 10_000n)];
    const eve = await employ("Eve", ["payouts"]);
    taken(await staff.withdrawals.claim(merchant, ana, own));
    expect(codeOf(await staff.withdrawals.release(merchant, eve, own))).toBe("claimed_by_another");
    taken(await staff.withdrawals.release(merchant, ana, own));
    taken(await staff.withdrawals.claim(merchant, eve, own));
    taken(await staff.withdrawals.claim(merchant, eve, left));
    for (let times = 0; times < 2; times++)
      taken(await staff.withdrawals.release(merchant, ben, left));
    const waiting = await staff.withdrawals.waitingPayouts(merchant, { after: null, limit: 50 });
    expect(waiting.find((one) => one.withdrawal_id === left)).toMatchObject({
      state: "queued",
      claimer: null,
    });
  });

  it("whose process died after the operator's word is ended by the sweep", async () => {
    const session = await player(1_000_000n);
    const id = await queued(session, 50_000n);
    taken(await staff.withdrawals.claim(merchant, ana, id));
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
    await cashier.withdrawals.approve(one?.id ?? "", ana);
    await cashier.withdrawals.reject(two?.id ?? "", { act: ben, reason: "Ask support" });
    expect(await actionsOn(one?.id ?? "")).toEqual(["Ana: withdrawal.approve"]);
    expect(await actionsOn(two?.id ?? "")).toEqual(["Ben: withdrawal.reject"]);
    expect(await withdrawal(session, two?.id ?? "")).toMatchObject({
      state: "rejected",
      reason: "Ask support",
    });
    await runJobs();
  });
});
