import type pg from "pg";
import { demoBrand } from "../../apps/server/src/demo/demo-brand.ts";
import { SIMULATED_VENDORS } from "../../apps/server/src/demo/demo-catalogue.ts";
import { createBrands, type Merchant } from "../../apps/server/src/modules/brand/brand.ts";
import { findMemberByName } from "../../apps/server/src/modules/identity/identity.ts";
import { Sessions } from "../../apps/server/src/modules/identity/sessions/sessions.ts";
import { Ledger } from "../../apps/server/src/modules/ledger/ledger.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { createPool } from "../../apps/server/src/platform/postgres/pool.ts";
import { mintId } from "../../packages/kernel/src/ids.ts";
import { makeMember } from "../server/fixtures.ts";
import type { VendorSeat } from "./vendor.ts";

/** A player of the campaign, logged in. */
export interface Seat {
  readonly username: string;
  readonly memberId: string;
  readonly sessionId: string;
  readonly address: string;
  /** Both halves of the session. */
  readonly token: string;
  readonly cookie: string;
}

/** The players at the house and at vendors, each logged in. */
export interface People {
  readonly seats: readonly Seat[];
  readonly vendorSeats: readonly VendorSeat[];
}

/** The method of the outside provider; the demo's other methods are the sandbox's. */
export const OUTSIDE_METHOD = "outside";

const PLAYERS = 50;
const AT_VENDORS = 8;
/** ₱100,000 each, so that no player lacks money for long. */
const OPENING_MINOR = 10_000_000n;
const ENDLESS = "100000000000";

/** Players with money and a log-in, in a brand that takes deposits through an outside provider. */
export async function peopleOf(databaseUrl: string): Promise<People> {
  const pool = createPool(databaseUrl, { max: 4, log: createLogger({ level: "silent" }) });
  const ledger = new Ledger({ databaseUrl, pool, writers: 1, onTrouble: () => undefined });
  try {
    await changeBrand(pool);
    const brand = await createBrands(pool, systemClock).byId(demoBrand.id);
    if (brand === null) throw new Error("the demo is not there");
    const seats: Seat[] = [];
    for (let n = 1; n <= PLAYERS; n++) seats.push(await addPlayer({ pool, ledger }, brand, n));
    const atVendors = seats.slice(0, AT_VENDORS);
    const vendorSeats = await Promise.all(atVendors.map((seat, n) => launch(pool, seat, n)));
    return { seats, vendorSeats };
  } finally {
    await ledger.close();
    await pool.end();
  }
}

async function addPlayer(
  { pool, ledger }: { readonly pool: pg.Pool; readonly ledger: Ledger },
  brand: Merchant,
  number: number,
): Promise<Seat> {
  const username = `suki_${number}`;
  const clock = systemClock;
  const { memberId } = await makeMember({ pool, ledger, clock }, brand, {
    ...{ username, balance: OPENING_MINOR },
  });
  const member = await findMemberByName(pool, brand.id, username);
  if (member === null) throw new Error(`${username} is not there`);
  const address = `203.0.${Math.floor(number / 250)}.${number % 250}`;
  const sessions = new Sessions(pool, clock, systemEntropy);
  const device = { address, userAgent: "campaign" };
  const { halves } = await sessions.start(member, device, "password");
  const { rows } = await pool.query("SELECT id FROM sessions WHERE member_id = $1", [memberId]);
  const cookie = `perya_session=${halves.cookie}`;
  return { username, memberId, sessionId: rows[0].id, address, token: halves.storage, cookie };
}

/** A game that the player has launched and the vendor has opened. */
async function launch(pool: pg.Pool, seat: Seat, number: number): Promise<VendorSeat> {
  const { rows } = await pool.query<{ vendor: string; game_id: string }>(
    `SELECT vendor, game_id FROM games WHERE merchant_id = $1 AND vendor = ANY($2)
     ORDER BY node_id OFFSET $3 LIMIT 1`,
    [demoBrand.id, SIMULATED_VENDORS, number],
  );
  const [game] = rows;
  if (game === undefined) throw new Error("no vendor is simulated");
  const play = mintId("play", systemClock.now(), systemEntropy.bytes(16));
  await pool.query(
    `INSERT INTO vendor_plays (id, token_hash, merchant_id, member_id, session_id, vendor, game_id,
       currency, language, created_at, opened_at)
     VALUES ($1, sha256($1::text::bytea), $2, $3, $4, $5, $6, 'PHP', 'EN', now(), now())`,
    [play, demoBrand.id, seat.memberId, seat.sessionId, game.vendor, game.game_id],
  );
  return { vendor: game.vendor, play, gameId: game.game_id, memberId: seat.memberId };
}

/**
 * Adds a method like the sandbox's G-Wallet, but by the outside provider and approved at once, and
 * switches on the cockfight, which the demo's brand has off.
 */
async function changeBrand(pool: pg.Pool): Promise<void> {
  const { cashier } = demoBrand.settings;
  const outside = cashier.methods
    .filter(({ code }) => code === "gwallet")
    .map((method) => ({ ...method, code: OUTSIDE_METHOD, name: "Outside", provider: "gateway" }));
  const changed = {
    ...cashier,
    methods: [...cashier.methods, ...outside],
    openMax: 1_000,
    autoApproveDaily: { playerMinor: ENDLESS, destinationMinor: ENDLESS, deviceMinor: ENDLESS },
  };
  await pool.query(
    `UPDATE merchants SET settings =
       jsonb_set(jsonb_set(settings, '{cashier}', $1), '{flags,COCKFIGHT}', 'true')`,
    [JSON.stringify(changed)],
  );
}
