import type { AddressInfo } from "node:net";
import { calls } from "@perya/contract/calls";
import { OPERATOR_PERMISSIONS, type OperatorPermission } from "@perya/contract/operator";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { money, toWire } from "@perya/kernel/money";
import { ok } from "@perya/kernel/result";
import type pg from "pg";
import { afterAll } from "vitest";
import { demoBrand } from "../../apps/server/src/demo/demo-brand.ts";
import { type BrandSettingsJson, createBrands } from "../../apps/server/src/modules/brand/brand.ts";
import { cashierRoutes } from "../../apps/server/src/modules/cashier/cashier.routes.ts";
import { Cashier, type PaymentProvider } from "../../apps/server/src/modules/cashier/cashier.ts";
import { sweepCashier } from "../../apps/server/src/modules/cashier/cashier-sweep.ts";
import { ManualEvidence } from "../../apps/server/src/modules/cashier/manual-evidence.ts";
import { createManualProvider } from "../../apps/server/src/modules/cashier/manual-provider.ts";
import { OperatorDeposits } from "../../apps/server/src/modules/cashier/operator-deposits.ts";
import { OperatorWithdrawals } from "../../apps/server/src/modules/cashier/operator-withdrawals.ts";
import type { PaymentEvent } from "../../apps/server/src/modules/cashier/provider.ts";
import {
  createSandboxProvider,
  SEND_CALLBACK,
} from "../../apps/server/src/modules/cashier/sandbox-provider.ts";
import { REVIEW_WITHDRAWAL } from "../../apps/server/src/modules/cashier/withdrawals.ts";
import { setPassword } from "../../apps/server/src/modules/identity/accounts/password-setting.ts";
import {
  OWNER_MAIL,
  OwnerMails,
  ownerMailTask,
} from "../../apps/server/src/modules/identity/defence/owner-mails.ts";
import { PaymentProofs } from "../../apps/server/src/modules/identity/factors/payment-proofs.ts";
import type { Session } from "../../apps/server/src/modules/identity/identity.ts";
import { setPaymentPassword } from "../../apps/server/src/modules/identity/members/members.store.ts";
import { Passwords } from "../../apps/server/src/modules/identity/members/passwords.ts";
import { Sessions } from "../../apps/server/src/modules/identity/sessions/sessions.ts";
import { accountOf, type Ledger } from "../../apps/server/src/modules/ledger/ledger.ts";
import { type Act, Operators } from "../../apps/server/src/modules/operators/operators.ts";
import { createHttpServer, serveCalls } from "../../apps/server/src/platform/http/call-server.ts";
import { SIGNATURE_HEADER, sign } from "../../apps/server/src/platform/http/signature.ts";
import type { Task } from "../../apps/server/src/platform/jobs.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import type { Mail, Mailer } from "../../apps/server/src/platform/mail/mail.ts";
import { withTransaction } from "../../apps/server/src/platform/postgres/pool.ts";
import { quickArgon2 } from "../setup/quick-argon2.ts";
import { runDueJobs } from "../setup/run-due-jobs.ts";
import { databaseOfFile } from "../setup/test-database.ts";
import { taken } from "./answers.ts";
import { openOptions } from "./call-options.ts";
import {
  availableOf,
  ledgerOfFile,
  type ManualClock,
  makeBrand,
  makeMember,
  manualClock,
  seededEntropy,
} from "./fixtures.ts";

type CashierSettings = BrandSettingsJson["cashier"];

/** The key with which the sandbox provider signs its call-backs. */
export const SECRET = "a secret of the sandbox's own";
const CALLBACK = "POST /api/v1/cashier/callbacks/{provider}";

/**
 * A cashier with a brand, books and the sandbox provider, which calls back over HTTP. All tests
 * about payments use it; it is closed after the tests of the file that opened it.
 */
export async function openCashierHarness(
  seed: string,
  rules: Partial<CashierSettings> = {},
  given: {
    readonly clock?: ManualClock;
    /** Providers besides the sandbox and payments by hand. */
    readonly providers?: readonly PaymentProvider[];
    /** Payments name an address at which this cashier receives call-backs. */
    readonly reachable?: boolean;
    /** Settings of the brand, besides its cashier's. */
    readonly settings?: Partial<BrandSettingsJson>;
  } = {},
) {
  const clock = given.clock ?? manualClock();
  const entropy = seededEntropy(seed);
  const log = createLogger({ level: "silent" });
  const db = await databaseOfFile();
  const ledger = ledgerOfFile(db);
  const otherLedger = ledgerOfFile(db);
  const settings = { ...given.settings, cashier: { ...demoBrand.settings.cashier, ...rules } };
  const merchant = await makeBrand(db.pool, clock, { hosts: ["*"], settings });
  const brands = createBrands(db.pool, clock);
  const operators = new Operators(db.pool, clock, seededEntropy(`operators of ${seed}`));
  const clerk = { name: "Clerk", permissions: ["withdrawals"], days: 30 };
  const { operator } = taken(await operators.add(merchant.id, clerk));
  const act: Act = { operator, requestId: "request of the harness", address: "127.0.0.1" };
  let people = 0;
  /** The members to whom a change was told, once per change. */
  const told: string[] = [];
  const alarms: string[] = [];
  const letters: Mail[] = [];
  /** The provider does this next instead of answering a call. */
  let outage: (() => never) | null = null;
  let address = "";
  let events = 0;

  const sandbox = createSandboxProvider({
    pool: db.pool,
    clock,
    entropy,
    secret: SECRET,
    callbackBase: () => address,
  });
  const withOutages: PaymentProvider = {
    ...sandbox,
    openDeposit: (deposit) => (outage === null ? sandbox.openDeposit(deposit) : outage()),
    sendPayout: (payout) => (outage === null ? sandbox.sendPayout(payout) : outage()),
  };
  const manual = createManualProvider({ pool: db.pool, clock, entropy });
  const passwords = new Passwords(entropy, quickArgon2);
  const paymentProofs = new PaymentProofs({
    ...{ pool: db.pool, clock, passwords },
    passkeys: { paysBy: async () => null },
  });
  const mailer: Mailer = {
    async send(mail) {
      letters.push(mail);
      return ok(undefined);
    },
  };
  const sessions = new Sessions(db.pool, clock, seededEntropy(`sessions of ${seed}`));
  const ownerMails = new OwnerMails(clock, true);
  const mailOwner = ownerMailTask({ mailer, clock, log, merchantById: (id) => brands.byId(id) });
  /** A cashier over other books, and with fewer providers if some were removed. */
  const cashierOver = (books: Ledger, providers = given.providers ?? []) =>
    new Cashier({
      ownerMails,
      pool: db.pool,
      ledger: books,
      clock,
      providers: [withOutages, manual, ...providers],
      merchantById: (id) => brands.byId(id),
      paymentProofs,
      // The address is known once the server listens.
      get publicUrl() {
        return given.reachable === true ? address : "https://perya.test";
      },
      onChange: (memberId) => told.push(memberId),
      onAlarm: (what) => alarms.push(what),
    });
  const staffOf = (of: Cashier) => ({
    deposits: new OperatorDeposits(db.pool, clock, of),
    withdrawals: new OperatorWithdrawals(db.pool, clock, of),
  });
  const cashier = cashierOver(ledger);
  const evidence = new ManualEvidence(db.pool, clock, cashier.deposits);
  const routes = cashierRoutes({
    cashier,
    evidence,
    deviceOf: async () => ({ device: "a device", network: null }),
  });
  const options = openOptions({ log, clock, entropy, brands });
  const app = await createHttpServer(options);
  afterAll(() => app.close());
  const handlers = { [CALLBACK]: routes[CALLBACK] };
  serveCalls(app, { [CALLBACK]: calls[CALLBACK] }, handlers, options);
  await app.listen({ host: "127.0.0.1", port: 0 });
  // A server that listens on TCP has an address of this type.
  address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  function fresh(kind: "deposit" | "withdrawal"): string {
    return mintId(kind, clock.now(), entropy.bytes(16));
  }

  async function runAll(tasks: Readonly<Record<string, Task>>): Promise<void> {
    // The runner complains when it has nothing to run.
    if (Object.keys(tasks).length === 0) return;
    await db.pool.query(
      "SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now()) FROM graphile_worker.jobs",
    );
    await runDueJobs({ pool: db.pool, log, tasks });
  }

  function walletOf(session: Session) {
    return accountOf(session.memberId, session.currency);
  }

  return {
    clock,
    db,
    ledger,
    /** The act of an operator who decides about withdrawals. */
    act,
    brands,
    merchant,
    cashier,
    passwords,
    paymentProofs,
    sessions,
    operators,
    staff: staffOf(cashier),
    staffOf,
    /** The same cashier in another process. */
    elsewhere: cashierOver(otherLedger),
    cashierOver,
    sandbox,
    evidence,
    /** Messages to players, oldest first. */
    told,
    /** Alarms about faults that only a person can fix, oldest first. */
    alarms,
    fresh,
    walletOf,

    /** The mails sent to owners since the last call, oldest first. */
    async mailed(): Promise<Mail[]> {
      await runAll({ [OWNER_MAIL]: mailOwner });
      return letters.splice(0);
    },

    /** From now on the provider does this instead of answering a call; null ends it. */
    setOutage(instead: (() => never) | null): void {
      outage = instead;
    },

    /** A new operator, with every permission and of this brand unless it is said otherwise. */
    async employ(
      name = `Person ${++people}`,
      permissions: readonly OperatorPermission[] = OPERATOR_PERMISSIONS,
      brand = merchant,
    ): Promise<Act> {
      const person = taken(await operators.add(brand.id, { name, permissions, days: 30 }));
      return { ...act, operator: person.operator };
    },

    player(balance: bigint): Promise<Session> {
      return makeMember({ pool: db.pool, ledger, clock }, merchant, { balance });
    },

    /** A session of the same member on another device. */
    async another(session: Session): Promise<Session> {
      const id = mintId("session", clock.now(), entropy.bytes(16));
      await db.pool.query(
        `INSERT INTO sessions (id, merchant_id, member_id, storage_half_hash, cookie_half_hash,
           user_agent, address, method, created_at, seen_at, expires_at)
         SELECT $2, merchant_id, member_id, sha256($2::text::bytea), sha256($2::text::bytea),
           user_agent, address, method, t.now, t.now, t.now + interval '30 days'
         FROM sessions, (SELECT to_timestamp($3 / 1000.0) AS now) t WHERE id = $1`,
        [session.id, id, clock.now()],
      );
      return { ...session, id };
    },

    /** Sets a new password in this session, at an instant that may have been read before. */
    async newPassword({ id, memberId }: Session, at = clock.now()): Promise<void> {
      const given = { memberId, passwordHash: `another of ${at}`, except: id };
      await withTransaction(db.pool, (client) => setPassword(client, given, at));
    },

    /** Sets the payment password under the member's lock, as its owner does. */
    async newDigits(client: pg.ClientBase, { id, memberId }: Session): Promise<void> {
      const by = { sessionId: id, memberId };
      await setPaymentPassword(client, by, "a hash of digits", clock.now(), true);
    },

    available(session: Session): Promise<bigint> {
      return availableOf(ledger, walletOf(session));
    },

    async opened(session: Session, minor: bigint) {
      const given = { id: fresh("deposit"), method: "gwallet", amount: php(minor) };
      const row = taken(await cashier.deposits.open(merchant, session, given));
      return { id: row.id, payUrl: row.pay_url };
    },

    /** Withdraws to a number and from a device that no other player of the test uses. */
    withdraw(
      session: Session,
      minor: bigint,
      change: {
        readonly id?: string;
        readonly device?: string;
        readonly network?: string;
        readonly language?: string;
        readonly [more: string]: unknown;
      } = {},
      at = cashier,
    ) {
      const { language = "EN", network = null, ...more } = change;
      const { device = `device of ${session.memberId}`, ...other } = more;
      const given = {
        id: fresh("withdrawal"),
        method: "gwallet",
        destination: numberOf(session),
        amount: php(minor),
        ...other,
      };
      return at.withdrawals.request(merchant, session, given, { device, network, language });
    },

    /** Deletes every job, as if it were lost with its process. */
    async loseJobs(): Promise<void> {
      await db.pool.query("DELETE FROM graphile_worker._private_jobs");
    },

    async stored(session: Session, id: string) {
      return present(await cashier.deposits.find(session, id), "the deposit");
    },

    async withdrawal(session: Session, id: string) {
      return present(await cashier.withdrawals.find(session, id), "the withdrawal");
    },

    /** Runs due jobs until none is left; the next call runs failed jobs once more at its end. */
    async runJobs(): Promise<void> {
      await runAll({
        [REVIEW_WITHDRAWAL]: (payload) =>
          cashier.withdrawals.review((payload as { id: string }).id), // our job
        [SEND_CALLBACK]: (payload) => sandbox.deliver(payload),
        ...cashier.providerTasks,
      });
      // The sandbox sends these call-backs a moment later.
      const { rowCount } = await db.pool.query(
        `SELECT graphile_worker.reschedule_jobs(ARRAY[id], run_at := now())
         FROM graphile_worker.jobs WHERE task_identifier = $1 AND attempts = 0`,
        [SEND_CALLBACK],
      );
      if (rowCount === 0) return;
      const deliver = (payload: unknown) => sandbox.deliver(payload);
      await runDueJobs({ pool: db.pool, log, tasks: { [SEND_CALLBACK]: deliver } });
    },

    /** Sweeps as the job of every minute does, then makes the calls that it left for providers. */
    async sweep(): Promise<void> {
      const onAlarm = (what: string) => void alarms.push(what);
      await sweepCashier({ ...cashier, pool: db.pool, clock, onAlarm });
      await runAll(cashier.providerTasks);
    },

    /** How often the provider was asked to pay. */
    async payouts(id: string): Promise<number> {
      const { rowCount } = await db.pool.query(
        "SELECT 1 FROM sandbox_payments WHERE external_id = $1 AND kind = 'withdrawal'",
        [id],
      );
      return rowCount ?? 0;
    },

    event(
      kind: PaymentEvent["kind"],
      reference: string,
      status: PaymentEvent["status"],
      minor: bigint,
    ): PaymentEvent {
      events += 1;
      const amount = php(minor);
      return { eventId: `event ${events}`, kind, reference, status, amount, at: clock.now() };
    },

    /** Delivers a call-back like the provider; answers the HTTP status. */
    async callBack(body: PaymentEvent, signature?: string, provider = "sandbox"): Promise<number> {
      const text = JSON.stringify({ ...body, amount: toWire(body.amount) });
      const answer = await fetch(`${address}/api/v1/cashier/callbacks/${provider}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          [SIGNATURE_HEADER]: signature ?? sign(SECRET, text, clock.now()),
        },
        body: text,
      });
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}

const numbers = new Map<string, string>();

function numberOf({ memberId }: Session): string {
  const known = numbers.get(memberId) ?? `0917${1_000_001 + numbers.size}`;
  numbers.set(memberId, known);
  return known;
}

export function php(minor: bigint) {
  return money(minor, "PHP");
}
