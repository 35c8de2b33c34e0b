import { PLAY_TYPES, PRIZE_MODES, type PrizeMode, SEA } from "@perya/contract/launch-terms";
import type {
  ListedLottery,
  LotteryDraw,
  LotteryGame,
  LotteryTicket,
  lotteryCalls,
} from "@perya/contract/lottery";
import { refusal } from "@perya/contract/refusal";
import type { OnWire } from "@perya/contract/wire";
import {
  factorOf,
  LOTTERY_BETS,
  LOTTERY_SHAPES,
  LOTTERY_TABLES,
  lotteryReturn,
} from "@perya/games/lottery";
import { LOTTERIES, type Lottery, lotteryOf } from "@perya/games/lottery-games";
import { percentText } from "@perya/games/rational";
import type { Clock } from "@perya/kernel/instant";
import { MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { currencyOf, money, timesMinor, toWire } from "@perya/kernel/money";
import { ok, refuse } from "@perya/kernel/result";
import {
  decodeCursor,
  isIdPosition,
  isTimePosition,
  paged,
  pageOf,
} from "../../platform/http/cursor.ts";
import { createSharedReads } from "../../platform/shared-reads.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Routes } from "../identity/identity.ts";
import type { DrawRow, TicketRow } from "./lottery.store.ts";
import { type Lotteries, mostALine } from "./lottery.ts";

/** A game of the brand's catalogue, as far as a lottery needs it. */
interface OfferedGame {
  readonly nodeId: number;
  readonly name: string;
  readonly open: boolean;
}

export interface LotteryRoutesOptions {
  readonly lotteries: Lotteries;
  readonly clock: Clock;
  /** How a brand's catalogue shows a lottery; null if the brand does not have it. */
  readonly offered: (merchant: Merchant, lottery: Lottery) => Promise<OfferedGame | null>;
}

/** What players share is read once in this time; a draw must not wait, so it is short. */
const SHARED_MS = SECOND_MS;
/** A week of tickets is counted once in this time: what is popular for a week changes slowly. */
const POPULAR_KEPT_MS = 5 * MINUTE_MS;
const POPULAR_LISTED = 10;

type TicketCalls = Pick<
  typeof lotteryCalls,
  "POST /api/v1/lottery/tickets" | "GET /api/v1/lottery/tickets"
>;

export function lotteryRoutes(options: LotteryRoutesOptions): Routes<typeof lotteryCalls> {
  const offers = createOffers(options.offered);
  return { ...drawRoutes(options, offers), ...ticketRoutes(options, offers) };
}

type Offers = ReturnType<typeof createOffers>;

function createOffers(offered: LotteryRoutesOptions["offered"]) {
  async function offeredTo(merchant: Merchant, wanted: (lottery: Lottery) => boolean) {
    const found = await Promise.all(
      LOTTERIES.filter(wanted).map(async (lottery) => {
        const game = await offered(merchant, lottery);
        return game === null ? null : { lottery, game: gameReply(merchant, lottery, game) };
      }),
    );
    return found.filter((one) => one !== null);
  }

  async function byCode(merchant: Merchant, gameCode: string) {
    const [found] = await offeredTo(merchant, (lottery) => lottery.gameCode === gameCode);
    return found ?? null;
  }

  /** The brand's names; a game that it no longer lists keeps ours. */
  async function namesOf(merchant: Merchant): Promise<(gameId: string) => string> {
    const found = await offeredTo(merchant, () => true);
    const names = new Map(found.map(({ game }) => [game.gameId, game.name]));
    return (gameId) => names.get(gameId) ?? lotteryOf(gameId).name;
  }

  return { offeredTo, byCode, namesOf };
}

function drawRoutes(
  { lotteries, clock, offered }: LotteryRoutesOptions,
  { offeredTo, byCode, namesOf }: Offers,
): Routes<Omit<typeof lotteryCalls, keyof TicketCalls>> {
  const once = createSharedReads(clock, SHARED_MS);
  const popular = createSharedReads(clock, POPULAR_KEPT_MS);

  function list(merchant: Merchant, wanted: (lottery: Lottery) => boolean, name: string) {
    return once(`list ${merchant.id} ${name}`, async () => {
      const found = await offeredTo(merchant, wanted);
      return Promise.all(
        found.map(async ({ lottery, game }): Promise<OnWire<ListedLottery>> => {
          const { next, last } = await lotteries.around(lottery);
          return {
            ...game,
            next: next && drawReply(next, game.name),
            last: last && drawReply(last, game.name),
          };
        }),
      );
    });
  }

  return {
    "GET /api/v1/lottery/menus": async ({ merchant, query }) => {
      const { prizeMode } = query;
      const found = await offeredTo(merchant, (lottery) => prizeModeOf(lottery) === prizeMode);
      return ok({ prizeMode, list: found.map(({ game }) => game) });
    },

    "GET /api/v1/lottery/list": async ({ merchant }) =>
      ok({ now: clock.now(), list: await list(merchant, () => true, "all") }),

    "GET /api/v1/lottery/vietnam": async ({ merchant }) =>
      ok({
        now: clock.now(),
        list: await list(merchant, ({ vendor }) => vendor === "TCG_LOTTO_VN", "vietnam"),
      }),

    "GET /api/v1/lottery/numero": async ({ merchant, query }) => {
      const found = await byCode(merchant, query.gameCode);
      if (found === null) return refuse(refusal("not_found"));
      const { lottery } = found;
      const fallen = await once(`fallen ${lottery.gameId}`, () => lotteries.fallen(lottery));
      return ok(fallenReply(lottery, fallen));
    },

    "GET /api/v1/lottery/popular-numbers": async ({ merchant, query }) => {
      const found = await byCode(merchant, query.gameCode);
      if (found === null) return refuse(refusal("not_found"));
      const picked = await popular(`numbers ${merchant.id} ${query.gameCode}`, () =>
        lotteries.popularNumbers(merchant, found.lottery, POPULAR_LISTED),
      );
      return ok({ gameCode: query.gameCode, list: picked });
    },

    "GET /api/v1/lottery/popular-games": async ({ merchant }) => {
      const found = await offeredTo(merchant, () => true);
      const tickets = await popular(`games ${merchant.id}`, () => lotteries.popularGames(merchant));
      const of = (gameId: string) => tickets.get(gameId) ?? 0;
      const games = found.map(({ game }) => game);
      return ok({ list: games.sort((a, b) => of(b.gameId) - of(a.gameId)) });
    },

    "GET /api/v1/lottery/draws": async ({ merchant, query }) => {
      const before = decodeCursor(query.cursor, isTimePosition);
      if (!before.ok) return before;
      const found = await byCode(merchant, query.gameCode);
      if (found === null) return refuse(refusal("not_found"));
      const { lottery, game } = found;
      const rows = await lotteries.drawsOf(lottery, before.value?.at ?? null, query.limit + 1);
      const replyOf = (row: DrawRow) => drawReply(row, game.name);
      return ok(paged(rows, query.limit, replyOf, (row) => ({ at: row.draws_at.getTime() })));
    },

    "GET /api/v1/lottery/draws/{id}": async ({ merchant, params }) => {
      const draw = await lotteries.draw(params.id);
      if (draw === null) return refuse(refusal("not_found"));
      const game = await offered(merchant, lotteryOf(draw.game_id));
      return game === null ? refuse(refusal("not_found")) : ok(drawReply(draw, game.name));
    },

    "GET /api/v1/lottery/winners": async ({ merchant }) => {
      const prizes = await once(`winners ${merchant.id}`, () => lotteries.largestPrizes(merchant));
      const names = await namesOf(merchant);
      return ok({ list: prizes.map((prize) => ({ vo: prizeReply(prize, names(prize.game_id)) })) });
    },
  };
}

function ticketRoutes(
  { lotteries }: LotteryRoutesOptions,
  { namesOf }: Offers,
): Routes<TicketCalls> {
  return {
    "POST /api/v1/lottery/tickets": async ({ merchant, session, body }) => {
      const placed = await lotteries.bet(merchant, session, body);
      if (!placed.ok) return placed;
      const names = await namesOf(merchant);
      return ok(ticketReply(placed.value, names(placed.value.game_id)));
    },

    "GET /api/v1/lottery/tickets": async ({ merchant, session, query }) => {
      const names = await namesOf(merchant);
      return pageOf(
        query,
        isIdPosition,
        (before, limit) => lotteries.ticketsOf(session, { before: before?.id ?? null, limit }),
        (row) => ticketReply(row, names(row.game_id)),
        ({ id }) => ({ id }),
      );
    },
  };
}

/** The menu of a lottery: TCG_SEA's alone, the quick ones, the daily ones. */
function prizeModeOf({ vendor, mode }: Lottery): PrizeMode {
  if (vendor === "TCG_SEA") return SEA;
  return mode === PLAY_TYPES.Entertainment ? PRIZE_MODES.Elott : PRIZE_MODES.Lott;
}

function gameReply(merchant: Merchant, lottery: Lottery, game: OfferedGame): OnWire<LotteryGame> {
  const { kind, mode, schedule } = lottery;
  const plays = LOTTERY_SHAPES[kind].plays;
  const bets = LOTTERY_BETS.filter((bet) => plays.some((play) => bet.startsWith(play)));
  return {
    gameCode: lottery.gameCode,
    gameId: lottery.gameId,
    nodeId: game.nodeId,
    name: game.name,
    vendor: lottery.vendor,
    kind,
    playType: mode,
    prizeMode: prizeModeOf(lottery),
    open: game.open,
    schedule:
      "hours" in schedule
        ? { hours: [...schedule.hours] }
        : { everyMinutes: schedule.everyMinutes },
    bets: bets.map((bet) => {
      const table = LOTTERY_TABLES[mode][bet];
      const top = Math.max(...table.map(({ factor }) => factor));
      return {
        bet,
        maxStake: toWire(money(mostALine(merchant, top, 1), merchant.currency)),
        returnPercent: percentText(lotteryReturn(mode, bet), 2),
        prizes: table.map(({ hits, factor }) => ({ hits, factor })),
      };
    }),
    maxStake: toWire(money(merchant.settings.stakes.maxMinor, merchant.currency)),
  };
}

function fallenReply(
  { gameCode, kind }: Lottery,
  { draws, counts }: Awaited<ReturnType<Lotteries["fallen"]>>,
) {
  const { picks, from, to } = LOTTERY_SHAPES[kind];
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const list = numbers.map((number) => ({ number, fell: counts.get(number) ?? 0 }));
  return { gameCode, picks, from, to, draws, list };
}

/** A draw's seed is secret until its numbers are final. */
function drawReply(draw: DrawRow, gameName: string): OnWire<LotteryDraw> {
  const { gameCode, kind } = lotteryOf(draw.game_id);
  return {
    id: draw.id,
    gameCode,
    gameName,
    kind,
    number: draw.number,
    drawsAt: draw.draws_at.getTime(),
    state: draw.state,
    numbers: draw.numbers,
    seedHash: draw.seed_hash,
    serverSeed: draw.state === "open" ? null : draw.server_seed,
  };
}

function prizeReply(
  prize: Awaited<ReturnType<Lotteries["largestPrizes"]>>[number],
  gameName: string,
) {
  return {
    winAmount: toWire(money(prize.payout_minor, currencyOf(prize.currency))),
    account: prize.masked_account,
    gameName,
    gameCode: lotteryOf(prize.game_id).gameCode,
    at: prize.draws_at.getTime(),
  };
}

function ticketReply(ticket: TicketRow, gameName: string): OnWire<LotteryTicket> {
  const { gameCode, kind, mode } = lotteryOf(ticket.game_id);
  const currency = currencyOf(ticket.currency);
  const payoutOf = (line: (typeof ticket.lines)[number]) =>
    ticket.state === "won" && ticket.numbers !== null
      ? timesMinor(ticket.line_stake_minor, BigInt(factorOf(mode, line, ticket.numbers)))
      : 0n;
  return {
    id: ticket.id,
    drawId: ticket.draw_id,
    drawNumber: ticket.number,
    drawsAt: ticket.draws_at.getTime(),
    gameCode,
    gameName,
    kind,
    lines: ticket.lines.map((line) => ({
      play: line.play,
      numbers: [...line.numbers],
      payout: toWire(money(payoutOf(line), currency)),
    })),
    lineStake: toWire(money(ticket.line_stake_minor, currency)),
    stake: toWire(money(ticket.stake_minor, currency)),
    payout: toWire(money(ticket.payout_minor, currency)),
    state: ticket.state,
    drawn: ticket.numbers,
    placedAt: ticket.placed_at.getTime(),
  };
}
