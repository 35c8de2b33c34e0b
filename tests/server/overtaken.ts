import type pg from "pg";
import { expect } from "vitest";
import { lockWaits } from "./lock-waits.ts";

/**
 * Begins work of a member before a change to the member and ends it after that: the work waits for
 * the member's row, which the change has locked, and goes on when the change is committed.
 */
export function overtaken<T>(
  pool: pg.Pool,
  memberId: string,
  begin: () => Promise<T>,
  change: (client: pg.ClientBase) => Promise<unknown>,
): Promise<T> {
  const lock = "SELECT FROM members WHERE id = $1 FOR NO KEY UPDATE";
  return overtakenAt(pool, { lock, id: memberId }, begin, change);
}

/** The same for any row, which `lock` selects by `id`. */
export async function overtakenAt<T>(
  pool: pg.Pool,
  { lock, id }: { readonly lock: string; readonly id: string },
  begin: () => Promise<T>,
  change: (client: pg.ClientBase) => Promise<unknown>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    expect((await client.query(lock, [id])).rowCount).toBe(1);
    const begun = begin();
    await oneWaits(pool);
    await change(client);
    await client.query("COMMIT");
    return await begun;
  } finally {
    client.release();
  }
}

/** Waits until one connection waits for a lock. */
export async function oneWaits(pool: pg.Pool): Promise<void> {
  await expect.poll(() => lockWaits(pool), { timeout: 10_000 }).toBe(1);
}
