import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { ADD_JOBS, type NewJob } from "../../platform/jobs.ts";
import { type Db, withTransaction } from "../../platform/postgres/pool.ts";
import { type BatchStatement, type BookCheck, checkByLane } from "../ledger/ledger.ts";

/** Checked: a packet is paid once, to the member who caught it. */
export const payPacket: BatchStatement = {
  name: "red_rain_10_pay_packet",
  sql: `UPDATE red_packets p SET paid_at = to_timestamp(u.at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(rain_id text, number integer, member_id text, at bigint)
        WHERE p.rain_id = u.rain_id AND p.number = u.number AND p.member_id = u.member_id
          AND p.paid_at IS NULL`,
  mustAffectEach: true,
};

export interface RainRow {
  readonly id: string;
  readonly currency: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly budget_minor: bigint;
  readonly largest_minor: bigint;
  readonly catch_max: number;
  readonly closed_at: Date | null;
}

const RAIN_COLUMNS = `r.id, r.currency, r.starts_at, r.ends_at, r.budget_minor, r.largest_minor,
  r.catch_max, r.closed_at`;

export interface NewRain {
  readonly id: string;
  readonly startsAt: Instant;
  readonly endsAt: Instant;
  readonly budgetMinor: bigint;
  readonly largestMinor: bigint;
  readonly catchMax: number;
  /** The amounts of its packets, in the order in which they are caught. */
  readonly packetsMinor: readonly bigint[];
}

/** A rain with its packets and its job; nothing if another process planned it meanwhile. */
export async function insertRain(
  pool: pg.Pool,
  merchant: { readonly id: string; readonly currency: string },
  rain: NewRain,
  at: Instant,
  job: NewJob,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `INSERT INTO red_rains (id, merchant_id, currency, starts_at, ends_at, budget_minor,
         largest_minor, catch_max, created_at)
       VALUES ($1, $2, $3, to_timestamp($4 / 1000.0), to_timestamp($5 / 1000.0), $6, $7, $8,
         to_timestamp($9 / 1000.0))
       ON CONFLICT (merchant_id, starts_at) DO NOTHING`,
      [
        rain.id,
        merchant.id,
        merchant.currency,
        rain.startsAt,
        rain.endsAt,
        rain.budgetMinor,
        rain.largestMinor,
        rain.catchMax,
        at,
      ],
    );
    if (rowCount === 0) return;
    await client.query(
      `INSERT INTO red_packets (rain_id, number, amount_minor)
       SELECT $1, number, amount FROM unnest($2::bigint[]) WITH ORDINALITY AS u(amount, number)`,
      [rain.id, rain.packetsMinor.map(String)],
    );
    await client.query(ADD_JOBS, [JSON.stringify([job])]);
  });
}

export async function findRain(db: Db, merchantId: string, id: string): Promise<RainRow | null> {
  const { rows } = await db.query<RainRow>(
    `SELECT ${RAIN_COLUMNS} FROM red_rains r WHERE r.merchant_id = $1 AND r.id = $2`,
    [merchantId, id],
  );
  return rows[0] ?? null;
}

/** Any brand's, for the job that closes it. */
export async function findAnyRain(db: Db, id: string): Promise<RainRow | null> {
  const { rows } = await db.query<RainRow>(
    `SELECT ${RAIN_COLUMNS} FROM red_rains r WHERE r.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** The rain that falls at this instant, else the next; with the packets that nobody has caught. */
export async function nextRain(
  db: Db,
  merchantId: string,
  at: Instant,
): Promise<(RainRow & { readonly left: number }) | null> {
  const { rows } = await db.query<RainRow & { left: number }>(
    `SELECT ${RAIN_COLUMNS}, (SELECT count(*)::int FROM red_packets p
       WHERE p.rain_id = r.id AND p.member_id IS NULL) AS left
     FROM red_rains r WHERE r.merchant_id = $1 AND r.ends_at > to_timestamp($2 / 1000.0)
       AND r.closed_at IS NULL
     ORDER BY r.starts_at LIMIT 1`,
    [merchantId, at],
  );
  return rows[0] ?? null;
}

interface Winner {
  readonly account: string;
  readonly amountMinor: bigint;
  readonly at: Instant;
}

export interface PastRainRow {
  readonly id: string;
  readonly currency: string;
  readonly startsAt: Instant;
  readonly caught: number;
  readonly givenMinor: bigint;
  readonly winners: readonly Winner[];
}

/** The last rains of which anything was caught, newest first, each with its largest packets. */
export async function pastRains(
  db: Db,
  merchantId: string,
  at: Instant,
  most: { readonly rains: number; readonly winners: number },
): Promise<PastRainRow[]> {
  const { rows } = await db.query(
    `SELECT r.id, r.currency, r.starts_at, p.caught, p.given, w.winners
     FROM red_rains r
     JOIN LATERAL (SELECT count(*)::int AS caught, sum(amount_minor)::bigint AS given
       FROM red_packets WHERE rain_id = r.id AND paid_at IS NOT NULL) p ON p.caught > 0
     JOIN LATERAL (SELECT jsonb_agg(jsonb_build_object('account', top.masked_account,
         'minor', top.amount_minor::text, 'at', extract(epoch FROM top.caught_at)::float8 * 1000)
         ORDER BY top.amount_minor DESC, top.number) AS winners
       FROM (SELECT * FROM red_packets WHERE rain_id = r.id AND paid_at IS NOT NULL
             ORDER BY amount_minor DESC, number LIMIT $4) top) w ON true
     WHERE r.merchant_id = $1 AND r.ends_at <= to_timestamp($2 / 1000.0)
       AND (r.caught > 0 OR r.closed_at IS NULL)
     ORDER BY r.starts_at DESC LIMIT $3`,
    [merchantId, at, most.rains, most.winners],
  );
  return rows.map((row) => ({
    id: row.id,
    currency: row.currency,
    startsAt: row.starts_at.getTime(),
    caught: row.caught,
    givenMinor: row.given,
    winners: row.winners.map((one: { account: string; minor: string; at: number }) => ({
      account: one.account,
      amountMinor: BigInt(one.minor),
      at: Math.round(one.at),
    })),
  }));
}

export interface PacketRow {
  readonly rain_id: string;
  readonly number: number;
  readonly amount_minor: bigint;
  readonly member_id: string;
  readonly catch_id: string;
  readonly caught_at: Date;
  readonly paid_at: Date | null;
}

const PACKET_COLUMNS =
  "p.rain_id, p.number, p.amount_minor, p.member_id, p.catch_id, p.caught_at, p.paid_at";

export async function packetsOf(
  db: Db,
  memberId: string,
  rainIds: readonly string[],
): Promise<PacketRow[]> {
  const { rows } = await db.query<PacketRow>(
    `SELECT ${PACKET_COLUMNS} FROM red_packets p
     WHERE p.member_id = $1 AND p.rain_id = ANY ($2) AND p.paid_at IS NOT NULL
     ORDER BY p.caught_at, p.number`,
    [memberId, rainIds],
  );
  return rows;
}

export async function findCatch(
  db: Db,
  memberId: string,
  catchId: string,
): Promise<PacketRow | null> {
  const { rows } = await db.query<PacketRow>(
    `SELECT ${PACKET_COLUMNS} FROM red_packets p WHERE p.member_id = $1 AND p.catch_id = $2`,
    [memberId, catchId],
  );
  return rows[0] ?? null;
}

export async function countCaught(db: Db, rainId: string, memberId: string): Promise<number> {
  const { rows } = await db.query<{ caught: number }>(
    "SELECT count(*)::int AS caught FROM red_packets WHERE rain_id = $1 AND member_id = $2",
    [rainId, memberId],
  );
  return rows[0]?.caught ?? 0;
}

/** The next packet becomes the member's; null if none is left. Nobody waits for anybody. */
export async function takePacket(
  client: pg.ClientBase,
  rainId: string,
  by: { readonly memberId: string; readonly catchId: string; readonly maskedAccount: string },
  at: Instant,
): Promise<PacketRow | null> {
  const { rows } = await client.query<PacketRow>(
    `UPDATE red_packets p SET member_id = $2, catch_id = $3, masked_account = $4,
       caught_at = to_timestamp($5 / 1000.0)
     WHERE p.rain_id = $1 AND p.number = (
       SELECT number FROM red_packets WHERE rain_id = $1 AND member_id IS NULL
       ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${PACKET_COLUMNS}`,
    [rainId, by.memberId, by.catchId, by.maskedAccount, at],
  );
  return rows[0] ?? null;
}

export async function deleteUncaught(db: Db, rainId: string): Promise<void> {
  await db.query("DELETE FROM red_packets WHERE rain_id = $1 AND member_id IS NULL", [rainId]);
}

/** Caught packets whose catch ended before the money came. */
export async function unpaidPackets(db: Db, rainId: string): Promise<PacketRow[]> {
  const { rows } = await db.query<PacketRow>(
    `SELECT ${PACKET_COLUMNS} FROM red_packets p
     WHERE p.rain_id = $1 AND p.member_id IS NOT NULL AND p.paid_at IS NULL ORDER BY p.number`,
    [rainId],
  );
  return rows;
}

export async function markClosed(db: Db, rainId: string, at: Instant): Promise<void> {
  await db.query(
    `UPDATE red_rains SET closed_at = to_timestamp($2 / 1000.0),
       caught = (SELECT count(*) FROM red_packets WHERE rain_id = $1)
     WHERE id = $1 AND closed_at IS NULL`,
    [rainId, at],
  );
}

export const redRainBooks: readonly BookCheck[] = [
  checkByLane(
    "each entry of a red packet has its paid packet",
    `SELECT e.account_id || ' ' || e.key AS subject,
            'packet ' || coalesce(p.amount_minor::text, 'none') || ', entry ' || e.amount AS found
     FROM ledger_booked e
     LEFT JOIN red_packets p ON p.rain_id = split_part(e.key, ':', 2)
       AND p.number::text = split_part(e.key, ':', 3)
       AND p.member_id = split_part(e.account_id, '.', 1)
     WHERE e.lane = $1 AND e.kind = 'red-packet'
       AND (p.paid_at IS NULL OR p.amount_minor <> e.amount)`,
  ),
  {
    check: "each paid red packet has its entry",
    // A packet knows no lane: as many entries as packets, each with its packet, leave none out.
    sql: `SELECT r.id AS subject, p.paid || ' packets, ' || coalesce(e.paid, 0) || ' entries' AS found
          FROM red_rains r CROSS JOIN LATERAL (
            SELECT count(*) AS paid FROM red_packets
            WHERE rain_id = r.id AND paid_at IS NOT NULL) p
          LEFT JOIN (SELECT split_part(key, ':', 2) AS rain_id, count(*) AS paid
                     FROM ledger_booked WHERE kind = 'red-packet' GROUP BY 1) e
            ON e.rain_id = r.id
          WHERE p.paid <> coalesce(e.paid, 0)`,
  },
];
