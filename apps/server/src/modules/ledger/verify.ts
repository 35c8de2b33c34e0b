import type pg from "pg";
import { isCluster } from "../../platform/postgres/distribute.ts";
import { unhurried } from "../../platform/postgres/watchful-client.ts";
import { LANES } from "./account.ts";
import { type BookCheck, LISTED_MAX } from "./book-check.ts";

export interface Discrepancy {
  readonly check: string;
  readonly subject: string;
  readonly found: string;
}

/**
 * Each check is a query that answers rows only where the books are wrong. They run in one
 * repeatable-read transaction, so a busy ledger is judged at one instant.
 */
const CHECKS: readonly BookCheck[] = [
  {
    check: "all legs of a currency sum to zero",
    sql: `SELECT currency AS subject, sum(amount)::text AS found FROM (
            SELECT currency, balance::numeric AS amount FROM ledger_accounts
            UNION ALL SELECT currency, amount::numeric FROM ledger_lane_totals) legs
          GROUP BY currency HAVING sum(amount) <> 0`,
  },
  {
    check: "an account's entries are numbered without a gap",
    sql: `SELECT account_id AS subject, count(*) || ' of ' || max(seq) AS found
          FROM ledger_entries GROUP BY lane, account_id
          HAVING count(*) <> max(seq) OR min(seq) <> 1`,
  },
  {
    check: "each balance is the one before plus the amount",
    sql: `SELECT account_id || '#' || seq AS subject, balance_after || ', ' || held_after AS found
          FROM (SELECT account_id, seq, amount, held_change, balance_after, held_after,
                  lag(balance_after, 1, 0::bigint) OVER chain AS balance_before,
                  lag(held_after, 1, 0::bigint) OVER chain AS held_before
                FROM ledger_entries WINDOW chain AS (PARTITION BY lane, account_id ORDER BY seq)) e
          WHERE balance_after <> balance_before + amount OR held_after <> held_before + held_change`,
  },
  {
    check: "an account stands where its last entry left it",
    sql: `SELECT a.id AS subject, a.balance || ', ' || a.held || ' at ' || a.seq AS found
          FROM ledger_accounts a LEFT JOIN ledger_entries e
            ON e.lane = a.lane AND e.account_id = a.id AND e.seq = a.seq
          WHERE (a.seq = 0 AND (a.balance <> 0 OR a.held <> 0))
             OR (a.seq > 0 AND (e.seq IS NULL OR e.balance_after <> a.balance
                                OR e.held_after <> a.held))`,
  },
  {
    check: "every entry has its account",
    sql: `SELECT e.account_id AS subject, max(e.seq)::text AS found FROM ledger_entries e
          LEFT JOIN ledger_accounts a ON a.lane = e.lane AND a.id = e.account_id
          WHERE a.id IS NULL OR a.seq < e.seq OR a.currency <> e.currency GROUP BY e.account_id`,
  },
  {
    check: "lane totals mirror the entries",
    sql: `SELECT lane || '/' || counter_account || '/' || currency AS subject,
                 sum(amount)::text AS found
          FROM (SELECT lane, counter_account, currency, amount::numeric FROM ledger_entries
                UNION ALL
                SELECT lane, counter_account, currency, amount::numeric FROM ledger_lane_totals) t
          GROUP BY lane, counter_account, currency HAVING sum(amount) <> 0`,
  },
  {
    check: "nothing is negative and holds are within the balance",
    sql: `SELECT id AS subject, balance || ', ' || held AS found FROM ledger_accounts
          WHERE balance < 0 OR held < 0 OR held > balance`,
  },
  {
    check: "no key stands twice",
    sql: `SELECT account_id || ' ' || key AS subject, count(*)::text AS found
          FROM ledger_entries GROUP BY lane, account_id, key HAVING count(*) > 1`,
  },
  {
    check: "an entry is resolved by one that matches it",
    sql: `SELECT r.account_id || '#' || r.seq AS subject, r.resolves AS found
          FROM ledger_entries r LEFT JOIN ledger_entries t
            ON t.lane = r.lane AND t.account_id = r.account_id AND t.key = r.resolves
          WHERE r.resolves IS NOT NULL
            AND (t.key IS NULL OR t.seq >= r.seq
                 OR (t.held_change > 0 AND r.held_change <> -t.held_change))`,
  },
  {
    check: "no entry is resolved twice",
    sql: `SELECT account_id || ' ' || resolves AS subject, count(*)::text AS found
          FROM ledger_entries WHERE resolves IS NOT NULL
          GROUP BY lane, account_id, resolves HAVING count(*) > 1`,
  },
  {
    check: "what is lent for free play is no money",
    sql: `SELECT account_id || '#' || seq AS subject, amount || ' ' || currency AS found
          FROM ledger_entries WHERE kind = 'trial-credit' AND currency <> 'FUN'`,
  },
  {
    check: "what is held is the sum of the holds that stand",
    sql: `SELECT a.id AS subject, a.held::text AS found FROM ledger_accounts a
          LEFT JOIN (SELECT h.lane, h.account_id, sum(h.held_change) AS open
                     FROM ledger_entries h LEFT JOIN ledger_entries r
                       ON r.lane = h.lane AND r.account_id = h.account_id AND r.resolves = h.key
                     WHERE h.held_change > 0 AND r.key IS NULL
                     GROUP BY h.lane, h.account_id) o
            ON o.lane = a.lane AND o.account_id = a.id
          WHERE a.held <> coalesce(o.open, 0)`,
  },
];

/** Recomputes the ledger and compares the books with it; an empty list means that all is sound. */
export async function verifyLedger(
  pool: pg.Pool,
  books: readonly BookCheck[],
): Promise<Discrepancy[]> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await client.query("SET LOCAL statement_timeout = 0");
    const onCluster = await isCluster(pool);
    const discrepancies: Discrepancy[] = [];
    for (const one of [...CHECKS, ...books]) {
      for (const { subject, found } of await findingsOf(client, one, onCluster)) {
        discrepancies.push({ check: one.check, subject: String(subject), found: String(found) });
      }
    }
    await client.query("COMMIT");
    client.release();
    return discrepancies;
  } catch (error) {
    // Its transaction may still be open, so nobody gets this connection again.
    client.release(true);
    throw error;
  }
}

interface Finding {
  readonly subject: unknown;
  readonly found: unknown;
}

/**
 * At most `LISTED_MAX` rows of one check. A check by lane is one statement, and one per lane on a
 * cluster, which joins the rows of a lane only where the statement names it.
 */
async function findingsOf(
  client: pg.ClientBase,
  { sql, byLane = false }: BookCheck,
  onCluster: boolean,
): Promise<readonly Finding[]> {
  if (!byLane) return (await client.query<Finding>(listed(sql))).rows;
  if (!onCluster) {
    const ofLane = `${sql.replaceAll("$1", "l.lane")} LIMIT ${LISTED_MAX}`;
    const ofEach = `SELECT f.subject, f.found FROM generate_series(0, ${LANES - 1}) AS l(lane)
      CROSS JOIN LATERAL (${ofLane}) f`;
    return (await client.query<Finding>(listed(ofEach))).rows;
  }
  const findings: Finding[] = [];
  for (let lane = 0; lane < LANES && findings.length < LISTED_MAX; lane++) {
    const { rows } = await client.query<Finding>({ ...listed(sql), values: [lane] });
    findings.push(...rows);
  }
  return findings.slice(0, LISTED_MAX);
}

function listed(sql: string) {
  return unhurried(`${sql} LIMIT ${LISTED_MAX}`);
}
