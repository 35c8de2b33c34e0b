import type pg from "pg";
import { cancelOpenMatch } from "./modules/cockfight/cockfight.ts";
import { retireSeeds } from "./modules/rounds/rounds.ts";
import { retireChains } from "./modules/saranggola/saranggola.ts";
import { withTransaction } from "./platform/postgres/pool.ts";

/**
 * Takes out of use everything that may have been seen in a history that the database has left: after a
 * failover that lost commits, and after a restore. A database that goes on from an earlier moment
 * would deal again what its players have seen: a round's outcome follows from its pair and nonce
 * alone, and a flight's from its place in the chain. Bets on a waiting flight are given back. A
 * repetition is harmless.
 */
export async function renewSeenChance(pool: pg.Pool): Promise<void> {
  await cancelOpenMatch(pool);
  await withTransaction(pool, retireChains);
  await retireSeeds(pool);
}
