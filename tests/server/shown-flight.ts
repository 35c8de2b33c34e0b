import type { OnWire } from "@perya/contract/wire";
import type { SharedFlight } from "../../apps/server/src/modules/saranggola/saranggola-view.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import type { LiveBet } from "../../packages/contract/src/socket.ts";
import { mintId } from "../../packages/kernel/src/ids.ts";
import type { Currency } from "../../packages/kernel/src/money.ts";

/** A bet of so many centavos that is still flying. */
export function bet(minor: bigint, currency: Currency = "PHP"): OnWire<LiveBet> {
  return {
    betId: mintId("bet", 1_000, systemEntropy.bytes(16)),
    account: "m***a",
    stake: { minor: `${minor}`, currency },
    ...{ cashedOutAt: null, payout: null },
  };
}

/** A waiting flight, a new one each time. */
export function flight(): SharedFlight {
  const roundId = mintId("round", 1_000, systemEntropy.bytes(16));
  const when = { now: 1_000, startsAt: 2_000, crashedAt: null };
  const chain = {
    ...{ chainId: mintId("seed", 1_000, systemEntropy.bytes(16)), form: 2 as const, firstIndex: 0 },
    ...{ firstHash: "0".repeat(64), salt: "0".repeat(32), length: 20_000, committedAt: 1_000 },
    ...{ publicKey: "0".repeat(43), signature: "0".repeat(86) },
  };
  const fixed = { seedHash: "0".repeat(64), chain, chainIndex: 0 };
  return { roundId, phase: "waiting", ...fixed, ...when, history: [] };
}
