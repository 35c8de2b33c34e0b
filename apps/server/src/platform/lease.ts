import type { Clock, Instant } from "@perya/kernel/instant";
import type pg from "pg";

/**
 * A lease names the one process that does a job. It is a row, not an advisory lock, so it survives
 * a connection pooler and says who holds it and until when. A lease that ends later than a life
 * from now was written by a wrong clock, and the next process that reads it shortens it to that:
 * its holder keeps it anew, and a dead one's ends in the usual time.
 */
export interface Lease {
  /**
   * Takes the lease or keeps it; false while another process holds it, or if the answer took longer
   * than its life.
   */
  hold(): Promise<boolean>;
  /**
   * Renews the lease. False if it has ended: another process held it meanwhile, or nobody renewed
   * it in time, as where this process was stopped or its database hung.
   */
  keep(): Promise<boolean>;
  release(): Promise<void>;
}

export function createLease(
  pool: pg.Pool,
  clock: Clock,
  name: string,
  holder: string,
  lifeMs: number,
): Lease {
  /** The answer may come after the written lease is over, and another process has it. */
  const isInTime = (askedAt: Instant) => clock.now() <= askedAt + lifeMs;

  return {
    async hold() {
      const now = clock.now();
      const { rows } = await pool.query<{ holder: string }>(
        `INSERT INTO leases AS l (name, holder, expires_at)
         VALUES ($1, $2, to_timestamp($4 / 1000.0))
         ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at,
           holder = CASE WHEN l.expires_at < to_timestamp($3 / 1000.0) THEN $2 ELSE l.holder END
         WHERE l.holder = $2 OR l.expires_at < to_timestamp($3 / 1000.0)
           OR l.expires_at > excluded.expires_at
         RETURNING holder`,
        [name, holder, now, now + lifeMs],
      );
      return rows[0]?.holder === holder && isInTime(now);
    },
    async keep() {
      const now = clock.now();
      const { rowCount } = await pool.query(
        `UPDATE leases SET expires_at = to_timestamp($4 / 1000.0)
         WHERE name = $1 AND holder = $2 AND expires_at >= to_timestamp($3 / 1000.0)`,
        [name, holder, now, now + lifeMs],
      );
      return rowCount === 1 && isInTime(now);
    },
    async release() {
      await pool.query("DELETE FROM leases WHERE name = $1 AND holder = $2", [name, holder]);
    },
  };
}
