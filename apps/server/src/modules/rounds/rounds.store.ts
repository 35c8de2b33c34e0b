import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { type Account, type BatchStatement, wagerBook } from "../ledger/ledger.ts";

/**
 * Checked: a pair that was revealed deals no more. Its owner could compute the round while it waits
 * to be booked, and have it refused or not as they like. Whoever reveals one holds the wallet.
 */
export const insertHouseRound: BatchStatement = {
  name: "rounds_40_insert",
  sql: `INSERT INTO house_rounds (lane, account_id, round_id, member_id, game_id, choices, outcome,
          payout_minor, seed_id, nonce, opened_at)
        SELECT lane, account_id, round_id, u.member_id, game_id, choices, outcome, payout_minor,
          seed_id, nonce, to_timestamp(at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, round_id text,
          member_id text, game_id text, choices jsonb, outcome jsonb, payout_minor bigint,
          seed_id text, nonce bigint, at bigint)
        JOIN fairness_seeds s ON s.id = u.seed_id AND s.revealed_at IS NULL`,
  mustAffectEach: true,
};

export interface HouseRound {
  readonly lane: number;
  readonly account_id: string;
  readonly round_id: string;
  readonly member_id: string;
  readonly game_id: string;
  readonly choices: Readonly<Record<string, unknown>>;
  readonly outcome: unknown;
  readonly payout_minor: bigint;
  readonly stake_minor: bigint;
  readonly nonce: bigint;
  readonly opened_at: Date;
  readonly settled_at: Date;
  readonly seed_id: string;
  readonly seed_hash: string;
  readonly client_seed: string;
  /** Null until it was revealed. */
  readonly server_seed: string | null;
}

const ROUND = `SELECT h.lane, h.account_id, h.round_id, h.member_id, h.game_id, h.choices, h.outcome,
    h.payout_minor, v.stake_minor, h.nonce, h.opened_at, v.settled_at, h.seed_id,
    s.seed_hash, s.client_seed,
    CASE WHEN s.revealed_at IS NOT NULL THEN s.server_seed END AS server_seed
  FROM house_rounds h
  JOIN vendor_rounds v ON v.lane = h.lane AND v.account_id = h.account_id
    AND v.round_id = h.round_id AND v.vendor = 'BGS'
  JOIN fairness_seeds s ON s.id = h.seed_id`;

export async function findRound(
  pool: pg.Pool,
  account: Account,
  roundId: string,
): Promise<HouseRound | null> {
  const { rows } = await pool.query<HouseRound>({
    name: "rounds_find",
    text: `${ROUND} WHERE h.lane = $1 AND h.account_id = $2 AND h.round_id = $3`,
    values: [account.lane, account.id, roundId],
  });
  return rows[0] ?? null;
}

export async function findLastRound(
  pool: pg.Pool,
  account: Account,
  gameId: string,
): Promise<HouseRound | null> {
  const { rows } = await pool.query<HouseRound>({
    name: "rounds_last",
    text: `${ROUND} WHERE h.lane = $1 AND h.account_id = $2 AND h.game_id = $3
           ORDER BY h.opened_at DESC LIMIT 1`,
    values: [account.lane, account.id, gameId],
  });
  return rows[0] ?? null;
}

export interface SeedRow {
  readonly id: string;
  readonly server_seed: string;
  readonly seed_hash: string;
  readonly client_seed: string;
  /** One past the highest nonce that a round has used. */
  readonly next_nonce: bigint;
}

/** Whose pair is asked for, and the wallet whose rounds it deals. */
export interface SeedOwner {
  readonly memberId: string;
  readonly account: Account;
}

/**
 * The current pair of each owner, in their order, with the next nonce read from the rounds
 * themselves; null where there is none yet.
 */
export async function findSeeds(
  db: pg.Pool | pg.ClientBase,
  owners: readonly SeedOwner[],
): Promise<(SeedRow | null)[]> {
  const { rows } = await db.query<SeedRow & { readonly place: bigint }>({
    name: "rounds_seeds",
    text: `SELECT u.place, s.id, s.server_seed, s.seed_hash, s.client_seed,
             coalesce((SELECT max(h.nonce) + 1 FROM house_rounds h
                       WHERE h.lane = u.lane AND h.account_id = u.account_id
                         AND h.seed_id = s.id), 0) AS next_nonce
           FROM unnest($1::text[], $2::smallint[], $3::text[])
             WITH ORDINALITY AS u(member_id, lane, account_id, place)
           JOIN fairness_seeds s ON s.member_id = u.member_id AND s.revealed_at IS NULL`,
    values: [
      owners.map((owner) => owner.memberId),
      owners.map((owner) => owner.account.lane),
      owners.map((owner) => owner.account.id),
    ],
  });
  const found = new Map(rows.map(({ place, ...seed }) => [place, seed]));
  return owners.map((_, i) => found.get(BigInt(i + 1)) ?? null);
}

/** Writes a pair unless the member has a current one already. */
export async function insertSeed(
  db: pg.Pool | pg.ClientBase,
  seed: {
    readonly id: string;
    readonly memberId: string;
    readonly serverSeed: string;
    readonly seedHash: string;
    readonly clientSeed: string;
  },
  at: Instant,
): Promise<void> {
  await db.query(
    `INSERT INTO fairness_seeds (id, member_id, server_seed, seed_hash, client_seed, created_at)
     VALUES ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0))
     ON CONFLICT (member_id) WHERE revealed_at IS NULL DO NOTHING`,
    [seed.id, seed.memberId, seed.serverSeed, seed.seedHash, seed.clientSeed, at],
  );
}

/**
 * Reveals the owner's pair while it is in use; null when it is not, or not theirs. Call it with the
 * wallet locked: a round is booked before it, or finds its pair revealed.
 */
export async function revealSeed(
  db: pg.ClientBase,
  { memberId, account }: SeedOwner,
  id: string,
  at: Instant,
): Promise<SeedRow | null> {
  const { rows } = await db.query<SeedRow>(
    `UPDATE fairness_seeds s SET revealed_at = to_timestamp($5 / 1000.0)
     WHERE id = $4 AND member_id = $1 AND revealed_at IS NULL
     RETURNING id, server_seed, seed_hash, client_seed,
       coalesce((SELECT max(h.nonce) + 1 FROM house_rounds h
                 WHERE h.lane = $2 AND h.account_id = $3 AND h.seed_id = s.id), 0) AS next_nonce`,
    [memberId, account.lane, account.id, id, at],
  );
  return rows[0] ?? null;
}

/** Retired in a transaction each, far from a statement's bound. */
const RETIRED_AT_ONCE = 2_000;

/**
 * Reveals every pair, so that whoever plays next gets another. By the database's own clock: what it
 * was told by another's is of before, whatever it says.
 * @returns how many there were
 */
export async function retireSeeds(pool: pg.Pool): Promise<number> {
  let total = 0;
  for (let last = ""; ; ) {
    const { rows } = await pool.query<{ count: number; last: string | null }>(
      `WITH slice AS MATERIALIZED (
         SELECT id, member_id FROM fairness_seeds WHERE revealed_at IS NULL AND member_id > $1
         ORDER BY member_id LIMIT ${RETIRED_AT_ONCE}),
       retired AS (
         UPDATE fairness_seeds s SET revealed_at = now() FROM slice
         WHERE s.id = slice.id AND s.revealed_at IS NULL)
       SELECT count(*)::int AS count, max(member_id) AS last FROM slice`,
      [last],
    );
    const [slice] = rows;
    total += slice?.count ?? 0;
    if (slice === undefined || slice.last === null || slice.count < RETIRED_AT_ONCE) return total;
    last = slice.last;
  }
}

export const soloBook = wagerBook({
  check: "each solo round stands as its entries say",
  rows: `SELECT h.account_id, h.round_id, v.stake_minor AS stake, h.payout_minor AS payout,
           0 AS returned
         FROM house_rounds h LEFT JOIN vendor_rounds v ON v.lane = h.lane
           AND v.account_id = h.account_id AND v.vendor = 'BGS' AND v.round_id = h.round_id
         WHERE h.lane = l.lane`,
  entries: "counter_account = 'vendor:BGS' AND key ~ ':(bet|win)$'",
});
