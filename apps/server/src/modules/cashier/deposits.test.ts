import { HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import { makeBrand, makeMember } from "../../../../../tests/server/fixtures.ts";
import { ProviderUnavailable } from "./provider.ts";

const harness = await openCashierHarness("deposits");
const { alarms, available, callBack, cashier, clock, db, event, fresh, ledger, merchant } = harness;
const { opened, player, runJobs, sandbox, setOutage, stored, told } = harness;

beforeEach(() => {
  told.length = 0;
  setOutage(null);
});

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

describe("a deposit", () => {
  it("goes from created over pending to paid, and the money is there once", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    const created = await stored(session, id);
    expect(created).toMatchObject({ state: "created", amount_minor: 50_000n });
    expect(created.pay_url).toMatch(/^https:\/\/perya\.test\/pay\/sandbox\/sbx_/);

    expect(await cashier.deposits.hasPaidIn(session)).toBe(false);
    expect(await sandbox.decide(referenceOf(created.pay_url), "paid")).toBe(true);
    expect(await sandbox.decide(referenceOf(created.pay_url), "failed")).toBe(false);
    await runJobs();
    expect(await cashier.deposits.hasPaidIn(session)).toBe(true);
    expect(await stored(session, id)).toMatchObject({ state: "paid" });
    expect(told).toEqual([session.memberId, session.memberId]);
    expect(await available(session)).toBe(50_000n);
  });

  it("leads to a pay page and back to the player's own brand, at that brand's own address", async () => {
    const settings = { domains: ["fiesta.test"] };
    const fiesta = await makeBrand(harness.db.pool, clock, { settings });
    for (const [brand, address] of [
      [merchant, "https://perya.test"],
      [fiesta, "https://fiesta.test"],
    ] as const) {
      const session = await makeMember({ pool: harness.db.pool, ledger, clock }, brand);
      const given = { id: fresh("deposit"), method: "gwallet", amount: php(50_000n) };
      const { pay_url } = taken(await cashier.deposits.open(brand, session, given));
      expect(pay_url?.startsWith(`${address}/pay/sandbox/sbx_`)).toBe(true);
      const payment = await sandbox.find(referenceOf(pay_url));
      expect(payment?.return_url).toBe(`${address}/m/voucherCenter?deposit=${given.id}`);
      expect(payment?.label).toBe(brand.name);
    }
  });

  it("that the player declined fails and moves nothing", async () => {
    const session = await player(0n);
    const { id, payUrl } = await opened(session, 50_000n);
    await sandbox.decide(referenceOf(payUrl), "failed");
    await runJobs();
    expect(await stored(session, id)).toMatchObject({ state: "failed", paid_at: null });
    expect(await available(session)).toBe(0n);
  });

  it("sent again answers the same deposit; with another amount or method it is refused", async () => {
    const session = await player(0n);
    const given = { id: fresh("deposit"), method: "gwallet", amount: php(50_000n) };
    const sent = Array.from({ length: 8 }, () => cashier.deposits.open(merchant, session, given));
    const answers = (await Promise.all(sent)).map(taken);
    expect(new Set(answers.map((row) => row.pay_url)).size).toBe(1);
    const amount = { ...given, amount: php(60_000n) };
    expect(codeOf(await cashier.deposits.open(merchant, session, amount))).toBe("id_reused");
    const method = { ...given, method: "mwallet" };
    expect(codeOf(await cashier.deposits.open(merchant, session, method))).toBe("id_reused");
    expect(await cashier.deposits.list(session, { before: null, limit: 10 })).toHaveLength(1);
  });

  it("under one id with two amounts at once is one deposit; the other is refused", async () => {
    const session = await player(0n);
    const id = fresh("deposit");
    const codes = await Promise.all(
      [50_000n, 60_000n, 50_000n, 60_000n].map(async (minor) =>
        codeOf(
          await cashier.deposits.open(merchant, session, {
            id,
            method: "gwallet",
            amount: php(minor),
          }),
        ),
      ),
    );
    expect(codes.sort()).toEqual(["id_reused", "id_reused", "ok", "ok"]);
  });

  it("with the id of another player's is refused, so no payment has two owners", async () => {
    const { id } = await opened(await player(0n), 50_000n);
    const given = { id, method: "gwallet", amount: php(50_000n) };
    expect(codeOf(await cashier.deposits.open(merchant, await player(0n), given))).toBe(
      "id_reused",
    );
  });

  it("with one id from two players at the same moment is one player's payment only", async () => {
    const players = await Promise.all([player(0n), player(0n), player(0n), player(0n)]);
    const id = fresh("deposit");
    const given = { id, method: "gwallet", amount: php(50_000n) };
    const codes = await Promise.all(
      players.map(async (one) => codeOf(await cashier.deposits.open(merchant, one, given))),
    );
    expect(codes.sort()).toEqual(["id_reused", "id_reused", "id_reused", "ok"]);
  });

  it("must fit the method's limits, the wallet's currency and the number of open ones", async () => {
    const session = await player(0n);
    const send = (minor: bigint, change = {}) =>
      cashier.deposits.open(merchant, session, {
        id: fresh("deposit"),
        method: "gwallet",
        amount: php(minor),
        ...change,
      });
    const fault = { field: "amount.minor", unit: "PHP" };
    expect(await send(9_999n)).toMatchObject({
      error: { fields: [{ ...fault, code: "too_small", limit: "10000" }] },
    });
    expect(await send(5_000_001n)).toMatchObject({
      error: { fields: [{ ...fault, code: "too_big", limit: "5000000" }] },
    });
    expect(codeOf(await send(50_000n, { method: "nothing" }))).toBe("method not_allowed");
    const fun = { amount: { minor: 50_000n, currency: "FUN" } };
    expect(codeOf(await send(50_000n, fun))).toBe("amount.currency foreign_currency");
    for (let i = 0; i < merchant.settings.cashier.openMax; i++) taken(await send(50_000n));
    expect(codeOf(await send(50_000n))).toBe("too_many_open");
  });

  it("is never one too many if many are opened at the same moment", async () => {
    const session = await player(0n);
    const { openMax } = merchant.settings.cashier;
    const codes = await Promise.all(
      Array.from({ length: 20 }, async () =>
        codeOf(
          await cashier.deposits.open(merchant, session, {
            id: fresh("deposit"),
            method: "gwallet",
            amount: php(50_000n),
          }),
        ),
      ),
    );
    expect(codes.filter((code) => code === "ok")).toHaveLength(openMax);
    expect(codes.filter((code) => code === "too_many_open")).toHaveLength(20 - openMax);
    expect(await cashier.deposits.list(session, { before: null, limit: 20 })).toHaveLength(openMax);
    // The refused ones leave nothing, not even the claims on their ids.
    const { rowCount } = await db.pool.query("SELECT FROM payment_ids WHERE account_id = $1", [
      harness.walletOf(session).id,
    ]);
    expect(rowCount).toBe(openMax);
  });

  it("that fills the limit and is sent many times at once is answered each time", async () => {
    const session = await player(0n);
    for (let i = 1; i < merchant.settings.cashier.openMax; i++) await opened(session, 50_000n);
    const last = { id: fresh("deposit"), method: "gwallet", amount: php(50_000n) };
    const sent = Array.from({ length: 8 }, () => cashier.deposits.open(merchant, session, last));
    for (const answer of await Promise.all(sent)) expect(taken(answer).id).toBe(last.id);
  });

  it("waits for a provider that did not answer, and opens if it is sent again", async () => {
    const session = await player(0n);
    const given = { id: fresh("deposit"), method: "gwallet", amount: php(50_000n) };
    setOutage(() => {
      throw new ProviderUnavailable("no answer");
    });
    expect(codeOf(await cashier.deposits.open(merchant, session, given))).toBe(
      "provider_unavailable",
    );
    setOutage(null);
    expect(taken(await cashier.deposits.open(merchant, session, given)).pay_url).not.toBeNull();
  });

  it("that no provider took blocks its player's others for a minute at most, up to four times the limit", async () => {
    const session = await player(0n);
    const { openMax } = merchant.settings.cashier;
    const open = async () => {
      const given = { id: fresh("deposit"), method: "gwallet", amount: php(50_000n) };
      return codeOf(await cashier.deposits.open(merchant, session, given));
    };
    for (let minutes = 0; minutes < 4; minutes++) {
      setOutage(() => {
        throw new ProviderUnavailable("no answer");
      });
      for (let i = 0; i < openMax; i++) expect(await open()).toBe("provider_unavailable");
      setOutage(null);
      if (minutes < 3) expect(await open()).toBe("too_many_open");
      clock.advance(MINUTE_MS);
    }
    expect(await open()).toBe("too_many_open");
    clock.advance(merchant.settings.cashier.depositMinutes * MINUTE_MS);
    await cashier.deposits.expire();
    // One that was taken counts for as long as it is open.
    for (let i = 0; i < openMax; i++) expect(await open()).toBe("ok");
    clock.advance(2 * MINUTE_MS);
    expect(await open()).toBe("too_many_open");
  });

  it("that no provider took, by a clock that was ahead, blocks no other of its player's", async () => {
    const session = await player(0n);
    const open = async () => {
      const given = { id: fresh("deposit"), method: "gwallet", amount: php(50_000n) };
      return codeOf(await cashier.deposits.open(merchant, session, given));
    };
    clock.advance(HOUR_MS);
    setOutage(() => {
      throw new ProviderUnavailable("no answer");
    });
    for (let i = 0; i < merchant.settings.cashier.openMax; i++) {
      expect(await open()).toBe("provider_unavailable");
    }
    setOutage(null);
    clock.advance(-HOUR_MS);
    expect(await open()).toBe("ok");
  });

  it("expires unpaid, and a late payment still counts", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    clock.advance(merchant.settings.cashier.depositMinutes * MINUTE_MS + 1);
    await cashier.deposits.expire();
    expect(await stored(session, id)).toMatchObject({ state: "expired" });
    expect(await callBack(event("deposit", id, "paid", 50_000n))).toBe(200);
    expect(await stored(session, id)).toMatchObject({ state: "paid" });
    expect(await available(session)).toBe(50_000n);
  });

  it("that expired is closed in the same minute, however many expired with it", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    await db.pool.query(
      `INSERT INTO deposits (lane, account_id, id, merchant_id, member_id, method, provider,
         currency, amount_minor, state, created_at, expires_at)
       SELECT lane, account_id, id || n, merchant_id, member_id, method, provider, currency,
         amount_minor, 'created', created_at, expires_at
       FROM deposits, generate_series(1, 450) AS n WHERE id = $1`,
      [id],
    );
    clock.advance(merchant.settings.cashier.depositMinutes * MINUTE_MS + 1);
    await cashier.deposits.expire();
    const { rows } = await db.pool.query(
      "SELECT count(*)::int AS open FROM deposits WHERE id LIKE $1 AND state <> 'expired'",
      [`${id}%`],
    );
    expect(rows).toEqual([{ open: 0 }]);
    expect(told.filter((memberId) => memberId === session.memberId)).toHaveLength(451);
  });

  it("that is paid stays paid, whatever call-backs come after", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    await callBack(event("deposit", id, "paid", 50_000n));
    const answers = [];
    for (const late of ["pending", "failed", "paid"] as const) {
      answers.push(await callBack(event("deposit", id, late, 50_000n)));
    }
    expect(answers).toEqual([200, 409, 200]);
    expect(alarms).toContain("a deposit that was paid is told to have failed");
    await cashier.deposits.expire();
    expect(await stored(session, id)).toMatchObject({ state: "paid" });
    expect(await available(session)).toBe(50_000n);
  });
});

function referenceOf(payUrl: string | null): string {
  return (payUrl ?? "").slice((payUrl ?? "").lastIndexOf("/") + 1);
}
