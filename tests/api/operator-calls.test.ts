import { createCanvas } from "@napi-rs/canvas";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import { Operators } from "../../apps/server/src/modules/operators/operators.ts";
import { VendorWallet } from "../../apps/server/src/modules/vendors/vendors.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import type { Call } from "../../packages/contract/src/call.ts";
import { calls } from "../../packages/contract/src/calls.ts";
import {
  isOperators,
  OPERATOR_PERMISSIONS,
  permissionsOf,
} from "../../packages/contract/src/operator.ts";
import { taken } from "../server/answers.ts";
import { makeBrand, makeLedger } from "../server/fixtures.ts";
import { startPaymentGateway } from "../server/payment-gateway-process.ts";
import { fieldsOf, type JsonSchema, valid } from "./input-arbitrary.ts";
import { employ } from "./operator-harness.ts";
import {
  type Caller,
  freshId,
  logIn,
  type Received,
  sendTo,
  startServer,
  VISITOR,
} from "./running-server.ts";

/** Every call of operators that the contract declares × every kind of caller. */
const SEED = 20_261_122;
const HERE = "localhost";
const THERE = "fiesta.test";
const declared = Object.entries<Call>(calls);
const operatorCalls = declared.filter(([, call]) => isOperators(call));
const playerCalls = declared.filter(
  ([, call]) => !isOperators(call) && !call.callers.includes("visitor"),
);

/**
 * Fields with the operator's own words and numbers, and a list's cursor. Only `id` in a path names
 * anything else, except the player of a deposit that a restore has lost: the server looks for that
 * player in the operator's brand.
 */
const SAID_BY_OPERATORS = new Set([
  ...["reason", "received", "minor", "currency", "bankReference", "outcome", "cursor", "limit"],
  ...["state", "username", "method", "amount"],
]);

const gateway = await startPaymentGateway("a secret");
const paymentGateway = { url: gateway.url, merchantId: "house", secret: "a secret" };
const server = await startServer({ paymentGateway }, { prepare: addCards });
const fiesta = await makeBrand(server.database.pool, systemClock, { hosts: [THERE] });
const everything = await employ(server, OPERATOR_PERMISSIONS);
const elsewhere = await employ(server, OPERATOR_PERMISSIONS, fiesta.id);
const maria = await logIn(server, "maria");
const linda = await logIn(server, "linda");

afterAll(async () => {
  await server.stop();
  await gateway.stop();
});

describe("a call of operators", () => {
  it.each(operatorCalls)(
    "%s admits only operators with its permission, or with one of its permissions",
    async (key, call) => {
      const holders = permissionsOf(call);
      const without = OPERATOR_PERMISSIONS.filter((one) => !holders.includes(one));
      const [other, expired, revoked] = [
        await employ(server, without),
        await employ(server, holders),
        await employ(server, holders),
      ];
      const { pool } = server.database;
      await pool.query(
        `UPDATE operators SET created_at = now() - interval '2 days',
           expires_at = now() - interval '1 second' WHERE name = $1`,
        [expired.name],
      );
      const operators = new Operators(pool, systemClock, systemEntropy);
      expect(await operators.revoke("mer_demo", revoked.name)).toBe(true);
      const input = sampleOf(call);
      const codeFor = async (caller: Caller, host = HERE) =>
        (await send(key, caller, input, host)).json.code;
      for (const nobody of [VISITOR, maria, linda, expired, revoked, elsewhere]) {
        expect(await codeFor(nobody)).toBe("not_logged_in");
      }
      expect(await codeFor(everything, THERE)).toBe("not_logged_in");
      expect(await codeFor(other)).toBe("permission_denied");
      for (const permission of holders) {
        const holder = await send(key, await employ(server, [permission]), input);
        expect(holder.status, JSON.stringify(holder.json)).toBeLessThan(500);
        expect(["not_logged_in", "permission_denied"]).not.toContain(holder.json.code);
      }
    },
  );

  it.each([
    ["payouts.confirm", "GET /api/v1/operator/payouts"],
    ["wins.confirm", "GET /api/v1/operator/held-wins"],
  ] as const)("shows an operator who holds only %s what they confirm", async (permission, key) => {
    const seen = await send(key, await employ(server, [permission]), {});
    expect([seen.status, seen.json.code]).toEqual([200, undefined]);
  });

  it.each(operatorCalls.filter(([key]) => key.includes("{id}")))(
    "%s finds no object of another brand",
    async (key, call) => {
      const input = sampleOf(call);
      const { own, unknown } = await subjectsOf(key);
      const [none, theirs] = [
        await send(key, elsewhere, { ...input, params: { id: unknown } }, THERE),
        await send(key, elsewhere, { ...input, params: { id: own } }, THERE),
      ];
      expect([none.status, none.json.code]).toEqual([404, "not_found"]);
      expect([theirs.status, theirs.json.code]).toEqual([404, "not_found"]);
    },
  );

  it("names no other object: each field is the id above, or is the operator's own input", () => {
    const named = operatorCalls.flatMap(([key, call]) =>
      [call.params, call.query, call.body].flatMap((schema) =>
        schema === undefined
          ? []
          : fieldsOf(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema)
              .map(({ path }) => path.at(-1) ?? "")
              .filter((field) => !SAID_BY_OPERATORS.has(field) && !key.includes(`{${field}}`))
              .map((field) => `${key} ${field}`),
      ),
    );
    expect(named).toEqual([]);
  });

  it("is no player's call, and an operator's token opens no call of players", async () => {
    for (const [key, call] of playerCalls.filter(
      ([, { callers }]) => !callers.includes("signed"),
    )) {
      const { json } = await send(key, everything, sampleOf(call));
      expect(json.code, key).toBe("session_ended");
    }
  });
});

describe("a held win, over HTTP", () => {
  it("is listed for an operator, who releases or refuses it with a reason, on record", async () => {
    const [one, two] = [await heldWin(), await heldWin()];
    const before = await wallet();
    const list = await send("GET /api/v1/operator/held-wins", everything, {});
    const waiting = list.json.value.items.filter(({ id }: { id: string }) =>
      [one, two].includes(id),
    );
    expect(waiting).toHaveLength(2);
    expect(waiting[0]).toMatchObject({
      member: { username: "maria" },
      vendor: "PGE",
      stake: { minor: "100", currency: "PHP" },
      amount: { minor: "900", currency: "PHP" },
      reasons: ["round_multiple"],
      markedBy: null,
    });
    const release = "POST /api/v1/operator/held-wins/{id}/release";
    const refusal = "POST /api/v1/operator/held-wins/{id}/refuse";
    const body = { reason: "The vendor says that it was a mistake" };
    for (const _time of ["once", "again"]) {
      const released = await send(release, everything, { params: { id: one }, body: {} });
      expect([released.status, released.json.value]).toEqual([200, { id: one, state: "released" }]);
      const refused = await send(refusal, everything, { params: { id: two }, body });
      expect([refused.status, refused.json.value]).toEqual([200, { id: two, state: "refused" }]);
    }
    expect(await wallet()).toBe(before + 900n);
    const actions = await send("GET /api/v1/operator/actions", everything, {});
    expect(actions.json.value.items.slice(0, 2)).toMatchObject([
      { action: "win.refuse", subject: two, detail: body },
      { action: "win.release", subject: one },
    ]);
  });
});

describe("a pay-out that is stuck, over HTTP", () => {
  it("is listed with its provider, taken over, and ended with a reference from the provider's books", async () => {
    const id = await stuckPayout();
    const itemOf = async (key: string) => {
      const { json } = await send(key, everything, {});
      return json.value.items.find((one: { id: string }) => one.id === id);
    };
    const provider = { code: "sandbox", wired: true };
    expect(await itemOf("GET /api/v1/operator/stuck-payouts")).toMatchObject({
      member: { username: "maria", blocked: false },
      amount: { minor: "20000", currency: "PHP" },
      ...{ provider, state: "sent" },
    });
    const take = "POST /api/v1/operator/payouts/{id}/take-over";
    const paid = "POST /api/v1/operator/payouts/{id}/paid";
    for (const _time of ["once", "again"]) {
      const took = await send(take, everything, { params: { id }, body: {} });
      expect([took.status, took.json.value]).toEqual([200, { id, state: "claimed" }]);
    }
    const body = { bankReference: "sbx_2026.11/23:77" };
    const { pool } = server.database;
    await pool.query("UPDATE withdrawals SET tried_at = now() WHERE id = $1", [id]);
    const early = await send(paid, everything, { params: { id }, body });
    expect([early.status, early.json.code]).toEqual([409, "payout_under_way"]);
    await pool.query("UPDATE withdrawals SET tried_at = now() - interval '1 hour' WHERE id = $1", [
      id,
    ]);
    const taken = await itemOf("GET /api/v1/operator/payouts");
    expect(taken).toMatchObject({ takenOver: { provider }, state: "claimed" });
    expect(taken.takenOver.endsFrom).toBe(taken.takenOver.triedAt + 11 * 60_000);
    for (const _time of ["once", "again"]) {
      const ended = await send(paid, everything, { params: { id }, body });
      expect([ended.status, ended.json.value]).toEqual([200, { id, state: "paid" }]);
    }
    const { rows } = await pool.query("SELECT state FROM withdrawals WHERE id = $1", [id]);
    expect(rows).toEqual([{ state: "paid" }]);
  });
});

describe("a deposit that a restore has lost, over HTTP", () => {
  const key = "POST /api/v1/operator/deposits/{id}/restore";
  const amount = { minor: "50000", currency: "PHP" };
  const body = { username: "maria", method: "card", amount };

  it("is entered again by two operators, and credited once on its provider's confirmation", async () => {
    const { pool } = server.database;
    const id = freshId("deposit");
    const params = { id };
    const open = { id, method: "card", amount };
    const opened = await send("POST /api/v1/cashier/deposits", maria, { body: open });
    expect(opened.status, JSON.stringify(opened.json)).toBe(200);
    await pool.query("DELETE FROM deposits WHERE id = $1", [id]);
    await pool.query("DELETE FROM payment_ids WHERE id = $1", [id]);
    await gateway.end({ id, status: "paid", times: 0 });
    const before = await wallet();
    const second = await employ(server, ["deposits"]);
    const said = [];
    for (const by of [everything, everything, second]) {
      const { status, json } = await send(key, by, { params, body });
      expect(status, JSON.stringify(json)).toBe(200);
      said.push(json.value.state);
    }
    expect(said.slice(0, 2)).toEqual(["first_restored", "first_restored"]);
    expect(["pending", "paid"]).toContain(said[2]);
    const stateNow = async () => {
      const { json } = await send("GET /api/v1/cashier/deposits/{id}", maria, { params });
      return json.value.state;
    };
    await expect.poll(stateNow, { timeout: 10_000 }).toBe("paid");
    const again = await send(key, everything, { params, body });
    expect([again.status, again.json.value]).toEqual([200, { id, state: "paid" }]);
    expect(await wallet()).toBe(before + 50_000n);
  });

  it("needs a player of the operator's own brand, an amount, and a method whose provider can be asked", async () => {
    const params = { id: freshId("deposit") };
    const codeOf = async (given: object, by = everything, host = HERE) => {
      const { json } = await send(key, by, { params, body: { ...body, ...given } }, host);
      const [fault] = json.fields ?? [];
      return fault === undefined ? json.code : `${fault.field} ${fault.code}`;
    };
    expect(await codeOf({}, elsewhere, THERE)).toBe("not_found");
    expect(await codeOf({ username: "nobody at all" })).toBe("not_found");
    expect(await codeOf({ method: "gone" })).toBe("provider_not_wired");
    expect(await codeOf({ method: "bank" })).toBe("method not_allowed");
    expect(await codeOf({ amount: { ...amount, minor: "0" } })).toMatch(/^amount\.minor /);
    expect(await codeOf({ amount: { ...amount, currency: "FUN" } })).toBe(
      "amount.currency foreign_currency",
    );
    const { rows } = await server.database.pool.query("SELECT FROM deposits WHERE id = $1", [
      params.id,
    ]);
    expect(rows).toEqual([]);
  });
});

describe("a deposit by hand, over HTTP", () => {
  it("is credited to the wallet on an operator's word about the player's receipt, and is on record", async () => {
    const before = await wallet();
    const id = await claimedDeposit();
    const deposit = await send("GET /api/v1/cashier/deposits/{id}", maria, { params: { id } });
    expect(deposit.json.value).toMatchObject({
      state: "pending",
      manual: { house: { number: "0000 1234 5678" }, receipt: true },
    });
    const list = await send("GET /api/v1/operator/deposits", everything, {});
    const waiting = list.json.value.items.find((one: { id: string }) => one.id === id);
    expect(waiting).toMatchObject({ member: { username: "maria" }, receipt: true });
    const picture = await send("GET /api/v1/operator/deposits/{id}/receipt", everything, {
      params: { id },
    });
    const bytes = Buffer.from(picture.json.value.data, "base64");
    expect(bytes.subarray(0, 3).toString("hex")).toBe("ffd8ff");
    const body = { received: { minor: "49000", currency: "PHP" }, bankReference: "ST 49000-1" };
    const key = "POST /api/v1/operator/deposits/{id}/confirm";
    for (const _time of ["once", "again"]) {
      const confirmed = await send(key, everything, { params: { id }, body });
      expect([confirmed.status, confirmed.json.value]).toEqual([200, { id, state: "paid" }]);
    }
    expect(await wallet()).toBe(before + 49_000n);
    const paid = await send("GET /api/v1/cashier/deposits/{id}", maria, { params: { id } });
    expect(paid.json.value).toMatchObject({
      state: "paid",
      amount: { minor: "50000" },
      received: { minor: "49000" },
    });
    const actions = await send("GET /api/v1/operator/actions", everything, {});
    const [action] = actions.json.value.items;
    expect(action).toMatchObject({
      action: "deposit.confirm",
      subject: id,
      detail: { asked: "50000", received: "49000", bankReference: "ST 49000-1" },
    });
  });

  it("leaves a ledger that verifies", async () => {
    const ledger = makeLedger(server.database);
    expect(await ledger.verify()).toEqual([]);
    await ledger.close();
  });
});

interface Input {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

function send(key: string, caller: Caller, input: Input, host = HERE): Promise<Received> {
  const [method = "", template = ""] = key.split(" ");
  const params = (input.params ?? {}) as Record<string, unknown>; // made below, by the schema
  const path = template.replace(/\{(\w+)\}/g, (_all, name) =>
    encodeURIComponent(String(params[name])),
  );
  return sendTo(server, method, path, { host, headers: caller.headers, body: input.body });
}

function sampleOf(call: Call): Input {
  const one = (schema: z.ZodType | undefined) => {
    if (schema === undefined) return undefined;
    const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    // The contract's schemas use only this part of JSON Schema.
    return fc.sample(valid(json as JsonSchema), { numRuns: 1, seed: SEED })[0];
  };
  const body = call.body === undefined ? undefined : { ...Object(one(call.body)), ...worded(call) };
  return { params: one(call.params), body };
}

/** Makes the fields that a person words: a sample of them seldom passes the schema's checks. */
function worded(call: Call): object {
  const fields = z.toJSONSchema(call.body ?? z.object({}), { unrepresentable: "any" }).properties;
  return fields !== undefined && "reason" in fields ? { reason: "A reason" } : {};
}

let references = 0;

/** A deposit by hand that Maria says she has paid, with a picture. */
async function claimedDeposit(): Promise<string> {
  references += 1;
  const id = freshId("deposit");
  const body = { id, method: "bank", amount: { minor: "50000", currency: "PHP" } };
  const { pool } = server.database;
  await pool.query("UPDATE deposits SET state = 'failed' WHERE state IN ('created', 'pending')");
  const opened = await send("POST /api/v1/cashier/deposits", maria, { body });
  expect(opened.status, JSON.stringify(opened.json)).toBe(200);
  const sent = await fetch(`${server.url}/api/v1/cashier/deposits/${id}/receipt`, {
    method: "PUT",
    headers: { ...maria.headers, "content-type": "application/octet-stream" },
    body: new Uint8Array(createCanvas(6, 6).toBuffer("image/png")),
  });
  expect(sent.status).toBe(200);
  const claim = { payerReference: `GC ${1_000_000 + references}` };
  const key = "POST /api/v1/cashier/deposits/{id}/claim";
  const claimed = await send(key, maria, { params: { id }, body: claim });
  expect(claimed.status, JSON.stringify(claimed.json)).toBe(200);
  return id;
}

/** The subjects of a call: an object of the brand, and an unknown id. */
async function subjectsOf(key: string): Promise<{ own: string; unknown: string }> {
  if (key.includes("/deposits/")) {
    return { own: await claimedDeposit(), unknown: freshId("deposit") };
  }
  if (key.includes("/held-wins/")) return { own: await heldWin(), unknown: freshId("heldWin") };
  if (/\/(?:withdrawals|payouts|stuck-payouts)\//.test(key)) {
    return { own: await someWithdrawal(), unknown: freshId("withdrawal") };
  }
  throw new Error(`no object for ${key}`);
}

/** A held win of Maria, from a vendor that says she won a lot. */
async function heldWin(): Promise<string> {
  const { pool } = server.database;
  const { rows } = await pool.query("SELECT id FROM members WHERE username = 'maria'");
  const ledger = makeLedger(server.database);
  const wallet = new VendorWallet(pool, ledger, systemClock);
  const id = freshId("heldWin");
  const common = { account: accountOf(rows[0].id, "PHP"), vendor: "PGE", roundId: id };
  const bet = { merchantId: "mer_demo", gameId: "a game", blocked: false };
  taken(await wallet.bet({ ...common, ...bet, transactionId: `${id}.b`, amount: 100n }));
  taken(
    await wallet.winWithin(
      {
        ...{ ...common, transactionId: `${id}.w`, betTransactionId: `${id}.b` },
        ...{ amount: 900n, closesRound: true },
      },
      {
        ...{ merchantId: "mer_demo", memberId: rows[0].id, zone: "UTC", heldWinId: () => id },
        rule: { roundPayoutMaxMinor: 900n, roundPayoutMaxStakes: 8, dayPayoutMaxMinor: 0n },
      },
    ),
  );
  await ledger.close();
  return id;
}

/** A pay-out of Maria that has been at the sandbox for an hour. */
async function stuckPayout(): Promise<string> {
  const id = freshId("withdrawal");
  const amount = { minor: "20000", currency: "PHP" };
  const body = { id, method: "gwallet", destination: "09171112233", amount };
  const asked = await send("POST /api/v1/cashier/withdrawals", maria, { body });
  expect(asked.status, JSON.stringify(asked.json)).toBe(200);
  await server.database.pool.query(
    `UPDATE withdrawals SET state = 'sent', approved_at = now() - interval '1 hour' WHERE id = $1`,
    [id],
  );
  return id;
}

/** Methods of an outside provider, and of one that is not wired. */
async function addCards(pool: pg.Pool): Promise<void> {
  const limits = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
  const cards = [
    { code: "card", name: "Card", provider: "gateway", kind: "deposit", ...limits },
    { code: "gone", name: "Gone", provider: "gone", kind: "deposit", ...limits },
  ];
  await pool.query(
    `UPDATE merchants SET settings = jsonb_set(settings, '{cashier,methods}',
       settings #> '{cashier,methods}' || $1::jsonb)`,
    [JSON.stringify(cards)],
  );
}

async function someWithdrawal(): Promise<string> {
  const { rows } = await server.database.pool.query<{ id: string }>(
    "SELECT id FROM withdrawals WHERE merchant_id = 'mer_demo' ORDER BY id LIMIT 1",
  );
  return rows[0]?.id ?? "";
}

async function wallet(): Promise<bigint> {
  const { json } = await send("GET /api/v1/member/wallet", maria, {});
  return BigInt(json.value.available.minor);
}
