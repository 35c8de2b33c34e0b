import {
  fieldRefusal,
  limitRefusal,
  type PlainFaultCode,
  type Refusal,
  refusal,
} from "@perya/contract/refusal";
import { seedHash } from "@perya/games/fairness";
import {
  canonicalLine,
  drawLottery,
  type LineFault,
  LOTTERY_STAKE,
  type LotteryLine,
  lineFault,
  sameLine,
  ticketPayoutMinor,
  topFactor,
} from "@perya/games/lottery";
import {
  drawNumber,
  drawTimes,
  LOTTERIES,
  type Lottery,
  lotteryOf,
  planAheadMs,
} from "@perya/games/lottery-games";
import { fitsRule, wholeSteps } from "@perya/games/stake";
import { assert, present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import {
  type Clock,
  DAY_MS,
  type Entropy,
  HOUR_MS,
  type Instant,
  MINUTE_MS,
} from "@perya/kernel/instant";
import {
  type Currency,
  divideRounded,
  isCurrency,
  type MoneyWire,
  timesMinor,
} from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { addJobs, type NewJob } from "../../platform/jobs.ts";
import type { Merchant, Session } from "../identity/identity.ts";
import { type Account, accountOf, EffectMissed, LedgerUnavailable } from "../ledger/ledger.ts";
import { type Bet, maskName, Settlement, type VendorWallet } from "../vendors/vendors.ts";
import {
  type DrawRow,
  endDraw,
  findDraw,
  findTicket,
  insertDraws,
  insertTicket,
  largestPrizes,
  loseTickets,
  markSettled,
  type NewDraw,
  nextDraw,
  type Prize,
  pastDraws,
  payTicket,
  pickedGames,
  pickedNumbers,
  placedTickets,
  plannedTimes,
  type TicketOfDraw,
  type TicketRow,
  ticketsOf,
  unsettledDraws,
  voidTicket,
} from "./lottery.store.ts";

export { lotteryRoutes } from "./lottery.routes.ts";
export { lotteryBook } from "./lottery.store.ts";

/** The job that holds one draw. */
export const HOLD_DRAW = "lottery_draw";
/** A draw that could not be held for so long is void, and its tickets are refunded. */
export const LATEST_MS = HOUR_MS;
/** Between two looks for draws whose job came to nothing. */
const OVERDUE_MS = MINUTE_MS;
const OVERDUE_MAX = 200;
const SETTLE_BATCH = 500;
/** What counts as popular, and which prizes stand on the winner board. */
const POPULAR_MS = 7 * DAY_MS;
const BOARD_MS = 30 * DAY_MS;
const BOARD_LISTED = 20;
/** Draws whose numbers are counted. */
const COUNTED_DRAWS = 50;

export interface LotteryOptions {
  readonly pool: pg.Pool;
  readonly wallet: VendorWallet;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Why a player may not bet on a game of a vendor now; null where they may. */
  readonly closedTo: (
    merchant: Merchant,
    session: Session,
    game: { readonly vendor: string; readonly gameId: string },
  ) => Promise<Refusal | null>;
}

export interface GivenTicket {
  readonly id: string;
  readonly drawId: string;
  readonly lines: readonly LotteryLine[];
  readonly lineStake: MoneyWire;
}

/**
 * The house's lotteries. Draws are planned ahead with the hash of their seed, take tickets until
 * their second, and are held once by a job, whichever process runs it: the row's state lets one
 * pass. What a ticket gets follows from the seed alone, so a process that dies while it pays is
 * followed by one that pays the rest.
 */
export class Lotteries {
  readonly #pool: pg.Pool;
  readonly #wallet: VendorWallet;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #closedTo: LotteryOptions["closedTo"];

  constructor({ pool, wallet, clock, entropy, closedTo }: LotteryOptions) {
    this.#pool = pool;
    this.#wallet = wallet;
    this.#clock = clock;
    this.#entropy = entropy;
    this.#closedTo = closedTo;
  }

  /** Makes the draws ahead, each with its job; takes up again what was left. */
  async plan(): Promise<void> {
    const now = this.#clock.now();
    for (const lottery of LOTTERIES) {
      await this.planBetween(lottery, now, now + planAheadMs(lottery));
    }
    const left = await unsettledDraws(this.#pool, now - OVERDUE_MS, OVERDUE_MAX);
    const jobs = left.map(({ id }) => ({ ...jobOf({ id, drawsAt: now }), unlessRunning: true }));
    await addJobs(this.#pool, jobs);
  }

  /** The draws of a lottery after `from` and up to `until`; those that stand stay as they are. */
  async planBetween(lottery: Lottery, from: Instant, until: Instant): Promise<void> {
    const times = drawTimes(lottery.schedule, from, until);
    const planned = await plannedTimes(this.#pool, lottery.gameId, from, until);
    const missing = times.filter((at) => !planned.has(at));
    if (missing.length === 0) return;
    const draws = missing.map((drawsAt) => this.#newDraw(lottery, drawsAt));
    await insertDraws(this.#pool, draws, this.#clock.now(), jobOf);
  }

  /**
   * Holds a draw whose time has come, and settles its tickets; again is harmless.
   * @throws Error before its time
   */
  async hold(drawId: string): Promise<void> {
    const now = this.#clock.now();
    const draw = await findDraw(this.#pool, drawId);
    if (draw === null || draw.settled_at !== null) return;
    const drawsAt = draw.draws_at.getTime();
    // Jobs run by the database's clock; where it is ahead of ours, the worker tries again later.
    if (now < drawsAt) throw new Error(`draw ${drawId} is not due yet`);
    const lottery = lotteryOf(draw.game_id);
    if (draw.state === "open") {
      const { server_seed: serverSeed } = draw;
      const sound = seedHash(serverSeed) === draw.seed_hash && now - drawsAt <= LATEST_MS;
      if (sound) {
        const numbers = drawLottery(lottery.kind, { serverSeed, drawId });
        await endDraw(this.#pool, drawId, "drawn", numbers);
      } else await endDraw(this.#pool, drawId, "voided", null);
    }
    // Read anew: another process may have ended it.
    await this.#settle(lottery, present(await findDraw(this.#pool, drawId), "the draw"));
  }

  /** Takes a ticket for an open draw; the same id again answers the same ticket. */
  async bet(
    merchant: Merchant,
    session: Session,
    given: GivenTicket,
  ): Promise<Result<TicketOfDraw, Refusal>> {
    const account = accountOf(session.memberId, session.currency);
    if (given.lineStake.currency !== session.currency) {
      return refuse(fieldRefusal("lineStake.currency", "foreign_currency"));
    }
    const lineStakeMinor = BigInt(given.lineStake.minor);
    const standing = await findTicket(this.#pool, account, given.id);
    if (standing !== null) return sameTicket(standing, given, lineStakeMinor);
    const draw = await findDraw(this.#pool, given.drawId);
    if (draw === null) return refuse(fieldRefusal("drawId", "not_allowed"));
    const lottery = lotteryOf(draw.game_id);
    const fault =
      linesFault(lottery, given.lines) ??
      stakeFault(merchant, lottery, given.lines, lineStakeMinor, session.currency) ??
      (await this.#closedTo(merchant, session, lottery));
    if (fault !== null) return refuse(fault);
    const at = this.#clock.now();
    if (draw.state !== "open" || at >= draw.draws_at.getTime()) {
      return refuse(refusal("bets_closed"));
    }
    const stakeMinor = timesMinor(lineStakeMinor, BigInt(given.lines.length));
    const row = {
      ...{ lane: account.lane, account_id: account.id, id: given.id, draw_id: draw.id },
      ...{ merchant_id: merchant.id, masked_account: maskName(session.username) },
      currency: account.currency,
      lines: given.lines.map(canonicalLine),
      line_stake_minor: lineStakeMinor.toString(),
      stake_minor: stakeMinor.toString(),
      at,
    };
    const placed = await this.#betUnlessOver({
      account,
      vendor: lottery.vendor,
      transactionId: transactionId(given.id, "bet"),
      roundId: given.id,
      amount: stakeMinor,
      merchantId: merchant.id,
      gameId: lottery.gameId,
      blocked: session.blocked,
      effects: [{ statement: insertTicket, row }],
    });
    if (!placed.ok && placed.error.code !== "id_reused" && placed.error.code !== "bets_closed") {
      return placed;
    }
    const stored = await findTicket(this.#pool, account, given.id);
    if (stored !== null) return sameTicket(stored, given, lineStakeMinor);
    assert(!placed.ok, "a ticket that was paid for stands");
    return placed;
  }

  /** A game's next draw and the last one that was held or voided. */
  async around(lottery: Lottery): Promise<{ next: DrawRow | null; last: DrawRow | null }> {
    const now = this.#clock.now();
    const [next, [last = null]] = await Promise.all([
      nextDraw(this.#pool, lottery.gameId, now),
      pastDraws(this.#pool, lottery.gameId, { before: now + 1, limit: 1 }),
    ]);
    return { next, last };
  }

  /** @param before null for the newest */
  async drawsOf(lottery: Lottery, before: Instant | null, limit: number): Promise<DrawRow[]> {
    const page = { before: before ?? this.#clock.now() + 1, limit };
    return pastDraws(this.#pool, lottery.gameId, page);
  }

  async draw(id: string): Promise<DrawRow | null> {
    return findDraw(this.#pool, id);
  }

  async ticketsOf(
    session: Session,
    page: { readonly before: string | null; readonly limit: number },
  ): Promise<TicketOfDraw[]> {
    return ticketsOf(this.#pool, accountOf(session.memberId, session.currency), page);
  }

  /** Numbers by how often players of the brand picked them in the last seven days. */
  async popularNumbers(merchant: Merchant, { gameId }: Lottery, limit: number) {
    const since = this.#clock.now() - POPULAR_MS;
    return pickedNumbers(this.#pool, merchant.id, gameId, since, limit);
  }

  /** Tickets of the last seven days by game. */
  async popularGames(merchant: Merchant): Promise<Map<string, number>> {
    const ids = LOTTERIES.map(({ gameId }) => gameId);
    const since = this.#clock.now() - POPULAR_MS;
    const picked = await pickedGames(this.#pool, merchant.id, ids, since);
    return new Map(picked.map(({ game_id, tickets }) => [game_id, tickets]));
  }

  /** How often each number fell in the last draws. */
  async fallen(lottery: Lottery): Promise<{ draws: number; counts: Map<number, number> }> {
    const draws = await this.drawsOf(lottery, null, COUNTED_DRAWS);
    const held = draws.flatMap(({ numbers }) => (numbers === null ? [] : [numbers]));
    const counts = new Map<number, number>();
    for (const number of held.flat()) counts.set(number, (counts.get(number) ?? 0) + 1);
    return { draws: held.length, counts };
  }

  /** The largest prizes of the last thirty days, from high to low. */
  async largestPrizes(merchant: Merchant): Promise<Prize[]> {
    const since = this.#clock.now() - BOARD_MS;
    return largestPrizes(this.#pool, merchant.id, since, BOARD_LISTED);
  }

  /**
   * Every ticket that still waits is paid, lost or refunded; then the draw is done.
   * @throws LedgerUnavailable where a wallet was busy, after all others have been settled
   */
  async #settle(lottery: Lottery, draw: DrawRow): Promise<void> {
    const settlement = new Settlement();
    let last: TicketRow | null = null;
    for (;;) {
      const tickets: TicketRow[] = await placedTickets(this.#pool, draw.id, last, SETTLE_BATCH);
      if (tickets.length === 0) break;
      await this.#settleBatch(settlement, lottery, draw, tickets);
      last = tickets.at(-1) ?? null;
    }
    const owed = await settlement.end();
    if (owed > 0) throw new LedgerUnavailable(`draw ${draw.id} owes ${owed} tickets`);
    await markSettled(this.#pool, draw.id, this.#clock.now());
  }

  async #settleBatch(
    settlement: Settlement,
    lottery: Lottery,
    { numbers }: DrawRow,
    tickets: readonly TicketRow[],
  ): Promise<void> {
    const lost: TicketRow[] = [];
    for (const ticket of tickets) {
      if (numbers === null) {
        await settlement.add(() => this.#refund(lottery, ticket));
        continue;
      }
      const { lines, line_stake_minor: lineStakeMinor } = ticket;
      const payoutMinor = ticketPayoutMinor(lottery.mode, { lines, lineStakeMinor }, numbers);
      if (payoutMinor === 0n) lost.push(ticket);
      else await settlement.add(() => this.#pay(lottery, ticket, payoutMinor));
    }
    const at = this.#clock.now();
    await settlement.inTurn(() => loseTickets(this.#pool, lottery.vendor, lost, at));
  }

  async #pay(lottery: Lottery, ticket: TicketRow, payoutMinor: bigint): Promise<void> {
    const { lane, account_id, id } = ticket;
    const row = { lane, account_id, id, payout_minor: payoutMinor.toString() };
    const won = await this.#wallet.win({
      account: accountOfTicket(ticket),
      vendor: lottery.vendor,
      roundId: id,
      transactionId: transactionId(id, "win"),
      betTransactionId: transactionId(id, "bet"),
      amount: payoutMinor,
      closesRound: true,
      effects: [{ statement: payTicket, row }],
    });
    assert(won.ok, `the prize of ticket ${id}`);
  }

  async #refund(lottery: Lottery, ticket: TicketRow): Promise<void> {
    const { lane, account_id, id } = ticket;
    const refunded = await this.#wallet.rollback({
      account: accountOfTicket(ticket),
      vendor: lottery.vendor,
      roundId: id,
      transactionId: transactionId(id, "refund"),
      betTransactionId: transactionId(id, "bet"),
      amount: ticket.stake_minor,
      effects: [{ statement: voidTicket, row: { lane, account_id, id } }],
    });
    assert(refunded.ok, `the refund of ticket ${id}`);
  }

  /** A ticket that reached the ledger after the draw is not taken, nor one whose id stands. */
  async #betUnlessOver(bet: Bet): ReturnType<VendorWallet["bet"]> {
    try {
      return await this.#wallet.bet(bet);
    } catch (error) {
      if (error instanceof EffectMissed) return refuse(refusal("bets_closed"));
      throw error;
    }
  }

  #newDraw(lottery: Lottery, drawsAt: Instant): NewDraw {
    const serverSeed = Buffer.from(this.#entropy.bytes(32)).toString("hex");
    return {
      id: mintId("draw", drawsAt, this.#entropy.bytes(16)),
      game_id: lottery.gameId,
      number: drawNumber(lottery.schedule, drawsAt),
      draws_at: drawsAt,
      server_seed: serverSeed,
      seed_hash: seedHash(serverSeed),
    };
  }
}

function jobOf({ id, drawsAt }: { readonly id: string; readonly drawsAt: Instant }): NewJob {
  return { task: HOLD_DRAW, payload: { id }, key: `${HOLD_DRAW}:${id}`, runAt: drawsAt };
}

/** Apart from those of other rounds under the same vendor code. */
function transactionId(ticketId: string, what: "bet" | "win" | "refund"): string {
  return `${ticketId}:lottery-${what}`;
}

const LINE_FAULTS: Readonly<
  Record<LineFault, { readonly field: "play" | "numbers"; readonly code: PlainFaultCode }>
> = {
  play: { field: "play", code: "not_allowed" },
  count: { field: "numbers", code: "not_allowed" },
  range: { field: "numbers", code: "not_allowed" },
  repeated: { field: "numbers", code: "taken" },
  no_orders: { field: "numbers", code: "not_allowed" },
};

function linesFault({ kind }: Lottery, lines: readonly LotteryLine[]): Refusal | null {
  for (const [i, line] of lines.entries()) {
    const fault = lineFault(kind, line);
    if (fault !== null) {
      const { field, code } = LINE_FAULTS[fault];
      return fieldRefusal(`lines.${i}.${field}`, code);
    }
    // Two lines that win together are one line of twice the stake, past the limit of a line.
    const twin = lines.slice(0, i).some((other) => sameLine(line, other));
    if (twin) return fieldRefusal(`lines.${i}`, "taken");
  }
  return null;
}

function stakeFault(
  merchant: Merchant,
  { mode }: Lottery,
  lines: readonly LotteryLine[],
  lineStakeMinor: bigint,
  currency: Currency,
): Refusal | null {
  const field = "lineStake.minor";
  if (!fitsRule(lineStakeMinor, LOTTERY_STAKE)) {
    return limitRefusal(field, "not_multiple", `${LOTTERY_STAKE.stepMinor}`, currency);
  }
  const top = Math.max(...lines.map((line) => topFactor(mode, line)));
  const most = mostALine(merchant, top, lines.length);
  return lineStakeMinor <= most ? null : limitRefusal(field, "too_big", `${most}`, currency);
}

/**
 * The most that each line of a ticket may cost, in whole steps.
 * @param top how often the stake of a line comes back at most
 */
export function mostALine({ settings }: Merchant, top: number, lines: number): bigint {
  const { maxMinor, maxPayoutMinor } = settings.stakes;
  const share = divideRounded(maxMinor, BigInt(lines), "down");
  const payable = divideRounded(maxPayoutMinor, BigInt(top), "down");
  return wholeSteps(payable < share ? payable : share, LOTTERY_STAKE);
}

/** The ticket that stands under this id: the same one again is answered, another is refused. */
function sameTicket(
  standing: TicketOfDraw,
  given: GivenTicket,
  lineStakeMinor: bigint,
): Result<TicketOfDraw, Refusal> {
  const same =
    standing.draw_id === given.drawId &&
    standing.line_stake_minor === lineStakeMinor &&
    standing.lines.length === given.lines.length &&
    standing.lines.every((line, i) => {
      const other = given.lines[i];
      return other !== undefined && sameLine(line, other);
    });
  return same ? ok(standing) : refuse(refusal("id_reused"));
}

function accountOfTicket(ticket: TicketRow): Account {
  assert(isCurrency(ticket.currency), "a ticket's currency is a known one");
  return { lane: ticket.lane, id: ticket.account_id, currency: ticket.currency };
}
