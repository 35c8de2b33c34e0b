import type { SharedFlight } from "../../apps/server/src/modules/rounds/kite-view.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import type { LiveBet } from "../../packages/contract/src/socket.ts";
import { mintId } from "../../packages/kernel/src/ids.ts";

/** A bet of so many centavos that still flies. */
export function bet(minor: bigint): LiveBet {
  return {
    betId: mintId("bet", 1_000, systemEntropy.bytes(16)),
    account: "m***a",
    stake: { minor: `${minor}`, currency: "PHP" },
    ...{ cashedOutAt: null, payout: null },
  };
}

/** One that waits, another each time. */
export function flight(): SharedFlight {
  const roundId = mintId("round", 1_000, systemEntropy.bytes(16));
  const when = { now: 1_000, startsAt: 2_000, crashedAt: null };
  return { roundId, phase: "waiting", seedHash: "", ...when, history: [] };
}
