import type { AddressInfo } from "node:net";
import { calls } from "@perya/contract/calls";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { MINUTE_MS } from "@perya/kernel/instant";
import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  availableOf,
  makeBrand,
  makeLedger,
  makeMember,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import { createHttpServer, serveCalls } from "../../platform/http/call-server.ts";
import { localRateLimiter } from "../../platform/http/rate-limit.ts";
import { migrateJobs, runDueJobs } from "../../platform/jobs.ts";
import { createLogger } from "../../platform/log.ts";
import { createBrands, type Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf, type Ledger } from "../ledger/ledger.ts";
import {
  Cashier,
  type CashierChange,
  cashierRoutes,
  createSandboxProvider,
  type PaymentEvent,
  type PaymentProvider,
  REVIEW_WITHDRAWAL,
  SEND_CALLBACK,
  SIGNATURE_HEADER,
  sign,
} from "./cashier.ts";
import { ProviderUnavailable } from "./provider.ts";

const SECRET = "a secret of the sandbox's own";
const CALLBACK = "POST /api/v1/cashier/callbacks/{provider}";
const clock = manualClock();
const entropy = seededEntropy("cashier");
const log = createLogger({ level: "silent" });
const told: CashierChange[] = [];
let db: TestDatabase;
let ledger: Ledger;
let merchant: Merchant;
let cashier: Cashier;
let sandbox: ReturnType<typeof createSandboxProvider>;
let app: FastifyInstance;
let address: string;
/** What the provider does next instead of taking a call. */
let outage: (() => never) | null = null;

beforeAll(async () => {
  db = await createTestDatabase();
  await migrateJobs(db.pool, log);
  ledger = makeLedger(db);
  merchant = await makeBrand(db.pool, clock, { hosts: ["*"] });
  const brands = createBrands(db.pool, clock);
  sandbox = createSandboxProvider({
    pool: db.pool,
    clock,
    entropy,
    secret: SECRET,
    publicUrl: "https://perya.test",
    callbackBase: () => address,
  });
  const withOutages: PaymentProvider = {
    code: sandbox.code,
    isSigned: sandbox.isSigned,
    openDeposit: (deposit) => (outage === null ? sandbox.openDeposit(deposit) : outage()),
    sendPayout: (payout) => (outage === null ? sandbox.sendPayout(payout) : outage()),
  };
  cashier = new Cashier({
    pool: db.pool,
    ledger,
    clock,
    providers: [withOutages],
    merchantById: (id) => brands.byId(id),
    publicUrl: "https://perya.test",
    onChange: (_member, change) => told.push(change),
  });
  const options = {
    log,
    clock,
    entropy,
    trustProxy: false,
    secureCookies: true,
    checkReplies: true,
    rateLimiter: localRateLimiter(clock),
    metrics: { observe: () => undefined },
    merchantOf: (host: string) => brands.byHost(host),
    sessionOf: async () => null,
    openBody: () => Promise.reject(new Error("no call of this server is sealed")),
  };
  app = await createHttpServer(options);
  const handlers = { [CALLBACK]: cashierRoutes(cashier, ledger)[CALLBACK] };
  serveCalls(app, { [CALLBACK]: calls[CALLBACK] }, handlers, options);
  await app.listen({ host: "127.0.0.1", port: 0 });
  // A server that listens on TCP has an address of this kind.
  address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await app.close();
  await ledger.close();
  await db.drop();
});

beforeEach(() => {
  told.length = 0;
  outage = null;
});

afterEach(async () => {
  expect(await ledger.verify()).toEqual([]);
});

describe("a deposit", () => {
  it("goes from created over pending to paid, and the money is there once", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    const created = await standing(session, id);
    expect(created).toMatchObject({ state: "created", amount_minor: 50_000n });
    expect(created.pay_url).toMatch(/^https:\/\/perya\.test\/pay\/sandbox\/sbx_/);

    expect(await sandbox.decide(referenceOf(created.pay_url), "paid")).toBe(true);
    expect(await sandbox.decide(referenceOf(created.pay_url), "failed")).toBe(false);
    await runJobs();
    expect(await standing(session, id)).toMatchObject({ state: "paid" });
    expect(told.map(({ state }) => state)).toEqual(["pending", "paid"]);
    expect(await available(session)).toBe(50_000n);
  });

  it("that the player declined fails and moves nothing", async () => {
    const session = await player(0n);
    const { id, payUrl } = await opened(session, 50_000n);
    await sandbox.decide(referenceOf(payUrl), "failed");
    await runJobs();
    expect(await standing(session, id)).toMatchObject({ state: "failed", paid_at: null });
    expect(await available(session)).toBe(0n);
  });

  it("sent again answers the same deposit; with another amount or method it is refused", async () => {
    const session = await player(0n);
    const given = { id: fresh("deposit"), method: "gwallet", amount: php(50_000n) };
    const sent = Array.from({ length: 8 }, () => cashier.deposit(merchant, session, given));
    const answers = (await Promise.all(sent)).map(taken);
    expect(new Set(answers.map((row) => row.pay_url)).size).toBe(1);
    const amount = { ...given, amount: php(60_000n) };
    expect(codeOf(await cashier.deposit(merchant, session, amount))).toBe("id_reused");
    const method = { ...given, method: "mwallet" };
    expect(codeOf(await cashier.deposit(merchant, session, method))).toBe("id_reused");
    expect(await cashier.deposits(session, { before: null, limit: 10 })).toHaveLength(1);
  });

  it("under one id with two amounts at once is one deposit; the other is refused", async () => {
    const session = await player(0n);
    const id = fresh("deposit");
    const codes = await Promise.all(
      [50_000n, 60_000n, 50_000n, 60_000n].map(async (minor) =>
        codeOf(
          await cashier.deposit(merchant, session, { id, method: "gwallet", amount: php(minor) }),
        ),
      ),
    );
    expect(codes.sort()).toEqual(["id_reused", "id_reused", "ok", "ok"]);
  });

  it("under the id of another player's is refused, so no payment has two owners", async () => {
    const { id } = await opened(await player(0n), 50_000n);
    const given = { id, method: "gwallet", amount: php(50_000n) };
    expect(codeOf(await cashier.deposit(merchant, await player(0n), given))).toBe("id_reused");
  });

  it("keeps to the method's limits, the wallet's currency and the number of open ones", async () => {
    const session = await player(0n);
    const send = (minor: bigint, change = {}) =>
      cashier.deposit(merchant, session, {
        id: fresh("deposit"),
        method: "gwallet",
        amount: php(minor),
        ...change,
      });
    expect(codeOf(await send(9_999n))).toBe("amount.minor too_small");
    expect(codeOf(await send(5_000_001n))).toBe("amount.minor too_big");
    expect(codeOf(await send(50_000n, { method: "nothing" }))).toBe("method not_allowed");
    const fun = { amount: { minor: "50000", currency: "FUN" } };
    expect(codeOf(await send(50_000n, fun))).toBe("amount.currency foreign_currency");
    for (let i = 0; i < merchant.settings.cashier.openMax; i++) taken(await send(50_000n));
    expect(codeOf(await send(50_000n))).toBe("too_many_open");
  });

  it("waits for a provider that did not answer, and opens when it is sent again", async () => {
    const session = await player(0n);
    const given = { id: fresh("deposit"), method: "gwallet", amount: php(50_000n) };
    outage = () => {
      throw new ProviderUnavailable("no answer");
    };
    expect(codeOf(await cashier.deposit(merchant, session, given))).toBe("provider_unavailable");
    outage = null;
    expect(taken(await cashier.deposit(merchant, session, given)).pay_url).not.toBeNull();
  });

  it("expires unpaid, and a payment that comes late still counts", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    clock.advance(merchant.settings.cashier.depositMinutes * MINUTE_MS + 1);
    await cashier.expire();
    expect(await standing(session, id)).toMatchObject({ state: "expired" });
    expect(await callBack(event("deposit", id, "paid", 50_000n))).toBe(200);
    expect(await standing(session, id)).toMatchObject({ state: "paid" });
    expect(await available(session)).toBe(50_000n);
  });

  it("that is paid stays paid, whatever call-backs come after", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    await callBack(event("deposit", id, "paid", 50_000n));
    for (const late of ["pending", "failed", "paid"] as const) {
      expect(await callBack(event("deposit", id, late, 50_000n))).toBe(200);
    }
    await cashier.expire();
    expect(await standing(session, id)).toMatchObject({ state: "paid" });
    expect(await available(session)).toBe(50_000n);
  });
});

describe("a call-back", () => {
  it("that is repeated is accepted and moves nothing, many times at once too", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    const paid = event("deposit", id, "paid", 50_000n);
    const statuses = await Promise.all(Array.from({ length: 10 }, () => callBack(paid)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await callBack(paid)).toBe(200);
    expect(await available(session)).toBe(50_000n);
  });

  it("under an event id that stands is refused with another body", async () => {
    const session = await player(0n);
    const [one, two] = [await opened(session, 50_000n), await opened(session, 50_000n)];
    const paid = event("deposit", one.id, "paid", 50_000n);
    expect(await callBack(paid)).toBe(200);
    expect(await callBack({ ...paid, reference: two.id })).toBe(409);
    expect(await standing(session, two.id)).toMatchObject({ state: "created" });
    expect(await available(session)).toBe(50_000n);
  });

  it("whose process died before it noted the event moves nothing when it comes again", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    const paid = event("deposit", id, "paid", 50_000n);
    await callBack(paid);
    await db.pool.query("DELETE FROM payment_events WHERE event_id = $1", [paid.eventId]);
    expect(await callBack(paid)).toBe(200);
    expect(await available(session)).toBe(50_000n);
  });

  it("that is forged, tampered with, old or unsigned is refused and moves nothing", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    const paid = event("deposit", id, "paid", 50_000n);
    const body = JSON.stringify(paid);
    const now = clock.now();
    const forgeries = [
      sign("another secret", body, now),
      sign(SECRET, body.replace("50000", "90000"), now),
      sign(SECRET, body, now - 5 * MINUTE_MS - 1),
      sign(SECRET, body, now + 5 * MINUTE_MS + 1),
      sign(SECRET, body, now).replace(/t=\d+/, `t=${now + 1}`),
      sign(SECRET, body, now).slice(0, -2),
      "",
    ];
    for (const forged of forgeries) expect(await callBack(paid, forged)).toBe(401);
    expect(await standing(session, id)).toMatchObject({ state: "created" });
    expect(await available(session)).toBe(0n);
  });

  it("with another amount, another currency or for nothing we know is refused", async () => {
    const session = await player(0n);
    const { id } = await opened(session, 50_000n);
    expect(await callBack(event("deposit", id, "paid", 50_001n))).toBe(400);
    const fun = {
      ...event("deposit", id, "paid", 50_000n),
      amount: { minor: "50000", currency: "FUN" },
    };
    expect(await callBack(fun)).toBe(400);
    expect(await callBack(event("deposit", fresh("deposit"), "paid", 50_000n))).toBe(404);
    expect(await callBack(event("withdrawal", id, "paid", 50_000n))).toBe(404);
    expect(await standing(session, id)).toMatchObject({ state: "created" });
    expect(await available(session)).toBe(0n);
    // None of the refusals has used its event up: the right one still counts.
    expect(await callBack(event("deposit", id, "paid", 50_000n))).toBe(200);
    expect(await available(session)).toBe(50_000n);
  });
});

describe("a withdrawal", () => {
  it("is held at once, approved by the brand's rule, sent and paid", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    expect(row.state).toBe("held");
    expect(await available(session)).toBe(80_000n);
    await runJobs();
    const paid = await withdrawal(session, row.id);
    expect(paid.history.map(({ state }) => state)).toEqual(["held", "approved", "sent", "paid"]);
    expect(await available(session)).toBe(80_000n);
    const books = await ledger.balance(walletOf(session));
    expect(books).toMatchObject({ balance: 80_000n, held: 0n });
    expect(await payouts(row.id)).toBe(1);
  });

  it("that the provider cannot pay gives the money back", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n, { destination: "09170000000" }));
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "failed" });
    expect(await available(session)).toBe(100_000n);
    expect(await callBack(event("withdrawal", row.id, "paid", 20_000n))).toBe(409);
    expect(await available(session)).toBe(100_000n);
  });

  it("above the rule waits for an operator, who approves it once", async () => {
    const session = await player(2_000_000n);
    const row = taken(await withdraw(session, 600_000n));
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "held" });
    expect(await cashier.approve(row.id)).toBe(true);
    expect(await cashier.approve(row.id)).toBe(false);
    expect(await cashier.reject(row.id)).toBe(false);
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "paid" });
    expect(await payouts(row.id)).toBe(1);
    expect(await available(session)).toBe(1_400_000n);
  });

  it("that an operator rejects gives the money back, and can no longer be approved", async () => {
    const session = await player(2_000_000n);
    const row = taken(await withdraw(session, 600_000n));
    expect(await cashier.reject(row.id)).toBe(true);
    expect(await cashier.approve(row.id)).toBe(false);
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "rejected" });
    expect(await available(session)).toBe(2_000_000n);
    await runJobs();
    expect(await payouts(row.id)).toBe(0);
  });

  it("approved and rejected at once ends in one way, and is paid out only if approved", async () => {
    const session = await player(20_000_000n);
    for (let i = 0; i < 6; i++) {
      const before = await available(session);
      const row = taken(await withdraw(session, 600_000n));
      const [approved, rejected] = await Promise.all([
        cashier.approve(row.id),
        cashier.reject(row.id),
      ]);
      expect(approved).not.toBe(rejected);
      await runJobs();
      const { state } = await withdrawal(session, row.id);
      expect(state).toBe(approved ? "paid" : "rejected");
      expect(await payouts(row.id)).toBe(approved ? 1 : 0);
      expect(await available(session)).toBe(approved ? before - 600_000n : before);
    }
  });

  it("above the balance is refused, and nothing is written", async () => {
    const session = await player(30_000n);
    const id = fresh("withdrawal");
    expect(codeOf(await withdraw(session, 30_001n, { id }))).toBe("insufficient_funds");
    expect(await cashier.findWithdrawal(session, id)).toBeNull();
    taken(await withdraw(session, 20_000n));
    // What is held is no longer there to be taken.
    expect(codeOf(await withdraw(session, 10_001n))).toBe("insufficient_funds");
    expect(await available(session)).toBe(10_000n);
    await runJobs();
  });

  it("sent again answers the same; with other content, or as another player, it is refused", async () => {
    const session = await player(100_000n);
    const given = { id: fresh("withdrawal") };
    const sent = Array.from({ length: 8 }, () => withdraw(session, 20_000n, given));
    for (const answer of await Promise.all(sent)) expect(taken(answer).id).toBe(given.id);
    expect(await available(session)).toBe(80_000n);
    expect(codeOf(await withdraw(session, 20_001n, given))).toBe("id_reused");
    const elsewhere = { ...given, destination: "09179999999" };
    expect(codeOf(await withdraw(session, 20_000n, elsewhere))).toBe("id_reused");
    const neighbour = await player(100_000n);
    expect(codeOf(await withdraw(neighbour, 20_000n, given))).toBe("id_reused");
    expect(await available(neighbour)).toBe(100_000n);
    await runJobs();
    expect(taken(await withdraw(session, 20_000n, given)).state).toBe("paid");
  });

  it("keeps to the number of open ones, to whole methods and to players in good standing", async () => {
    const session = await player(10_000_000n);
    const { openMax } = merchant.settings.cashier;
    for (let i = 0; i < openMax; i++) taken(await withdraw(session, 600_000n));
    expect(codeOf(await withdraw(session, 600_000n))).toBe("too_many_open");
    const other = await player(100_000n);
    expect(codeOf(await withdraw(other, 20_000n, { method: "mwallet" }))).toBe(
      "method not_allowed",
    );
    const blocked = { ...other, blocked: true };
    expect(codeOf(await withdraw(blocked, 20_000n))).toBe("member_blocked");
    expect(await available(other)).toBe(100_000n);
  });

  it("whose provider did not answer is sent when the job runs again, and paid once", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    outage = () => {
      throw new ProviderUnavailable("no answer");
    };
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "approved" });
    outage = null;
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "paid" });
    expect(await payouts(row.id)).toBe(1);
  });

  it("that an operator approved while the provider was away is sent by its job", async () => {
    const session = await player(2_000_000n);
    const row = taken(await withdraw(session, 600_000n));
    await runJobs();
    outage = () => {
      throw new ProviderUnavailable("no answer");
    };
    await expect(cashier.approve(row.id)).rejects.toThrow("no answer");
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "approved" });
    outage = null;
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "paid" });
    expect(await available(session)).toBe(1_400_000n);
  });

  it("whose process died after the provider had it is not sent twice", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    await cashier.review(row.id);
    await db.pool.query("UPDATE withdrawals SET state = 'approved' WHERE id = $1", [row.id]);
    await cashier.review(row.id);
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "sent" });
    expect(await payouts(row.id)).toBe(1);
    await runJobs();
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "paid" });
    expect(await available(session)).toBe(80_000n);
  });

  it("that was not approved is not ended by a call-back", async () => {
    const session = await player(2_000_000n);
    const row = taken(await withdraw(session, 600_000n));
    for (const status of ["paid", "failed"] as const) {
      expect(await callBack(event("withdrawal", row.id, status, 600_000n))).toBe(409);
    }
    expect(await withdrawal(session, row.id)).toMatchObject({ state: "held" });
    expect(await available(session)).toBe(1_400_000n);
  });

  it("that is paid stays paid: a repeat is accepted, a late failure refused", async () => {
    const session = await player(100_000n);
    const row = taken(await withdraw(session, 20_000n));
    await runJobs();
    expect(await callBack(event("withdrawal", row.id, "paid", 20_000n))).toBe(200);
    expect(await callBack(event("withdrawal", row.id, "failed", 20_000n))).toBe(409);
    expect(await callBack(event("withdrawal", row.id, "pending", 20_000n))).toBe(200);
    expect(await available(session)).toBe(80_000n);
  });
});

describe("the records", () => {
  it("page newest first without a gap or a repeat, also within one millisecond", async () => {
    const session = await player(1_000_000n);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      if (i === 3) clock.advance(1_000);
      ids.push(taken(await withdraw(session, 10_000n)).id);
    }
    const seen: string[] = [];
    for (let before: { at: number; id: string } | null = null; ; ) {
      const page = await cashier.withdrawals(session, { before, limit: 2 });
      seen.push(...page.map((row) => row.id));
      const last = page.at(-1);
      if (last === undefined) break;
      before = { at: last.created_at.getTime(), id: last.id };
    }
    expect([...seen].sort()).toEqual([...ids].sort());
    expect(new Set(seen.slice(0, 2))).toEqual(new Set(ids.slice(3)));
    await runJobs();
  });
});

/** Runs what is due until nothing is left, failed jobs once more at the end of the next call. */
async function runJobs(): Promise<void> {
  await db.pool.query(
    "SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now()) FROM graphile_worker.jobs",
  );
  await runDueJobs({
    pool: db.pool,
    log,
    tasks: {
      [REVIEW_WITHDRAWAL]: (payload) => cashier.review((payload as { id: string }).id), // our own
      [SEND_CALLBACK]: (payload) => sandbox.deliver(payload),
    },
  });
}

async function opened(session: Session, minor: bigint) {
  const given = { id: fresh("deposit"), method: "gwallet", amount: php(minor) };
  const row = taken(await cashier.deposit(merchant, session, given));
  return { id: row.id, payUrl: row.pay_url };
}

function withdraw(session: Session, minor: bigint, change = {}) {
  return cashier.withdraw(merchant, session, {
    id: fresh("withdrawal"),
    method: "gwallet",
    destination: "09171234567",
    amount: php(minor),
    ...change,
  });
}

async function standing(session: Session, id: string) {
  return present(await cashier.findDeposit(session, id), "the deposit");
}

async function withdrawal(session: Session, id: string) {
  return present(await cashier.findWithdrawal(session, id), "the withdrawal");
}

/** How often the provider was made to pay. */
async function payouts(id: string): Promise<number> {
  const { rowCount } = await db.pool.query(
    "SELECT 1 FROM sandbox_payments WHERE external_id = $1 AND kind = 'withdrawal'",
    [id],
  );
  return rowCount ?? 0;
}

let events = 0;

function event(
  kind: PaymentEvent["kind"],
  reference: string,
  status: PaymentEvent["status"],
  minor: bigint,
): PaymentEvent {
  events += 1;
  const amount = php(minor);
  return { eventId: `event ${events}`, kind, reference, status, amount, at: clock.now() };
}

/** Delivers a call-back as the provider does; answers the HTTP status. */
async function callBack(body: PaymentEvent, signature?: string): Promise<number> {
  const text = JSON.stringify(body);
  const answer = await fetch(`${address}/api/v1/cashier/callbacks/sandbox`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      [SIGNATURE_HEADER]: signature ?? sign(SECRET, text, clock.now()),
    },
    body: text,
  });
  await answer.arrayBuffer();
  return answer.status;
}

function player(balance: bigint): Promise<Session> {
  return makeMember({ pool: db.pool, ledger, clock }, merchant, { balance });
}

function walletOf(session: Session) {
  return accountOf(session.memberId, session.currency);
}

function available(session: Session): Promise<bigint> {
  return availableOf(ledger, walletOf(session));
}

function fresh(kind: "deposit" | "withdrawal"): string {
  return mintId(kind, clock.now(), entropy.bytes(16));
}

function php(minor: bigint) {
  return { minor: minor.toString(), currency: "PHP" };
}

function referenceOf(payUrl: string | null): string {
  return (payUrl ?? "").slice((payUrl ?? "").lastIndexOf("/") + 1);
}

type Said<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly error: {
        readonly code: string;
        readonly fields?: readonly { readonly field: string; readonly code: string }[];
      };
    };

function taken<T>(result: Said<T>): T {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

/** `ok`, a refusal's code, or the field and the fault of a bad input. */
function codeOf(result: Said<unknown>): string {
  if (result.ok) return "ok";
  const [fault] = result.error.fields ?? [];
  return fault === undefined ? result.error.code : `${fault.field} ${fault.code}`;
}
