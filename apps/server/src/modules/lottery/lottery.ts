import { fieldRefusal, type PlainFaultCode, type Refusal, refusal } from "@perya/contract/refusal";
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
import { wholeSteps } from "@perya/games/stake";
import { mintId } from "@perya/kernel/ids";
import { type Clock, DAY_MS, type Instant } from "@perya/kernel/instant";
import { divideRounded, type Money, timesMinor } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { ModuleParts } from "../../platform/server-module.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf } from "../ledger/ledger.ts";
import {
  newSeed,
  PlannedEvents,
  stakeFault,
  type WagerEnd,
  type WagerGame,
  Wagers,
} from "../rounds/rounds.ts";
import { maskName, type VendorWallet } from "../vendors/vendors.ts";
import {
  BET_TABLE,
  type DrawRow,
  endDraw,
  findDraw,
  INSERT_DRAWS,
  insertTicket,
  largestPrizes,
  type NewDraw,
  nextDraw,
  type Prize,
  pastDraws,
  pickedGames,
  pickedNumbers,
  type TicketRow,
} from "./lottery.store.ts";

export { lotteryBook } from "./lottery.store.ts";

export const HOLD_DRAW = "lottery_draw";
/** The time that counts for popularity, and for the prizes on the winner board. */
const POPULAR_MS = 7 * DAY_MS;
const BOARD_MS = 30 * DAY_MS;
const BOARD_LISTED = 20;
const COUNTED_DRAWS = 50;

export interface LotteryOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly wallet: VendorWallet;
  /** Why a player may not bet on a vendor's game now; null if they may. */
  readonly playRefusal: (
    merchant: Merchant,
    session: Session,
    game: { readonly vendor: string; readonly gameId: string },
  ) => Promise<Refusal | null>;
}

export interface GivenTicket {
  readonly id: string;
  readonly drawId: string;
  readonly lines: readonly LotteryLine[];
  readonly lineStake: Money;
}

/**
 * The house's lotteries. Draws are planned ahead with the hash of their seed, take tickets until
 * their second, and are held once.
 */
export class Lotteries {
  readonly #options: LotteryOptions;
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #tickets: Wagers<TicketRow>;
  readonly #draws: PlannedEvents<DrawRow>;

  constructor(options: LotteryOptions) {
    const { pool, clock } = options;
    this.#options = options;
    this.#pool = pool;
    this.#clock = clock;
    this.#tickets = new Wagers(BET_GAME, options);
    this.#draws = new PlannedEvents<DrawRow>(
      { pool, clock },
      {
        ...{ task: HOLD_DRAW, word: "draw", table: "lottery_draws", dueColumn: "draws_at" },
        ...{ kindColumn: "game_id", timeColumn: "draws_at" },
        find: (id) => findDraw(pool, id),
        finish: (draw, isVoid) => endDraw(pool, draw.id, isVoid ? null : numbersOf(draw)),
        settle: (id) => this.#tickets.settle(id, () => endOf),
      },
    );
  }

  async plan(): Promise<void> {
    const now = this.#clock.now();
    for (const lottery of LOTTERIES) {
      await this.planBetween(lottery, now, now + planAheadMs(lottery));
    }
    await this.#draws.jobs.takeUp(now);
  }

  async planBetween(lottery: Lottery, from: Instant, until: Instant): Promise<void> {
    const times = drawTimes(lottery.schedule, from, until);
    const planned = await this.#draws.jobs.plannedTimes(lottery.gameId, from, until);
    const missing = times.filter((at) => !planned.has(at));
    const draws = missing.map((drawsAt) => this.#newDraw(lottery, drawsAt));
    await this.#draws.add(INSERT_DRAWS, draws);
  }

  /**
   * Holds a draw whose time has come, and settles its tickets; a repetition is harmless.
   * @throws Error before its time
   */
  async hold(drawId: string): Promise<void> {
    await this.#draws.end(drawId);
  }

  /** Takes a ticket for an open draw; the same id again answers the same ticket. */
  async bet(
    merchant: Merchant,
    session: Session,
    given: GivenTicket,
  ): Promise<Result<TicketRow, Refusal>> {
    const account = accountOf(session.memberId, session.currency);
    const difference = (ticket: TicketRow) => differenceFrom(ticket, given);
    const existing = await this.#tickets.existing(account, given.id, difference);
    if (existing !== null) return existing;
    const draw = await findDraw(this.#pool, given.drawId);
    if (draw === null) return refuse(fieldRefusal("drawId", "not_allowed"));
    const lottery = lotteryOf(draw.game_id);
    const fault =
      linesFault(lottery, given.lines) ??
      lineStakeFault(merchant, session, lottery, given) ??
      (await this.#options.playRefusal(merchant, session, lottery));
    if (fault !== null) return refuse(fault);
    const at = this.#clock.now();
    if (draw.state !== "open" || at >= draw.draws_at.getTime()) {
      return refuse(refusal("bets_closed"));
    }
    const stakeMinor = timesMinor(given.lineStake.minor, BigInt(given.lines.length));
    const bet = {
      ...{ merchant, session, vendor: lottery.vendor, gameId: lottery.gameId },
      ...{ roundId: given.id, stakeMinor, insert: insertTicket },
      row: {
        ...{ id: given.id, draw_id: draw.id, masked_account: maskName(session.username) },
        lines: given.lines.map(canonicalLine),
        line_stake_minor: given.lineStake.minor.toString(),
        at,
      },
    };
    const placed = await this.#tickets.place(bet, difference);
    return placed.ok ? ok(placed.value.bet) : placed;
  }

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
  ): Promise<TicketRow[]> {
    return this.#tickets.page(accountOf(session.memberId, session.currency), page);
  }

  async popularNumbers(merchant: Merchant, { gameId }: Lottery, limit: number) {
    const since = this.#clock.now() - POPULAR_MS;
    return pickedNumbers(this.#pool, merchant.id, gameId, since, limit);
  }

  async popularGames(merchant: Merchant): Promise<Map<string, number>> {
    const ids = LOTTERIES.map(({ gameId }) => gameId);
    const since = this.#clock.now() - POPULAR_MS;
    const picked = await pickedGames(this.#pool, merchant.id, ids, since);
    return new Map(picked.map(({ game_id, tickets }) => [game_id, tickets]));
  }

  async fallen(lottery: Lottery): Promise<{ draws: number; counts: Map<number, number> }> {
    const draws = await this.drawsOf(lottery, null, COUNTED_DRAWS);
    const held = draws.flatMap(({ numbers }) => (numbers === null ? [] : [numbers]));
    const counts = new Map<number, number>();
    for (const number of held.flat()) counts.set(number, (counts.get(number) ?? 0) + 1);
    return { draws: held.length, counts };
  }

  async largestPrizes(merchant: Merchant): Promise<Prize[]> {
    const since = this.#clock.now() - BOARD_MS;
    return largestPrizes(this.#pool, merchant.id, since, BOARD_LISTED);
  }

  #newDraw(lottery: Lottery, drawsAt: Instant): NewDraw {
    const seed = newSeed(this.#options.entropy);
    return {
      id: mintId("draw", drawsAt, this.#options.entropy.bytes(16)),
      game_id: lottery.gameId,
      number: drawNumber(lottery.schedule, drawsAt),
      draws_at: drawsAt,
      ...seed,
    };
  }
}

const BET_GAME: WagerGame<TicketRow> = {
  ...BET_TABLE,
  vendorOf: ({ game_id }) => lotteryOf(game_id).vendor,
  paid: { state: "won", word: "win" },
  refunded: { state: "voided", isPayout: false },
};

function numbersOf({ game_id, server_seed: serverSeed, id: drawId }: DrawRow): readonly number[] {
  return drawLottery(lotteryOf(game_id).kind, { serverSeed, drawId });
}

function endOf(ticket: TicketRow): WagerEnd {
  const { game_id, numbers, lines, line_stake_minor: lineStakeMinor } = ticket;
  if (numbers === null) return "refunded";
  return ticketPayoutMinor(lotteryOf(game_id).mode, { lines, lineStakeMinor }, numbers);
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

function lineStakeFault(
  merchant: Merchant,
  session: Session,
  { mode }: Lottery,
  { lines, lineStake }: GivenTicket,
): Refusal | null {
  const top = Math.max(...lines.map((line) => topFactor(mode, line)));
  const payableMinor = mostALine(merchant, top, lines.length);
  const by = { merchant, session, rule: LOTTERY_STAKE, payableMinor };
  return stakeFault(lineStake, by, "lineStake");
}

/**
 * The most that each line of a ticket may cost, in whole steps.
 * @param top the highest multiple of its stake that a line can pay
 */
export function mostALine({ settings }: Merchant, top: number, lines: number): bigint {
  const { maxMinor, maxPayoutMinor } = settings.stakes;
  const share = divideRounded(maxMinor, BigInt(lines), "down");
  const payable = divideRounded(maxPayoutMinor, BigInt(top), "down");
  return wholeSteps(payable < share ? payable : share, LOTTERY_STAKE);
}

/** Why the ticket that exists under this id differs from this one; null if it does not. */
function differenceFrom(existing: TicketRow, given: GivenTicket): Refusal | null {
  const same =
    existing.draw_id === given.drawId &&
    existing.currency === given.lineStake.currency &&
    existing.line_stake_minor === given.lineStake.minor &&
    existing.lines.length === given.lines.length &&
    existing.lines.every((line, i) => {
      const other = given.lines[i];
      return other !== undefined && sameLine(line, other);
    });
  return same ? null : refusal("id_reused");
}
