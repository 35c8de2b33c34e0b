import { setTimeout as sleep } from "node:timers/promises";
import type { Payment } from "../server/payment-gateway.ts";
import type { PaymentGateway } from "../server/payment-gateway-process.ts";
import { seededChance } from "./chance.ts";

/** How the outside provider reports the end of a payment. */
export interface Manner {
  readonly lateMs: number;
  readonly times: number;
  /** Afterwards it reports the opposite; its books do not change. */
  readonly contradicts: boolean;
}

export const PLAIN: Manner = { lateMs: 0, times: 1, contradicts: false };

/**
 * Ends the payments at the outside provider, nine of ten successfully, and repeats its call-back
 * until it is accepted, as providers do.
 */
export interface Clerk {
  /** Payments that end from now on are reported this way; answers how many were, so far. */
  tell(manner: Manner): () => number;
  books(): Promise<Payment[]>;
  close(): void;
}

const LOOK_MS = 300;
const FAILS_PERCENT = 10;

export function openClerk(gateway: () => PaymentGateway, seed: string): Clerk {
  const chance = seededChance(`${seed} clerk`);
  const heard = new Set<string>();
  const busy = new Map<string, Payment["status"]>();
  const told = new Map<Manner, number>();
  let manner = PLAIN;
  let closed = false;

  void (async () => {
    while (!closed) {
      await sleep(LOOK_MS);
      const books = await gateway()
        .books()
        .catch(() => []);
      for (const payment of books) {
        if (heard.has(payment.id) || busy.has(payment.id)) continue;
        const status = payment.status === "pending" ? drawn() : payment.status;
        busy.set(payment.id, status);
        void end(payment.id, status, manner)
          .catch(() => undefined)
          .finally(() => busy.delete(payment.id));
      }
    }
  })();

  function drawn(): Payment["status"] {
    return chance.percent(FAILS_PERCENT) ? "failed" : "paid";
  }

  async function end(id: string, status: Payment["status"], how: Manner): Promise<void> {
    await sleep(how.lateMs);
    const answers = await gateway().end({ id, status, times: how.times });
    const isHeard = answers.every((answer) => answer === 200);
    // A lie that arrives before the truth would count as the truth; and a failed deposit may still
    // be paid.
    const mayBePaidYet = status === "failed" && id.startsWith("dep_");
    if (how.contradicts && isHeard && !mayBePaidYet) {
      const opposite = status === "paid" ? "failed" : "paid";
      await gateway().end({ id, status: opposite, times: 1, lie: true });
    }
    if (isHeard) told.set(how, (told.get(how) ?? 0) + 1);
    if (isHeard) heard.add(id);
  }

  return {
    tell: (next) => {
      manner = next;
      const before = told.get(next) ?? 0;
      return () => (told.get(next) ?? 0) - before;
    },
    books: () => gateway().books(),
    close: () => {
      closed = true;
    },
  };
}
