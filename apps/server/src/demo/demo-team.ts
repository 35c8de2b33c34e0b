import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { Agents, findContract, type GivenOffer } from "../modules/agents/agents.ts";
import type { Merchant } from "../modules/brand/brand.ts";
import type { Session } from "../modules/identity/identity.ts";

interface Step {
  readonly daysAgo: number;
  readonly offer: Omit<GivenOffer, "id" | "username">;
  /** Hours until the answer; absent while there is none. */
  readonly answer?: { readonly afterHours: number; readonly accepts: boolean };
}

/**
 * What an agent has offered to a sub-agent in ninety days, oldest first: dividends that were
 * declined, then accepted, and now a better offer; a salary for each day.
 */
const STEPS: readonly Step[] = [
  {
    daysAgo: 88,
    offer: { kind: "dividend", period: "MONTH", tiers: [share(5_000_000n, 5, 1_500)] },
    answer: { afterHours: 3, accepts: false },
  },
  {
    daysAgo: 86,
    offer: {
      kind: "dividend",
      period: "MONTH",
      tiers: [share(1_000_000n, 3, 1_500), share(5_000_000n, 5, 2_500)],
    },
    answer: { afterHours: 20, accepts: true },
  },
  {
    daysAgo: 61,
    offer: {
      kind: "daily",
      tiers: [share(500_000n, 2, 30), share(2_000_000n, 4, 50), share(10_000_000n, 10, 80)],
    },
    answer: { afterHours: 5, accepts: true },
  },
  {
    daysAgo: 2,
    offer: {
      kind: "dividend",
      period: "HALF_MONTH",
      tiers: [
        share(500_000n, 3, 2_000),
        share(3_000_000n, 5, 3_000),
        share(10_000_000n, 10, 3_500),
      ],
    },
  },
];

/** Made by the module itself, under a clock of their own. */
export async function offerContracts(
  pool: pg.Pool,
  merchant: Merchant,
  { upline, downline }: { readonly upline: Session; readonly downline: Session },
  now: Instant,
): Promise<void> {
  let at = now;
  const agents = new Agents(pool, { now: () => at });
  for (const [index, { daysAgo, offer, answer }] of STEPS.entries()) {
    at = now - daysAgo * DAY_MS + index * 7 * MINUTE_MS;
    const id = contractId(index);
    const given = { ...offer, id, username: downline.username };
    const offered = await agents.offer(merchant, upline, given);
    if (!offered.ok) throw new Error(`demo contract: ${offered.error.code}`);
    if (answer === undefined) continue;
    at += answer.afterHours * HOUR_MS;
    const decided = await agents[answer.accepts ? "accept" : "decline"](merchant, downline, id);
    if (!decided.ok) throw new Error(`demo contract: ${decided.error.code}`);
  }
}

/** Whether the last one was offered, and so all. */
export async function hasOfferedAll(
  pool: pg.Pool,
  { id: merchantId }: Merchant,
  memberId: string,
): Promise<boolean> {
  const id = contractId(STEPS.length - 1);
  return (await findContract(pool, { merchantId, memberId }, "upline", id)) !== null;
}

function contractId(index: number): string {
  return `ctr_${String(index + 1).padStart(26, "0")}`;
}

/** @param from minor units of pesos */
function share(from: bigint, activeMembers: number, basisPoints: number) {
  return { from: { minor: from, currency: "PHP" as const }, activeMembers, basisPoints };
}
