import type pg from "pg";
import { inTime } from "../in-time.ts";
import { repeat } from "../repeat.ts";
import { Unavailable } from "../unavailable.ts";

/**
 * PostgreSQL counts its timelines in the names of its log's files. A standby writes none, and is
 * asked for none.
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
/** Of the database's advisory locks: for the process that renews. */
const RENEWING = 45_000_045;
/** No process that deals waits for longer; a large site's pairs take more than that. */
const SURE_WITHIN_MS = 5_000;
/** How long doubt stays if nobody deals, while pages may show what was lost. */
const LOOK_EVERY_MS = 5_000;

interface Compared {
  readonly system_identifier: string;
  /** Null for a standby. */
  readonly timeline: bigint | null;
  /** When a process recorded the known history; null for none. */
  readonly noted_at: string | null;
  readonly is_same: boolean;
}

export interface HistoryOptions {
  readonly pool: pg.Pool;
  /** Does what another history needs. Idempotent: it is repeated until it was finished once. */
  readonly renew: () => Promise<void>;
  /**
   * Called when the database goes on from an earlier moment: once as soon as this process sees it,
   * and once after the renewal, because until then another process may have sent messages of the
   * earlier history. Also in the process that renews at its start.
   */
  readonly onChange: () => void;
  /** How long doubt stays that nobody asks about; tests set a shorter time. */
  readonly lookEveryMs?: number;
}

/**
 * Which history of the database this process is in. Another one begins when the database is
 * restored, and when a standby takes over that may lack the last commits: announced events may not
 * have happened there. No connection outlives that, so a lost or new one causes doubt.
 */
export class DatabaseHistory {
  readonly #options: HistoryOptions;
  /** How often there was doubt, and how much of it is settled. */
  #doubts = 1;
  #settled = 0;
  #asking: Promise<void> | null = null;
  /** When the history of this process was recorded; null before its first look. */
  #notedAt: string | null = null;
  /** Whether it was announced that this history is left, and not yet that another was renewed. */
  #isLeaving = false;
  readonly #ending = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  constructor(options: HistoryOptions) {
    this.#options = options;
    for (const event of ["connect", "error"] as const) options.pool.on(event, () => this.doubt());
  }

  /** Looks at once, and from then on settles each doubt that nobody asks about. */
  start(): void {
    const { lookEveryMs = LOOK_EVERY_MS } = this.#options;
    // A process that deals asks anew, and gets the error.
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
   * Resolves once this is the known history, or what another one needs is finished.
   * @throws Unavailable if that takes longer than anybody waits, or nobody can tell
   */
  async sure(): Promise<void> {
    const doubts = this.#doubts;
    const settled = (async () => {
      // Doubt that comes meanwhile, such as by the connection that asks, is for the next caller.
      while (this.#settled < doubts) await this.#ask();
    })();
    if (await inTime(SURE_WITHIN_MS, settled)) return;
    // The cause that kept it from being settled, if it is known by now.
    const late = Promise.reject(new Unavailable("the history is not known yet"));
    await Promise.race([settled, late]);
  }

  /** All who ask meanwhile share the same look. */
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
        // A large site's renewal takes minutes, and a failed one is begun again and again.
        if (left !== null && !this.#isLeaving) {
          this.#isLeaving = true;
          onChange();
        }
        // One process renews; the others find the result.
        await client.query("SELECT pg_advisory_lock($1)", [RENEWING]);
        now = await compared(client);
        if (!now.is_same) {
          // A database that was never checked may be older than this record.
          await renew();
          left ??= now.noted_at;
          now = { ...now, noted_at: await noted(client, now) };
        }
        await client.query("SELECT pg_advisory_unlock($1)", [RENEWING]);
      }
      this.#notedAt = now.noted_at;
      // Whichever process renewed: what this one has shown may be of the history that was left.
      if (left !== null && left !== now.noted_at) onChange();
      this.#isLeaving = false;
      this.#settled = doubts;
      broken = false;
    } finally {
      // With its lock, if it has one; and a connection to a standby is not worth keeping.
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
