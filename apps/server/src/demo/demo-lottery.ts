import { LOTTERY_SHAPES, type LotteryLine, sameLine } from "@perya/games/lottery";
import { LOTTERIES, type Lottery, planAheadMs } from "@perya/games/lottery-games";
import { mintId } from "@perya/kernel/ids";
import { type Clock, type Entropy, MINUTE_MS } from "@perya/kernel/instant";
import type pg from "pg";
import type { Merchant } from "../modules/brand/brand.ts";
import type { Session } from "../modules/identity/identity.ts";
import type { Ledger } from "../modules/ledger/ledger.ts";
import { Lotteries } from "../modules/lottery/lottery.ts";
import { VendorWallet } from "../modules/vendors/vendors.ts";
import { demoEntropy, pick } from "./demo-entropy.ts";

/** A player's luck, beside a few numbers that everybody's grandmother knows. */
const FAVOURED = [7, 8, 3, 5, 9];
/** Small lines and many, so that the winner board is full whichever numbers fell. */
const LINES = 5;
const LINE_STAKES_MINOR = [100n, 200n, 200n, 500n] as const;

/**
 * The lotteries' last days, played through the real draws under a clock of their own: two days of
 * the daily ones for the results, an hour of the quick ones with tickets of the demo's members.
 */
export async function drawThrough(
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
  const entropy = demoEntropy("lottery");
  let at = now;
  const clock: Clock = { now: () => at };
  const wallet = new VendorWallet(pool, ledger, clock);
  const playRefusal = async () => null;
  const lotteries = new Lotteries({ pool, wallet, clock, entropy, playRefusal });
  for (const lottery of LOTTERIES) {
    at = now - planAheadMs(lottery);
    // Only past draws: these seeds are no secret.
    await lotteries.planBetween(lottery, at, now - MINUTE_MS);
    const buyers = lottery.mode === "ent" ? players : [];
    for (;;) {
      stopping.throwIfAborted();
      const { next } = await lotteries.around(lottery);
      if (next === null || next.draws_at.getTime() > now - MINUTE_MS) break;
      await Promise.all(buyers.map((player) => buy(lottery, next.id, player)));
      at = next.draws_at.getTime();
      await lotteries.hold(next.id);
    }
  }

  async function buy(lottery: Lottery, drawId: string, player: Session): Promise<void> {
    const bought = await lotteries.bet(merchant, player, {
      id: mintId("bet", at, entropy.bytes(16)),
      drawId,
      lines: linesOf(lottery, entropy),
      lineStake: {
        minor: LINE_STAKES_MINOR[pick(entropy, LINE_STAKES_MINOR.length)] ?? 100n,
        currency: player.currency,
      },
    });
    if (!bought.ok && bought.error.code !== "insufficient_funds") {
      throw new Error(`demo ticket: ${bought.error.code}`);
    }
  }
}

function linesOf({ kind }: Lottery, entropy: Entropy): LotteryLine[] {
  const { picks, from, to, ordered } = LOTTERY_SHAPES[kind];
  const lines: LotteryLine[] = [];
  while (lines.length < LINES) {
    const drawn = line();
    if (!lines.some((one) => sameLine(one, drawn))) lines.push(drawn);
  }
  return lines;

  function line(): LotteryLine {
    const numbers = new Set([FAVOURED[pick(entropy, FAVOURED.length)] ?? from]);
    while (numbers.size < picks) numbers.add(from + pick(entropy, to - from + 1));
    return { play: ordered ? "rambol" : "six", numbers: [...numbers] };
  }
}
