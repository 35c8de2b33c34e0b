import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { type Account, type BatchStatement, wagerBook } from "../ledger/ledger.ts";

/**
 * Checked: a revealed pair deals no more, since its owner could compute the round while it waits to
 * be booked, and have it refused or not as they like. A reveal holds the wallet. And no round has
 * the id of a flight, or the two would be one row of the player's record.
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
        JOIN fairness_seeds s ON s.id = u.seed_id AND s.revealed_at IS NULL
        WHERE NOT EXISTS (SELECT FROM rounds_shared_ids f WHERE f.id = u.round_id)`,
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
  JOIN vendors_rounds v ON v.lane = h.lane AND v.account_id = h.account_id
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
  /** Null for a pair from before this was stored. */
  readonly chosen_by: "player" | "house" | null;
  /** One past the highest nonce that a round has used. */
  readonly next_nonce: bigint;
}

export interface RevealedSeed extends SeedRow {
  readonly rounds: number;
}

/** The house's part of a member's next pair. */
export interface NextSeed {
  readonly id: string;
  readonly server_seed: string;
  readonly seed_hash: string;
}

/** Whose pair it is, and the wallet whose rounds it deals. */
export interface SeedOwner {
  readonly memberId: string;
  readonly account: Account;
}

/**
 * The current pair of each owner, in their order, with the next nonce read from the rounds
 * themselves; null if there is none yet.
 */
export async function findSeeds(
  db: pg.Pool | pg.ClientBase,
  owners: readonly SeedOwner[],
): Promise<(SeedRow | null)[]> {
  const { rows } = await db.query<SeedRow & { readonly place: bigint }>({
    name: "rounds_seeds",
    text: `SELECT u.place, s.id, s.server_seed, s.seed_hash, s.client_seed, s.chosen_by,
             coalesce((SELECT max(h.nonce) + 1 FROM house_rounds h
                       WHERE h.lane = a.lane AND h.account_id = a.id
                         AND h.seed_id = s.id), 0) AS next_nonce
           FROM unnest($1::text[], $2::smallint[], $3::text[])
             WITH ORDINALITY AS u(member_id, lane, account_id, place)
           JOIN ledger_wallets a ON a.lane = u.lane AND a.id = u.account_id
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

/** Writes a pair unless the member has a current one already. @returns whether it was written */
export async function insertSeed(
  db: pg.Pool | pg.ClientBase,
  seed: NextSeed & {
    readonly memberId: string;
    readonly clientSeed: string;
    readonly chosenBy: "player" | "house";
  },
  at: Instant,
): Promise<boolean> {
  const { id, memberId, server_seed, seed_hash, clientSeed, chosenBy } = seed;
  const { rowCount } = await db.query(
    `INSERT INTO fairness_seeds (id, member_id, server_seed, seed_hash, client_seed, created_at,
       chosen_by)
     VALUES ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0), $7)
     ON CONFLICT (member_id) WHERE revealed_at IS NULL DO NOTHING`,
    [id, memberId, server_seed, seed_hash, clientSeed, at, chosenBy],
  );
  return rowCount === 1;
}

export async function findNextSeed(pool: pg.Pool, memberId: string): Promise<NextSeed | null> {
  const { rows } = await pool.query<NextSeed>({
    name: "rounds_next_seed",
    text: "SELECT id, server_seed, seed_hash FROM fairness_next_seeds WHERE member_id = $1",
    values: [memberId],
  });
  return rows[0] ?? null;
}

/** Writes a member's next seed unless one exists: a seed that was shown stays until it is used. */
export async function insertNextSeed(
  pool: pg.Pool,
  memberId: string,
  { id, server_seed, seed_hash }: NextSeed,
  at: Instant,
): Promise<void> {
  await pool.query(
    `INSERT INTO fairness_next_seeds (member_id, id, server_seed, seed_hash, created_at)
     VALUES ($1, $2, $3, $4, to_timestamp($5 / 1000.0)) ON CONFLICT (member_id) DO NOTHING`,
    [memberId, id, server_seed, seed_hash, at],
  );
}

/** Locks a member's next seed; false if it is another by now, or missing. */
export async function holdNextSeed(
  client: pg.ClientBase,
  memberId: string,
  id: string,
): Promise<boolean> {
  const { rowCount } = await client.query(
    "SELECT FROM fairness_next_seeds WHERE member_id = $1 AND id = $2 FOR UPDATE",
    [memberId, id],
  );
  return rowCount === 1;
}

/** Replaces a locked seed with a new one. */
export async function replaceNextSeed(
  client: pg.ClientBase,
  memberId: string,
  { id, server_seed, seed_hash }: NextSeed,
  at: Instant,
): Promise<void> {
  await client.query(
    `UPDATE fairness_next_seeds SET id = $2, server_seed = $3, seed_hash = $4,
       created_at = to_timestamp($5 / 1000.0)
     WHERE member_id = $1`,
    [memberId, id, server_seed, seed_hash, at],
  );
}

/**
 * Reveals the owner's pair while it is in use; null if it is not, or not theirs. Call it with the
 * wallet locked: a round is booked before it, or finds its pair revealed.
 */
export async function revealSeed(
  db: pg.ClientBase,
  { memberId, account }: SeedOwner,
  id: string,
  at: Instant,
): Promise<RevealedSeed | null> {
  const { rows } = await db.query<Omit<RevealedSeed, "next_nonce" | "rounds">>(
    `UPDATE fairness_seeds SET revealed_at = to_timestamp($3 / 1000.0)
     WHERE id = $2 AND member_id = $1 AND revealed_at IS NULL
     RETURNING id, server_seed, seed_hash, client_seed, chosen_by`,
    [memberId, id, at],
  );
  const { rows: dealt } = await db.query<Pick<RevealedSeed, "next_nonce" | "rounds">>(
    `SELECT coalesce(max(nonce) + 1, 0) AS next_nonce, count(*)::int AS rounds
     FROM house_rounds WHERE lane = $1 AND account_id = $2 AND seed_id = $3`,
    [account.lane, account.id, id],
  );
  const [seed] = rows;
  const [counted] = dealt;
  return seed === undefined || counted === undefined ? null : { ...seed, ...counted };
}

/**
 * Deletes all pairs of the owner and the next one, unless the owner has a round. Call it with the
 * wallet locked: a round is booked before it, or finds its pair gone and is dealt by another.
 */
export async function deleteUnusedSeeds(
  client: pg.ClientBase,
  { memberId, account }: SeedOwner,
): Promise<void> {
  const { rowCount } = await client.query(
    "SELECT FROM house_rounds WHERE lane = $1 AND account_id = $2 LIMIT 1",
    [account.lane, account.id],
  );
  if (rowCount !== 0) return;
  // In the order in which a replacement locks them.
  for (const table of ["fairness_next_seeds", "fairness_seeds"]) {
    await client.query(`DELETE FROM ${table} WHERE member_id = $1`, [memberId]);
  }
}

/** Retired in a transaction each, far from a statement's limit. */
const RETIRED_AT_ONCE = 2_000;

/**
 * Reveals every pair, and deletes the next seeds: a player who plays next gets another, and one
 * that was shown and revealed since is put into no pair. By the database's own clock: instants that
 * another database noted count as earlier, whatever they say.
 */
export async function retireSeeds(pool: pg.Pool): Promise<void> {
  // A replacement of a pair locks both rows, the next one first.
  await inSlices(
    pool,
    "SELECT member_id FROM fairness_next_seeds WHERE member_id > $1",
    "DELETE FROM fairness_next_seeds WHERE member_id = ANY ($1)",
  );
  await inSlices(
    pool,
    "SELECT member_id FROM fairness_seeds WHERE revealed_at IS NULL AND member_id > $1",
    `UPDATE fairness_seeds SET revealed_at = now()
     WHERE member_id = ANY ($1) AND revealed_at IS NULL`,
  );
}

/**
 * @param rows those of the members after `$1`, each of whom has one at most
 * @param change what is done with those of the members `$1`
 */
async function inSlices(pool: pg.Pool, rows: string, change: string): Promise<void> {
  for (let last = ""; ; ) {
    const { rows: found } = await pool.query<{ member_id: string }>(
      `${rows} ORDER BY member_id LIMIT ${RETIRED_AT_ONCE}`,
      [last],
    );
    const members = found.map(({ member_id }) => member_id);
    await pool.query(change, [members]);
    if (members.length < RETIRED_AT_ONCE) return;
    last = members.at(-1) ?? "";
  }
}

export const soloBook = wagerBook({
  check: "each solo round stands as its entries say",
  rows: `SELECT h.account_id, h.round_id, v.stake_minor AS stake, h.payout_minor AS payout,
           0 AS returned
         FROM house_rounds h LEFT JOIN vendors_rounds v ON v.lane = h.lane
           AND v.account_id = h.account_id AND v.vendor = 'BGS' AND v.round_id = h.round_id
         WHERE h.lane = $1`,
  entries: "counter_account = 'vendor:BGS' AND key ~ ':(bet|win)$'",
});
