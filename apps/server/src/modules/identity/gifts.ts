import { createHash } from "node:crypto";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Clock, DAY_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Merchant } from "../brand/brand.ts";
import { findAccount } from "./account.store.ts";
import { deviceHashOf, type KnownDevices } from "./known-devices.ts";
import type { Session } from "./session.ts";

/** Longer than any offer of the house lasts. */
const KEPT_MS = 400 * DAY_MS;
/** A rain is over within a minute, and there are hundreds of them a day. */
const RAINS_KEPT_MS = 2 * DAY_MS;

export interface GiftsOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly devices: Pick<KnownDevices, "knows">;
  /** Where a member's money has gone, by the cashier's word. */
  readonly payoutAccountsOf: (session: Session) => Promise<readonly string[]>;
}

/** What the house gives once a person: one rain, one promotion. */
export type Occasion = { readonly rain: string } | { readonly promotion: string };

/**
 * Stands before whatever costs the house money. A person has one number, one phone and one account
 * for their money; accounts that share the phone or where the money goes are one person's, and the
 * first of them alone is given to.
 */
export class Gifts {
  readonly #options: GiftsOptions;

  constructor(options: GiftsOptions) {
    this.#options = options;
  }

  /**
   * Lets a member take a gift, again and again the same one. Refuses with `number_needed`, where
   * the brand asks for a verified one, or `gift_taken`.
   */
  async admit(
    merchant: Merchant,
    session: Session,
    occasion: Occasion,
    deviceToken: string | undefined,
  ): Promise<Result<void, Refusal>> {
    const { pool, clock, devices, payoutAccountsOf } = this.#options;
    const { memberId } = session;
    if (merchant.settings.gifts.verifiedNumber) {
      const account = present(await findAccount(pool, merchant.id, memberId), "the member");
      if (account.mobile_verified_at === null) return refuse(refusal("number_needed"));
    }
    const device = deviceHashOf(deviceToken);
    const known = device !== null && (await devices.knows(memberId, device));
    const claimants = [
      ...(known ? [claimant("device", device.toString("hex"))] : []),
      ...(await payoutAccountsOf(session)).map((account) => claimant("payout", account)),
    ];
    if (claimants.length === 0) return ok(undefined);
    const claim = { merchantId: merchant.id, occasion: nameOf(occasion), claimants, memberId };
    try {
      await withTransaction(pool, (client) => claimAll(client, claim, clock.now()));
      return ok(undefined);
    } catch (error) {
      if (error instanceof GiftTaken) return refuse(refusal("gift_taken"));
      throw error;
    }
  }

  /** Run by a job: claims on what is over by now. */
  async sweep(): Promise<void> {
    const { pool, clock } = this.#options;
    const now = clock.now();
    await pool.query(
      `DELETE FROM gift_claims WHERE at <= to_timestamp($1 / 1000.0)
         AND (at <= to_timestamp($2 / 1000.0) OR occasion LIKE 'rain:%')`,
      [now - RAINS_KEPT_MS, now - KEPT_MS],
    );
  }
}

/** Undoes the claims of somebody of whom another account was first. */
class GiftTaken extends Error {}

interface Claim {
  readonly merchantId: string;
  readonly occasion: string;
  readonly claimants: readonly Buffer[];
  readonly memberId: string;
}

/** All or none, in one order: of two accounts that come at once, the second waits and sees. */
async function claimAll(
  client: pg.ClientBase,
  { merchantId, occasion, claimants, memberId }: Claim,
  at: number,
): Promise<void> {
  await client.query(
    `INSERT INTO gift_claims (merchant_id, occasion, claimant, member_id, at)
     SELECT $1, $2, claimant, $4, to_timestamp($5 / 1000.0)
     FROM unnest($3::bytea[]) AS claimant ORDER BY claimant
     ON CONFLICT DO NOTHING`,
    [merchantId, occasion, claimants, memberId, at],
  );
  const { rowCount } = await client.query(
    `SELECT 1 FROM gift_claims WHERE merchant_id = $1 AND occasion = $2
       AND claimant = ANY ($3::bytea[]) AND member_id <> $4 LIMIT 1`,
    [merchantId, occasion, claimants, memberId],
  );
  if (rowCount !== 0) throw new GiftTaken();
}

function claimant(kind: "device" | "payout", value: string): Buffer {
  return createHash("sha256").update(`${kind}\n${value}`).digest();
}

function nameOf(occasion: Occasion): string {
  return "rain" in occasion ? `rain:${occasion.rain}` : `promotion:${occasion.promotion}`;
}
