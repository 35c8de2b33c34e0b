import type { Instant } from "@perya/kernel/instant";
import { currencyOf, type Money, money, toWire } from "@perya/kernel/money";
import type pg from "pg";
import { isSignedBy, SIGNATURE_HEADER, sign } from "../../platform/http/signature.ts";
import { addJob } from "../../platform/jobs.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import type { PaymentEvent, PaymentKind, PaymentProvider } from "./provider.ts";

export const SEND_CALLBACK = "sandbox_send_callback";

/** Between "pending" and "paid": long enough to be seen, short enough for a demo. */
const SETTLE_DELAY_MS = 1_500;
const DELIVERY_TIMEOUT_MS = 10_000;

export interface SandboxOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly secret: string;
  /** Where call-backs are delivered: our own server, from the inside. */
  readonly callbackBase: () => string;
}

interface SandboxPayment {
  readonly reference: string;
  readonly kind: "deposit" | "withdrawal";
  readonly external_id: string;
  readonly return_url: string | null;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly label: string;
  readonly status: "pending" | "paid" | "failed";
  readonly created_at: Date;
}

const COLUMNS = `reference, kind, external_id, return_url, currency, amount_minor, label, status,
  created_at`;
/** The form of our references; no payment has any other. */
const REFERENCE = /^sbx_[0-9a-f]{30}$/;

export interface SandboxProvider extends PaymentProvider {
  find(reference: string): Promise<SandboxPayment | null>;
  /** The player's choice on the hosted page; false if it was decided before. */
  decide(reference: string, outcome: "paid" | "failed"): Promise<boolean>;
  deliver(payload: unknown): Promise<void>;
}

/**
 * A payment provider that moves no money: it keeps its own books, shows a hosted page, and tells
 * our server how payments ended by signed call-backs over HTTP, as a real one does. Pay-outs
 * succeed, except to numbers that end in 0000.
 */
export function createSandboxProvider(options: SandboxOptions): SandboxProvider {
  const { pool, clock, secret } = options;

  return {
    code: "sandbox",
    isOutside: false,

    serves: () => true,

    async openDeposit(deposit) {
      const label = deposit.merchant.name;
      const reference = await open(options, "deposit", { ...deposit, label }, "pending");
      return { reference, payUrl: `${deposit.origin}/pay/sandbox/${reference}` };
    },

    async sendPayout(payout) {
      const outcome = payout.destination.endsWith("0000") ? "failed" : "paid";
      const asked = { ...payout, label: payout.method, returnUrl: null };
      const reference = await open(options, "withdrawal", asked, outcome);
      const payment = await find(pool, reference);
      if (payment === null) throw new Error("a pay-out that was just written is there");
      // Asked to send it again, it gives the same answer.
      const at = payment.created_at.getTime();
      await tell(pool, payment, outcome, { at, afterMs: SETTLE_DELAY_MS });
    },

    async ask(kind, id) {
      const { rows } = await pool.query<SandboxPayment>(
        `SELECT ${COLUMNS} FROM sandbox_payments WHERE external_id = $1 AND kind = $2`,
        [id, kind],
      );
      const payment = rows[0];
      if (payment === undefined) return null;
      const { amount_minor, currency, created_at } = payment;
      // A pay-out's end is fixed from the start, and becomes known once it could have happened.
      const early = clock.now() < created_at.getTime() + SETTLE_DELAY_MS;
      const status = kind === "withdrawal" && early ? "pending" : payment.status;
      return { status, amount: money(amount_minor, currencyOf(currency)) };
    },

    isSigned: (rawBody, signature) => isSignedBy(secret, rawBody, signature, clock.now()),

    find: (reference) => find(pool, reference),

    decide: (reference, outcome) =>
      withTransaction(pool, async (client) => {
        if (!REFERENCE.test(reference)) return false;
        const { rows } = await client.query<SandboxPayment>(
          `UPDATE sandbox_payments SET status = $2 WHERE reference = $1 AND status = 'pending'
           RETURNING ${COLUMNS}`,
          [reference, outcome],
        );
        const payment = rows[0];
        if (payment === undefined) return false;
        const at = clock.now();
        if (outcome === "paid") await tell(client, payment, "pending", { at, afterMs: 0 });
        await tell(client, payment, outcome, { at, afterMs: SETTLE_DELAY_MS });
        return true;
      }),

    async deliver(payload) {
      const body = JSON.stringify(payload);
      const answer = await fetch(`${options.callbackBase()}/api/v1/cashier/callbacks/sandbox`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          [SIGNATURE_HEADER]: sign(secret, body, clock.now()),
        },
        body,
        signal: AbortSignal.timeout(DELIVERY_TIMEOUT_MS),
      });
      await answer.arrayBuffer();
      // Thrown so that the job is tried again, later and later, as a real provider would.
      if (!answer.ok) throw new Error(`the call-back was answered with ${answer.status}`);
    },
  };
}

async function open(
  { pool, clock, entropy }: SandboxOptions,
  kind: PaymentKind,
  payment: { id: string; amount: Money; label: string; returnUrl: string | null },
  status: SandboxPayment["status"],
): Promise<string> {
  const fresh = Buffer.from(entropy.bytes(15)).toString("hex");
  const { rows } = await pool.query<{ reference: string }>(
    `INSERT INTO sandbox_payments AS p (reference, kind, external_id, callback_url, return_url,
       currency, amount_minor, label, status, created_at)
     VALUES ($1, $2, $3, '', $4, $5, $6, $7, $9, to_timestamp($8 / 1000.0))
     ON CONFLICT (external_id) DO UPDATE SET label = p.label
     RETURNING reference`,
    [
      `sbx_${fresh}`,
      kind,
      payment.id,
      payment.returnUrl,
      payment.amount.currency,
      payment.amount.minor,
      payment.label,
      clock.now(),
      status,
    ],
  );
  return rows[0]?.reference ?? "";
}

async function find(pool: pg.Pool, reference: string): Promise<SandboxPayment | null> {
  if (!REFERENCE.test(reference)) return null;
  const { rows } = await pool.query<SandboxPayment>(
    `SELECT ${COLUMNS} FROM sandbox_payments WHERE reference = $1`,
    [reference],
  );
  return rows[0] ?? null;
}

async function tell(
  db: pg.Pool | pg.ClientBase,
  payment: SandboxPayment,
  status: PaymentEvent["status"],
  { at, afterMs }: { readonly at: Instant; readonly afterMs: number },
): Promise<void> {
  const eventId = `${payment.reference}:${status}`;
  const event = {
    eventId,
    kind: payment.kind,
    reference: payment.external_id,
    status,
    amount: toWire(money(payment.amount_minor, currencyOf(payment.currency))),
    at,
  };
  const key = `${SEND_CALLBACK}:${eventId}`;
  await addJob(db, { task: SEND_CALLBACK, payload: event, key, runAt: null, afterMs });
}
