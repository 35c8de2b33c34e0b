import type pg from "pg";

/** PostgreSQL counts its timelines in the names of its log's files. */
const COMPARED = `SELECT now.*, known.system_identifier IS NOT NULL AS is_known,
    known.system_identifier IS NOT DISTINCT FROM now.system_identifier
      AND known.timeline IS NOT DISTINCT FROM now.timeline AS is_same
  FROM (SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system_identifier,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint AS timeline) now
    LEFT JOIN database_history known ON true`;

interface Compared {
  readonly system_identifier: string;
  readonly timeline: bigint;
  readonly is_known: boolean;
  readonly is_same: boolean;
}

export interface HistoryOptions {
  readonly pool: pg.Pool;
  /** Does what another history needs. Idempotent: it is done again until it was done whole. */
  readonly renew: () => Promise<void>;
  /** Told when a history that was known is left. */
  readonly onChange: () => void;
}

/**
 * Which history of the database this process is in. Another one begins where it is restored, and
 * where a standby takes over that may not have heard of the last commits: what was told may not
 * have happened there. No connection outlives that, so one that is lost or new brings the doubt.
 */
export class DatabaseHistory {
  readonly #options: HistoryOptions;
  #isSure = false;
  #asking: Promise<void> | null = null;

  constructor(options: HistoryOptions) {
    this.#options = options;
    for (const event of ["connect", "error"] as const) options.pool.on(event, () => this.doubt());
  }

  /** A connection was made that the pool does not know of. */
  doubt(): void {
    this.#isSure = false;
  }

  /** Resolves when this is the history that was known, or what another one needs is done. */
  async sure(): Promise<void> {
    while (!this.#isSure) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = null;
      });
      await this.#asking;
    }
  }

  async #ask(): Promise<void> {
    const { pool, renew, onChange } = this.#options;
    const client = await pool.connect();
    // What is connected from here on is doubted again.
    this.#isSure = true;
    try {
      const { rows } = await client.query<Compared>(COMPARED);
      const [now] = rows;
      if (now === undefined) throw new Error("a database tells its history");
      if (now.is_same) return;
      // A database that was never looked at may be one of before this was written down.
      await renew();
      await client.query(
        `INSERT INTO database_history (system_identifier, timeline, noted_at)
         VALUES ($1, $2, now())
         ON CONFLICT (is_only) DO UPDATE SET system_identifier = excluded.system_identifier,
           timeline = excluded.timeline, noted_at = excluded.noted_at`,
        [now.system_identifier, now.timeline.toString()],
      );
      if (now.is_known) onChange();
    } catch (error) {
      this.#isSure = false;
      throw error;
    } finally {
      client.release();
    }
  }
}
