import { mintId } from "@perya/kernel/ids";
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import type pg from "pg";
import type { Merchant } from "../modules/brand/brand.ts";
import { CLAIMS_NOTHING, type Session } from "../modules/identity/identity.ts";
import type { Ledger } from "../modules/ledger/ledger.ts";
import { RedRains } from "../modules/red-rain/red-rain.ts";
import { demoEntropy, pick } from "./demo-entropy.ts";

/** A member misses one packet in so many. */
const MISSES = 3;

export async function rainThrough(
  deps: {
    readonly pool: pg.Pool;
    readonly ledger: Ledger;
    readonly stopping: AbortSignal;
    readonly now: number;
  },
  merchant: Merchant,
  players: readonly Session[],
): Promise<void> {
  const { pool, ledger, stopping, now } = deps;
  const entropy = demoEntropy("red rain");
  let at = now - HOUR_MS;
  const clock: Clock = { now: () => at };
  const rains = new RedRains({ pool, ledger, clock, entropy, brands: async () => [merchant] });
  // Only past rains: the contents of these packets are no secret.
  await rains.planBetween(merchant, at, now - MINUTE_MS);
  for (;;) {
    const { next } = await rains.board(merchant);
    if (next === null || next.ends_at.getTime() > now) return;
    at = next.starts_at.getTime();
    for (const player of players) {
      stopping.throwIfAborted();
      for (let i = 0; i < next.catch_max; i++) {
        at += SECOND_MS;
        if (pick(entropy, MISSES) === 0) continue;
        const id = mintId("catch", at, entropy.bytes(16));
        const caught = await rains.catch(merchant, player, { id, rainId: next.id }, CLAIMS_NOTHING);
        if (!caught.ok) throw new Error(`demo catch: ${caught.error.code}`);
      }
    }
    at = next.ends_at.getTime();
    await rains.close(next.id);
  }
}
