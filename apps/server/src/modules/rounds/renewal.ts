import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { retireSeeds } from "./rounds.store.ts";
import { retireChains } from "./saranggola.store.ts";

/**
 * Takes all that chance comes from out of use. A database that goes on from an earlier moment would
 * deal again what its players have seen: a round's outcome follows from its pair and nonce alone,
 * and a flight's from its place in the chain. Bets on a flight that waited go back.
 */
export async function renewChance(pool: pg.Pool): Promise<void> {
  await withTransaction(pool, retireChains);
  await retireSeeds(pool);
}
