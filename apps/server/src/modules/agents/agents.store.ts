import type { ContractKind } from "@perya/contract/agents";
import type { Instant } from "@perya/kernel/instant";
import { currencyOf } from "@perya/kernel/money";
import type pg from "pg";
import { z } from "zod";
import type { Db } from "../../platform/postgres/pool.ts";
import type { MemberKey } from "../identity/identity.ts";
import type { Account } from "../ledger/ledger.ts";
import type { DividendPeriod, Terms } from "./contract-terms.ts";

export type Agent = MemberKey;

export type ContractState = "pending" | "accepted" | "declined" | "withdrawn";

export interface Contract extends Terms {
  readonly id: string;
  readonly downlineId: string;
  readonly upline: string;
  readonly downline: string;
  readonly state: ContractState;
  readonly offeredAt: Instant;
  readonly decidedAt: Instant | null;
  /** Days `YYYY-MM-DD` of the brand: the first, and the first on which it no longer holds. */
  readonly startsOn: string | null;
  readonly endsOn: string | null;
}

export type Side = "upline" | "downline";
const SIDE_COLUMNS: Readonly<Record<Side, string>> = {
  upline: "c.upline_id",
  downline: "c.member_id",
};

export interface Downline {
  readonly id: string;
  readonly type: number;
  readonly blocked: boolean;
}

export async function findDownline(
  db: Db,
  upline: Agent,
  username: string,
): Promise<Downline | null> {
  const { rows } = await db.query<Downline>(
    `SELECT id, type, blocked FROM identity_members
     WHERE merchant_id = $1 AND recommender_id = $2 AND username = $3`,
    [upline.merchantId, upline.memberId, username.toLowerCase()],
  );
  return rows[0] ?? null;
}

/** The type of the agent above; null for none. */
export async function findUplineType(db: Db, agent: Agent): Promise<number | null> {
  const { rows } = await db.query<{ type: number }>(
    `SELECT u.type FROM identity_members m JOIN identity_members u ON u.id = m.recommender_id
     WHERE m.merchant_id = $1 AND m.id = $2`,
    [agent.merchantId, agent.memberId],
  );
  return rows[0]?.type ?? null;
}

/** False if the upline's id is taken already, or another of the kind waits for the downline. */
export async function insertContract(
  db: Db,
  upline: Agent,
  contract: Terms & { readonly id: string; readonly downlineId: string },
  at: Instant,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO agent_contracts (merchant_id, upline_id, id, member_id, kind, period, currency,
       tiers, state, offered_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', to_timestamp($9 / 1000.0))
     ON CONFLICT DO NOTHING`,
    [
      upline.merchantId,
      upline.memberId,
      contract.id,
      contract.downlineId,
      contract.kind,
      contract.period,
      contract.currency,
      JSON.stringify(contract.tiers, (_name, value) =>
        typeof value === "bigint" ? value.toString() : value,
      ),
      at,
    ],
  );
  return rowCount === 1;
}

export async function findContract(
  db: Db,
  who: Agent,
  side: Side,
  id: string,
): Promise<Contract | null> {
  const [found] = await readContracts(db, who, side, "c.id = $3", [id], "LIMIT 1");
  return found ?? null;
}

export async function lockContract(
  client: pg.ClientBase,
  who: Agent,
  side: Side,
  id: string,
): Promise<Contract | null> {
  const [found] = await readContracts(client, who, side, "c.id = $3", [id], "FOR UPDATE OF c");
  return found ?? null;
}

/** The one of a kind that holds, or will from its first day on. */
export async function findHolding(
  db: Db,
  downline: Agent,
  kind: ContractKind,
): Promise<Contract | null> {
  const where = "c.kind = $3 AND c.state = 'accepted' AND c.ends_on IS NULL";
  const [found] = await readContracts(db, downline, "downline", where, [kind], "LIMIT 1");
  return found ?? null;
}

/** Those of a kind: waiting ones, those that hold on `day` or will, then the newest. */
export function listContracts(
  db: Db,
  downline: Agent,
  kind: ContractKind,
  day: string,
  most: number,
): Promise<Contract[]> {
  const order = `ORDER BY c.state = 'pending' DESC,
    (c.state = 'accepted'
      AND (c.ends_on IS NULL OR (c.ends_on > $4 AND c.ends_on > c.starts_on))) DESC,
    c.offered_at DESC, c.id DESC LIMIT ${most}`;
  return readContracts(db, downline, "downline", "c.kind = $3", [kind, day], order);
}

export async function listPending(
  db: Db,
  downline: Agent,
): Promise<{ readonly kind: ContractKind; readonly period: DividendPeriod | null }[]> {
  const { rows } = await db.query<{ kind: ContractKind; period: DividendPeriod | null }>(
    `SELECT kind, period FROM agent_contracts
     WHERE merchant_id = $1 AND member_id = $2 AND state = 'pending'`,
    [downline.merchantId, downline.memberId],
  );
  return rows;
}

/** Ends the one of a kind that holds, before `day`; one that has not begun never holds. */
export async function endHolding(
  client: pg.ClientBase,
  downline: Agent,
  kind: ContractKind,
  day: string,
): Promise<void> {
  await client.query(
    `UPDATE agent_contracts SET ends_on = greatest(starts_on, $4::date)
     WHERE merchant_id = $1 AND member_id = $2 AND kind = $3 AND state = 'accepted'
       AND ends_on IS NULL`,
    [downline.merchantId, downline.memberId, kind, day],
  );
}

/** @param startsOn of an accepted one, else null */
export async function decideContract(
  client: pg.ClientBase,
  merchantId: string,
  contract: Contract,
  state: Exclude<ContractState, "pending">,
  at: Instant,
  startsOn: string | null,
): Promise<void> {
  await client.query(
    `UPDATE agent_contracts SET state = $4, decided_at = to_timestamp($5 / 1000.0), starts_on = $6
     WHERE merchant_id = $1 AND member_id = $2 AND id = $3`,
    [merchantId, contract.downlineId, contract.id, state, at, startsOn],
  );
}

const TIERS = z.array(
  z.object({
    fromMinor: z.string().transform(BigInt),
    activeMembers: z.number(),
    basisPoints: z.number().nullable(),
    amountMinor: z.string().transform(BigInt).nullable(),
  }),
);

async function readContracts(
  db: Db,
  who: Agent,
  side: Side,
  where: string,
  values: readonly string[],
  rest: string,
): Promise<Contract[]> {
  const { rows } = await db.query(
    `SELECT c.id, c.member_id, c.kind, c.period, c.currency, c.tiers, c.state, c.offered_at,
       c.decided_at, c.starts_on::text, c.ends_on::text,
       coalesce(u.nickname, u.username) AS upline, coalesce(d.nickname, d.username) AS downline
     FROM agent_contracts c
       JOIN identity_members u ON u.id = c.upline_id
       JOIN identity_members d ON d.id = c.member_id
     WHERE c.merchant_id = $1 AND ${SIDE_COLUMNS[side]} = $2 AND ${where} ${rest}`,
    [who.merchantId, who.memberId, ...values],
  );
  return rows.map((row) => ({
    id: row.id,
    downlineId: row.member_id,
    kind: row.kind,
    period: row.period,
    currency: currencyOf(row.currency),
    tiers: TIERS.parse(row.tiers),
    upline: row.upline,
    downline: row.downline,
    state: row.state,
    offeredAt: row.offered_at.getTime(),
    decidedAt: row.decided_at?.getTime() ?? null,
    startsOn: row.starts_on,
    endsOn: row.ends_on,
  }));
}

export async function listTeam(db: Db, agent: Agent): Promise<string[]> {
  // UNION drops members that were met before, so even a circle would end.
  const { rows } = await db.query<{ id: string }>(
    `WITH RECURSIVE team (id) AS (
       SELECT id FROM identity_members WHERE merchant_id = $1 AND recommender_id = $2
       UNION
       SELECT m.id FROM identity_members m JOIN team t ON m.recommender_id = t.id WHERE m.merchant_id = $1
     )
     SELECT id FROM team`,
    [agent.merchantId, agent.memberId],
  );
  return rows.map(({ id }) => id);
}

export interface TeamCounts {
  readonly loggedIn: number;
  readonly betted: number;
  readonly registered: number;
  readonly online: number;
}

export interface Days {
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

/**
 * How many of a team did what in those days.
 * @param accounts their wallets of real money
 * @param seenSince a session that counts as online was last used at or after this instant
 */
export async function countTeam(
  db: Db,
  team: readonly string[],
  accounts: readonly Account[],
  { from, to, zone }: Days,
  { now, seenSince }: { readonly now: Instant; readonly seenSince: Instant },
): Promise<TeamCounts> {
  const { rows } = await db.query<Record<keyof TeamCounts, number>>(
    `WITH span AS (
       -- A day begins after the last second of the one before: its midnight may come twice.
       SELECT ($4::date - second) AT TIME ZONE $6 + second AS first,
         ($5::date + 1 - second) AT TIME ZONE $6 + second AS after
       FROM (SELECT interval '1 second' AS second) AS one
     )
     SELECT
       (SELECT count(DISTINCT member_id)::int FROM identity_logins, span
        WHERE member_id = ANY ($1) AND outcome = 'done' AND at >= first AND at < after)
         AS "loggedIn",
       (SELECT count(*)::int FROM unnest($2::smallint[], $3::text[]) AS a (lane, id)
          JOIN ledger_wallets w USING (lane, id)
        WHERE EXISTS (SELECT 1 FROM vendors_rounds r
          WHERE r.lane = w.lane AND r.account_id = w.id
            AND r.opened_at >= (SELECT first FROM span)
            AND r.opened_at < (SELECT after FROM span))) AS betted,
       (SELECT count(*)::int FROM identity_members, span
        WHERE id = ANY ($1) AND created_at >= first AND created_at < after) AS registered,
       (SELECT count(DISTINCT member_id)::int FROM identity_sessions
        WHERE member_id = ANY ($1) AND ended_at IS NULL
          AND expires_at > to_timestamp($7 / 1000.0) AND seen_at >= to_timestamp($8 / 1000.0))
         AS online`,
    [
      team,
      accounts.map(({ lane }) => lane),
      accounts.map(({ id }) => id),
      from,
      to,
      zone,
      now,
      seenSince,
    ],
  );
  return rows[0] ?? { loggedIn: 0, betted: 0, registered: 0, online: 0 };
}
