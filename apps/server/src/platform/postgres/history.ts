import type pg from "pg";
import { inTime } from "../in-time.ts";
import { repeat } from "../repeat.ts";
import { Unavailable } from "../unavailable.ts";

/**
 * PostgreSQL counts its timelines in the names of its log's files. Who follows another writes none,
 * and is asked for none.
 */
const COMPARED = `SELECT now.*, extract(epoch FROM known.noted_at)::text AS noted_at,
    known.system_identifier IS NOT DISTINCT FROM now.system_identifier
      AND known.timeline IS NOT DISTINCT FROM now.timeline AS is_same
  FROM (SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system_identifier,
      CASE WHEN NOT pg_is_in_recovery()
        THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint
      END AS timeline) now
    LEFT JOIN database_history known ON true`;
const NOTE = `INSERT INTO database_history (system_identifier, timeline, noted_at)
  VALUES ($1, $2, now())
  ON CONFLICT (is_only) DO UPDATE SET system_identifier = excluded.system_identifier,
    timeline = excluded.timeline, noted_at = excluded.noted_at
  RETURNING extract(epoch FROM noted_at)::text AS noted_at`;
/** Of the database's advisory locks: whoever renews. */
const RENEWING = 45_000_045;
/** Nobody who deals waits for longer; a large site's pairs take more than that. */
const SURE_WITHIN_MS = 5_000;
/** How long doubt stays where nobody deals, while pages may show what was lost. */
const LOOK_EVERY_MS = 5_000;

interface Compared {
  readonly system_identifier: string;
  /** Null where it follows another. */
  readonly timeline: bigint | null;
  /** When this process or another wrote down the history that is known; null for none. */
  readonly noted_at: string | null;
  readonly is_same: boolean;
}

export interface HistoryOptions {
  readonly pool: pg.Pool;
  /** Does what another history needs. Idempotent: it is done again until it was done whole. */
  readonly renew: () => Promise<void>;
  /**
   * Told when a history that was known is left: in each process that was in it as soon as it sees
   * so, and once more when the other one was renewed, for what was heard meanwhile may be of a
   * process that had not seen it yet; and in the one that renews at its start.
   */
  readonly onChange: () => void;
  /** How long doubt stays that nobody asks about; tests wait less long. */
  readonly lookEveryMs?: number;
}

/**
 * Which history of the database this process is in. Another one begins where it is restored, and
 * where a standby takes over that may not have heard of the last commits: what was told may not
 * have happened there. No connection outlives that, so one that is lost or new brings the doubt.
 */
export class DatabaseHistory {
  readonly #options: HistoryOptions;
  /** How often there was doubt, and how much of it is settled. */
  #doubts = 1;
  #settled = 0;
  #asking: Promise<void> | null = null;
  /** When the history that this process is in was written down; null before its first look. */
  #notedAt: string | null = null;
  /** Whether it was told that this history is left, and not yet that the other one was renewed. */
  #isLeaving = false;
  readonly #ending = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  constructor(options: HistoryOptions) {
    this.#options = options;
    for (const event of ["connect", "error"] as const) options.pool.on(event, () => this.doubt());
  }

  /** Looks at once, and settles from then on each doubt that nobody asks about. */
  start(): void {
    const { lookEveryMs = LOOK_EVERY_MS } = this.#options;
    // Whoever deals asks anew, and is told what is wrong.
    const look = () => this.sure().catch(() => undefined);
    const watching = repeat(look, () => lookEveryMs, this.#ending.signal);
    this.#watching = Promise.all([look(), watching]).then(() => undefined);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#watching;
  }

  /** A connection was made that the pool does not know of. */
  doubt(): void {
    this.#doubts++;
  }

  /**
   * Resolves when this is the history that was known, or what another one needs is done whole.
   * @throws Unavailable where that takes longer than anybody waits, or nobody can tell
   */
  async sure(): Promise<void> {
    const doubts = this.#doubts;
    const settled = (async () => {
      // Doubt that comes meanwhile, as by the connection that asks, is for whoever comes next.
      while (this.#settled < doubts) await this.#ask();
    })();
    if (await inTime(SURE_WITHIN_MS, settled)) return;
    // What kept it from being settled, if that is known by now.
    const late = Promise.reject(new Unavailable("the history is not known yet"));
    await Promise.race([settled, late]);
  }

  /** All who ask meanwhile are told by the same look. */
  #ask(): Promise<void> {
    this.#asking ??= this.#look().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #look(): Promise<void> {
    const { pool, renew, onChange } = this.#options;
    const client = await pool.connect();
    const doubts = this.#doubts;
    let broken = true;
    try {
      let now = await compared(client);
      let left = this.#notedAt;
      if (!now.is_same) {
        // A large site's renewal takes minutes, and one that fails is begun again and again.
        if (left !== null && !this.#isLeaving) {
          this.#isLeaving = true;
          onChange();
        }
        // One process renews; what it has done the others find.
        await client.query("SELECT pg_advisory_lock($1)", [RENEWING]);
        now = await compared(client);
        if (!now.is_same) {
          // A database that was never looked at may be one of before this was written down.
          await renew();
          left ??= now.noted_at;
          now = { ...now, noted_at: await noted(client, now) };
        }
        await client.query("SELECT pg_advisory_unlock($1)", [RENEWING]);
      }
      this.#notedAt = now.noted_at;
      // Whoever renewed: what this process has shown may be of the one that was left.
      if (left !== null && left !== now.noted_at) onChange();
      this.#isLeaving = false;
      this.#settled = doubts;
      broken = false;
    } finally {
      // With its lock, if it has one; and one that follows another is no place to stay.
      client.release(broken);
    }
  }
}

async function compared(client: pg.PoolClient): Promise<Compared> {
  const { rows } = await client.query<Compared>(COMPARED);
  const [now] = rows;
  if (now?.timeline == null) throw new Unavailable("the database follows another");
  return now;
}

async function noted(client: pg.PoolClient, now: Compared): Promise<string | null> {
  const values = [now.system_identifier, now.timeline?.toString()];
  const { rows } = await client.query<{ noted_at: string }>(NOTE, values);
  return rows[0]?.noted_at ?? null;
}
