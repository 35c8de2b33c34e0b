import type { Clock, Entropy } from "@perya/kernel/instant";
import { currencyOf, money } from "@perya/kernel/money";
import type pg from "pg";
import type { Merchant } from "../brand/brand.ts";
import {
  findManualDeposits,
  type HouseAccount,
  insertManualDeposit,
} from "./manual-deposits.store.ts";
import { findPayout, queuePayout } from "./manual-payouts.store.ts";
import { type KnownPayment, type PaymentProvider, ProviderRefused } from "./provider.ts";

export const MANUAL = "manual";

/** Letters and digits that nobody confuses with one another, on paper or on the phone. */
const ALPHABET = "ACDEFGHJKMNPQRTVWXY3479";
const CODE_CHARS = 7;
/** Codes tried before a deposit is left for later; two collide once in billions. */
const CODES_TRIED = 5;

/**
 * Payments by people: players send money to an account of the house with a code of ours, and
 * operators send it out from a queue. This module stores what operators decide; the cashier asks it
 * as it asks any provider, so that no decision is lost with a process.
 */
export function createManualProvider(options: {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly entropy: Entropy;
}): PaymentProvider {
  const { pool, clock, entropy } = options;

  async function writeDeposit(id: string, merchant: Merchant, house: HouseAccount) {
    const row = { deposit_id: id, merchant_id: merchant.id, currency: merchant.currency, house };
    for (let tries = 0; tries < CODES_TRIED; tries++) {
      await insertManualDeposit(pool, { ...row, code: freshCode(entropy) });
      const code = await codeOf(id);
      if (code !== null) return code;
    }
    throw new Error(`no free code for deposit ${id}`);
  }

  async function codeOf(id: string): Promise<string | null> {
    return (await findManualDeposits(pool, [id])).get(id)?.code ?? null;
  }

  return {
    code: MANUAL,
    isOutside: false,

    serves: (merchant, { kind, code }) =>
      kind === "withdrawal" || houseAccountOf(merchant, code) !== null,

    async openDeposit({ id, merchant, method, returnUrl }) {
      const house = houseAccountOf(merchant, method);
      // Removed since the deposit was requested: one that was opened stays open, since its player
      // may have seen where to pay.
      const code = house === null ? await codeOf(id) : await writeDeposit(id, merchant, house);
      if (code === null) throw new ProviderRefused(`${merchant.code} has no account for ${method}`);
      // The player pays elsewhere; our own screen says where, and takes the receipt.
      return { reference: code, payUrl: returnUrl };
    },

    async sendPayout({ id, merchant, amount }) {
      const { minor: amountMinor, currency } = amount;
      const row = { id, merchantId: merchant.id, amountMinor, currency };
      await queuePayout(pool, row, clock.now());
    },

    ask: (kind, id) => (kind === "deposit" ? askDeposit(pool, id) : askPayout(pool, id)),

    // Nobody calls back: people have calls of their own.
    isSigned: () => false,
  };
}

function houseAccountOf(merchant: Merchant, method: string): HouseAccount | null {
  const found = merchant.settings.cashier.houseAccounts.find((one) => one.method === method);
  if (found === undefined) return null;
  const { name, number, holder, instructions, qr } = found;
  return { name, number, holder, instructions, qr };
}

async function askDeposit(pool: pg.Pool, id: string): Promise<KnownPayment | null> {
  const row = (await findManualDeposits(pool, [id])).get(id);
  if (row === undefined || row.decision === null) return null;
  const amount = (minor: bigint) => money(minor, currencyOf(row.currency));
  return row.received_minor === null
    ? { status: "failed", amount: amount(0n), reason: row.reason }
    : { status: "paid", amount: amount(row.received_minor) };
}

async function askPayout(pool: pg.Pool, id: string): Promise<KnownPayment | null> {
  const row = await findPayout(pool, id);
  if (row === null) return null;
  const amount = money(row.amount_minor, currencyOf(row.currency));
  if (row.state === "paid") return { status: "paid", amount };
  if (row.state === "failed") return { status: "failed", amount, reason: row.reason };
  return { status: "pending", amount };
}

function freshCode(entropy: Entropy): string {
  const digits = [...entropy.bytes(CODE_CHARS)];
  return digits.map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
}
