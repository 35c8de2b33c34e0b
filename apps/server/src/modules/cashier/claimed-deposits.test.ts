import { setTimeout as sleep } from "node:timers/promises";
import { fieldRefusal } from "@perya/contract/refusal";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { php } from "../../../../../tests/server/cashier-harness.ts";
import { openManualCashier } from "../../../../../tests/server/manual-cashier.ts";
import { itOfOneServer } from "../../../../../tests/setup/one-server.ts";
import { DAY_MAX_BYTES, NO_CALL } from "../../platform/kept-pictures.ts";

const harness = await openManualCashier("claimed deposits");
const { ana, available, cashier, claimed, clock, db, evidence, freshReference, ledger } = harness;
const { merchant, openedByHand, otherPicture, player, RECEIPT, staff, stored } = harness;

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

describe("a deposit by hand", () => {
  itOfOneServer("a broken server")(
    "is claimed as paid and waits for an operator in one step",
    async () => {
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
    },
  );

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
    taken(await staff.deposits.confirm(merchant, ana, decided, php(50_000n), decided));
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
    await cashier.deposits.expire();
    expect((await stored(session, waits)).state).toBe("pending");
    expect((await stored(session, left)).state).toBe("expired");
    taken(await evidence.sendReceipt(session, left, RECEIPT));
    taken(await evidence.claimPaid(merchant, session, left, freshReference()));
    expect((await stored(session, left)).state).toBe("pending");
    taken(await staff.deposits.confirm(merchant, ana, left, php(50_000n), left));
    expect(await available(session)).toBe(50_000n);
  });

  it("that is claimed while expired ones are being closed stays open", async () => {
    const session = await player(0n);
    const id = await openedByHand(session, 50_000n);
    clock.advance(DAY_MS);
    const claim = await db.pool.connect();
    await claim.query("BEGIN");
    await cashier.deposits.awaitOperator(claim, await stored(session, id));
    const closing = cashier.deposits.expire();
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
});
