import type pg from "pg";
import { cancelOpenMatch } from "./modules/cockfight/cockfight.ts";
import { renewChance } from "./modules/rounds/rounds.ts";

/**
 * Takes out of use whatever may have been seen in a history that the database has left: after a
 * failover that lost commits, and after a restore. Again is harmless.
 */
export async function renewSeenChance(pool: pg.Pool): Promise<void> {
  await cancelOpenMatch(pool);
  await renewChance(pool);
}
