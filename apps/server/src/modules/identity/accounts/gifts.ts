import { createHash } from "node:crypto";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { DAY_MS } from "@perya/kernel/instant";
import { type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { addressBlock, blocksOf, machinesAt } from "../../../platform/address-block.ts";
import { eachByItself } from "../../../platform/each-by-itself.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import { sweep } from "../../../platform/postgres/sweep.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import { deviceHashOf, isOwnPhone, type KnownDevices } from "../defence/known-devices.ts";
import { ownAccount } from "../members/members.store.ts";
import type { Session } from "../sessions/session.ts";
import type { Origin } from "./new-accounts.ts";

/** Longer than any offer of the house lasts. */
const KEPT_MS = 400 * DAY_MS;
/**
 * Members per address and day who are given the same gift: those with a verified number, since
 * carriers put many phones behind one address, and those with a phone that paid in, as in an
 * internet café or a family. All others at the address count as one.
 */
const NUMBERS_AT_A_PLACE = 100;
const PHONES_AT_A_PLACE = 20;
/** A rain is over within a minute, and there are hundreds of them a day. */
const RAINS_KEPT_MS = 2 * DAY_MS;

export interface GiftsOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly devices: Pick<KnownDevices, "knownSince">;
  /** Where a member's money has gone, from the cashier; `isOwn`: nobody was paid more there. */
  readonly payoutAccountsOf: (
    session: Session,
  ) => Promise<readonly { readonly destination: string; readonly isOwn: boolean }[]>;
  /** Whether the member ever paid money in, from the cashier. */
  readonly hasPaidIn: (session: Session) => Promise<boolean>;
}

/** What the house gives once per person: one rain, one promotion. */
export type Occasion = { readonly rain: string } | { readonly promotion: string };

/**
 * Claims a gift for its member in the transaction that gives it (see `give`), so that both commit
 * or neither does. Refuses by a throw, which no caller can forget to check.
 */
export type ClaimGift = (client: pg.ClientBase) => Promise<void>;

/** For gifts of the demo's history, which no other gift limits. */
export const CLAIMS_NOTHING: ClaimGift = async () => undefined;

/**
 * Checked before everything that costs the house money. A person has one number, one phone and one
 * account for their money. Accounts that share the phone or the payout account are one person's,
 * and only the first of them is given the gift. A payout account belongs to the member to whom most
 * of its money went: others who paid out there take nothing from that member, and count as one
 * person while that member was not given the gift. A member without a verified number and without a
 * day-old phone of an account that paid in counts as their address, at which nobody may have been
 * given anything: a browser can leave a cookie out or get a new one per account, and waiting a day
 * is cheap. Staking the house's own gifts proves nothing. An address also has a limit per day for
 * members who do prove something.
 */
export class Gifts {
  readonly #options: GiftsOptions;

  constructor(options: GiftsOptions) {
    this.#options = options;
  }

  /**
   * The claim by which a member takes a gift, the same one when repeated. It refuses with
   * `number_needed`, if the brand asks for a verified number or only a number would tell the member
   * from others at their address, or with `gift_taken`. All reads about the member happen here: the
   * transaction that gives holds a connection already and must not wait for a second one.
   */
  async claimOf(
    merchant: Merchant,
    session: Session,
    occasion: Occasion,
    { token, address }: Origin,
  ): Promise<ClaimGift> {
    const { pool, clock, devices, payoutAccountsOf, hasPaidIn } = this.#options;
    const { memberId } = session;
    const account = await ownAccount(pool, session);
    const hasNumber = account.mobile_verified_at !== null;
    const now = clock.now();
    const device = deviceHashOf(token);
    const since = device === null ? null : await devices.knownSince(memberId, device);
    const isShown = hasNumber || (isOwnPhone(since, now) && (await hasPaidIn(session)));
    const room = hasNumber ? NUMBERS_AT_A_PLACE : PHONES_AT_A_PLACE;
    const machines = machinesAt(address);
    const places = blocksOf(address).map(({ block, times }) => ({
      place: claimant("address", block),
      max: (isShown ? room * machines : 1) * times,
    }));
    const here = claimant("address", addressBlock(address));
    const accounts = await payoutAccountsOf(session);
    const theirs = [
      ...(device !== null && since !== null ? [claimant("device", device.toString("hex"))] : []),
      ...accounts.map((one) => claimant(one.isOwn ? "payout" : "payer", one.destination)),
    ];
    const anothers = accounts
      .filter(({ isOwn }) => !isOwn)
      .map(({ destination }) => claimant("payout", destination));
    const claim = { merchantId: merchant.id, occasion: nameOf(occasion), memberId };
    return async (client) => {
      if (merchant.settings.gifts.verifiedNumber && !hasNumber) {
        throw new NotGiven(refusal("number_needed"));
      }
      const claimants = [...theirs, ...places.map(({ place }) => place)];
      const others = await claimAll(client, { ...claim, claimants, seen: anothers }, now);
      const taken = (one: Buffer) => others.some((other) => other.equals(one));
      if ([...theirs, ...anothers].some(taken)) throw new NotGiven(refusal("gift_taken"));
      const given = await seatAt(
        client,
        claim,
        places.map(({ place }) => place),
        now,
      );
      // The member was given it at this very place before.
      if (given === null) return;
      const seatsAt = (place: Buffer) => given.get(place.toString("hex")) ?? NO_SEATS;
      // Many phones share an address, so a phone that is shown does not take the gift from others.
      // Only the first of them claims the address; the others keep their seats if it is refused.
      if (!isShown && (taken(here) || seatsAt(here).ever > 1)) {
        throw new NotGiven(refusal("number_needed"));
      }
      if (places.some(({ place, max }) => seatsAt(place).lately > max)) {
        throw new NotGiven(refusal(hasNumber ? "gift_taken" : "number_needed"));
      }
    };
  }

  async sweep(): Promise<void> {
    const { pool, clock } = this.#options;
    const now = clock.now();
    const claims = { table: "gift_claims", by: "at" };
    await eachByItself({
      rains: () => sweep(pool, { ...claims, where: "occasion LIKE 'rain:%'" }, now - RAINS_KEPT_MS),
      claims: () => sweep(pool, claims, now - KEPT_MS),
    });
  }
}

/**
 * The transaction in which a gift is given. A refusal undoes the claim as well. Its work locks the
 * member first, then claims, and waits for nobody after that, so that no two deadlock.
 */
export async function give<T>(
  pool: pg.Pool,
  work: (client: pg.ClientBase) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  return withTransaction(pool, async (client) => {
    const given = await work(client);
    if (!given.ok) throw new NotGiven(given.error);
    return given;
  }).catch((error: unknown) => {
    if (error instanceof NotGiven) return refuse(error.refusal);
    throw error;
  });
}

/** A gift that the house finally rejected may be given to another member. */
export async function releaseGift(
  client: pg.ClientBase,
  { merchantId, memberId }: { readonly merchantId: string; readonly memberId: string },
  occasion: Occasion,
): Promise<void> {
  await client.query(
    "DELETE FROM gift_claims WHERE merchant_id = $1 AND occasion = $2 AND member_id = $3",
    [merchantId, nameOf(occasion), memberId],
  );
}

/** Undoes all work of the transaction that was to give. */
class NotGiven extends Error {
  override name = "NotGiven";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

interface Claim {
  readonly merchantId: string;
  readonly occasion: string;
  readonly claimants: readonly Buffer[];
  readonly seen: readonly Buffer[];
  readonly memberId: string;
}

/**
 * Claims the keys that nobody has, in one order, so that the second of two accounts that come at
 * once waits and sees the first; answers what others had claimed earlier.
 */
async function claimAll(
  client: pg.ClientBase,
  { merchantId, occasion, claimants, seen, memberId }: Claim,
  at: number,
): Promise<readonly Buffer[]> {
  await client.query(
    `INSERT INTO gift_claims (merchant_id, occasion, claimant, member_id, at)
     SELECT $1, $2, claimant, $4, to_timestamp($5 / 1000.0)
     FROM unnest($3::bytea[]) AS claimant ORDER BY claimant
     ON CONFLICT DO NOTHING`,
    [merchantId, occasion, claimants, memberId, at],
  );
  const { rows } = await client.query<{ claimant: Buffer }>(
    `SELECT claimant FROM gift_claims WHERE merchant_id = $1 AND occasion = $2
       AND claimant = ANY ($3::bytea[]) AND member_id <> $4`,
    [merchantId, occasion, [...claimants, ...seen], memberId],
  );
  return rows.map((row) => row.claimant);
}

/** Members who were given something at a place, including the asker: in the last day, and ever. */
interface Seats {
  readonly lately: number;
  readonly ever: number;
}

const NO_SEATS: Seats = { lately: 0, ever: 0 };

/**
 * Seats a member at the places where they are given something, one after another per place, and
 * answers who sits there, by the place in hex; null if they sat at all of them before.
 */
async function seatAt(
  client: pg.ClientBase,
  { merchantId, occasion, memberId }: Omit<Claim, "claimants" | "seen">,
  places: readonly Buffer[],
  at: number,
): Promise<ReadonlyMap<string, Seats> | null> {
  await client.query(
    `SELECT FROM gift_claims WHERE merchant_id = $1 AND occasion = $2
       AND claimant = ANY ($3::bytea[]) ORDER BY claimant FOR NO KEY UPDATE`,
    [merchantId, occasion, places],
  );
  const seats = places.map((place) => claimant("seat", `${place.toString("hex")}\n${memberId}`));
  const { rowCount: seated } = await client.query(
    `INSERT INTO gift_claims (merchant_id, occasion, claimant, member_id, place, at)
     SELECT $1, $2, seat, $5, place, to_timestamp($6 / 1000.0)
     FROM unnest($3::bytea[], $4::bytea[]) AS seated (seat, place)
     ON CONFLICT DO NOTHING`,
    [merchantId, occasion, seats, places, memberId, at],
  );
  if (seated === 0) return null;
  const { rows } = await client.query<{ place: Buffer } & Seats>(
    `SELECT place, count(*)::int AS ever,
       count(*) FILTER (WHERE at > to_timestamp($4 / 1000.0))::int AS lately
     FROM gift_claims
     WHERE merchant_id = $1 AND occasion = $2 AND place = ANY ($3::bytea[])
     GROUP BY place`,
    [merchantId, occasion, places, at - DAY_MS],
  );
  return new Map(rows.map(({ place, ...seats }) => [place.toString("hex"), seats]));
}

function claimant(kind: "device" | "address" | "payout" | "payer" | "seat", value: string): Buffer {
  return createHash("sha256").update(`${kind}\n${value}`).digest();
}

function nameOf(occasion: Occasion): string {
  return "rain" in occasion ? `rain:${occasion.rain}` : `promotion:${occasion.promotion}`;
}
