import { z } from "zod";
import { BET_REFUSALS } from "./bet-refusals.ts";
import { call } from "./call.ts";
import { LOTTERY_VENDORS, PLAY_TYPES, PRIZE_MODES, SEA } from "./launch-terms.ts";
import { idWire, instantWire, moneyWire, pageOf, pageQuery, positiveMoneyWire } from "./wire.ts";

const PLAYERS = ["member", "trial", "agent"] as const;

/** The most lines of one ticket. */
const LINES_MAX = 10;

const gameCode = z.string().regex(/^[A-Z0-9_]{1,40}$/);
const kind = z.enum(["3d", "6-49"]);
const play = z.enum(["straight", "rambol", "six"]);
const prizeMode = z.enum([...Object.values(PRIZE_MODES), SEA]);
const numbers = z.array(z.number().int());

/** A lottery of the brand: the facts that do not change while a screen is open. */
const lotteryGame = z.object({
  gameCode,
  gameId: z.string(),
  nodeId: z.number().int(),
  name: z.string(),
  vendor: z.enum(LOTTERY_VENDORS),
  kind,
  playType: z.enum(Object.values(PLAY_TYPES)),
  prizeMode,
  open: z.boolean(),
  schedule: z.union([
    z.object({ hours: z.array(z.number().int()) }),
    z.object({ everyMinutes: z.number().int() }),
  ]),
  bets: z.array(
    z.object({
      bet: z.enum(["straight", "rambol6", "rambol3", "six"]),
      maxStake: moneyWire,
      returnPercent: z.string(),
      prizes: z.array(z.object({ hits: z.number().int(), factor: z.number().int() })),
    }),
  ),
  maxStake: moneyWire,
});
export type LotteryGame = z.infer<typeof lotteryGame>;

const lotteryDraw = z.object({
  id: idWire("draw"),
  gameCode,
  gameName: z.string(),
  kind,
  /** The day in Manila and the draw's number within that day. */
  number: z.string(),
  drawsAt: instantWire,
  /** `drawn`: the numbers are known; `voided`: the draw was not held, and every stake goes back. */
  state: z.enum(["open", "drawn", "voided"]),
  numbers: numbers.nullable(),
  /** SHA-256 of the server seed, published before the first ticket. */
  seedHash: z.string(),
  /** Revealed with the draw. */
  serverSeed: z.string().nullable(),
});
export type LotteryDraw = z.infer<typeof lotteryDraw>;

const listed = lotteryGame.extend({
  next: lotteryDraw.nullable(),
  last: lotteryDraw.nullable(),
});
export type ListedLottery = z.infer<typeof listed>;

/** `now` is the server's clock, which countdowns use. */
const lotteryList = z.object({ now: instantWire, list: z.array(listed) });

const line = z.strictObject({ play, numbers: z.array(z.number().int().min(0).max(49)).max(6) });

const ticket = z.object({
  id: idWire("bet"),
  drawId: idWire("draw"),
  drawNumber: z.string(),
  drawsAt: instantWire,
  gameCode,
  gameName: z.string(),
  kind,
  lines: z.array(z.object({ play, numbers, payout: moneyWire })),
  lineStake: moneyWire,
  stake: moneyWire,
  payout: moneyWire,
  state: z.enum(["placed", "won", "lost", "voided"]),
  drawn: numbers.nullable(),
  placedAt: instantWire,
});
export type LotteryTicket = z.infer<typeof ticket>;

/** Lotteries (games §7): menus, lists, draws with their seeds, tickets and the winner board. */
export const lotteryCalls = {
  "GET /api/v1/lottery/menus": call({
    summary: "The lotteries of a prize mode with their pay tables; browsers keep them",
    callers: ["visitor"],
    query: z.object({ prizeMode }),
    reply: z.object({ prizeMode, list: z.array(lotteryGame) }),
  }),
  "GET /api/v1/lottery/list": call({
    summary: "The brand's lotteries, each with its next draw and the last one",
    callers: ["visitor"],
    reply: lotteryList,
  }),
  "GET /api/v1/lottery/vietnam": call({
    summary: "The lotteries of TCG_LOTTO_VN, each with its next draw and the last one",
    callers: ["visitor"],
    reply: lotteryList,
  }),
  "GET /api/v1/lottery/numero": call({
    summary: "The numbers that a lottery is played with, and how often each fell lately",
    callers: ["visitor"],
    query: z.object({ gameCode }),
    reply: z.object({
      gameCode,
      picks: z.number().int(),
      from: z.number().int(),
      to: z.number().int(),
      draws: z.number().int(),
      list: z.array(z.object({ number: z.number().int(), fell: z.number().int() })),
    }),
    refusals: ["not_found"],
  }),
  "GET /api/v1/lottery/popular-numbers": call({
    summary: "What players picked most in the last seven days, most picked first",
    callers: ["visitor"],
    query: z.object({ gameCode }),
    reply: z.object({
      gameCode,
      list: z.array(z.object({ number: z.number().int(), picked: z.number().int() })),
    }),
    refusals: ["not_found"],
  }),
  "GET /api/v1/lottery/popular-games": call({
    summary: "The brand's lotteries by the tickets of the last seven days",
    callers: ["visitor"],
    reply: z.object({ list: z.array(lotteryGame) }),
  }),
  "GET /api/v1/lottery/draws": call({
    summary: "Draws that were held, newest first, with their revealed seeds",
    callers: ["visitor"],
    query: z.object({ ...pageQuery, gameCode }),
    reply: pageOf(lotteryDraw),
    refusals: ["not_found"],
  }),
  "GET /api/v1/lottery/draws/{id}": call({
    summary: "One draw, with its seed after it was held",
    callers: ["visitor"],
    params: z.object({ id: idWire("draw") }),
    reply: lotteryDraw,
    refusals: ["not_found"],
  }),
  "GET /api/v1/lottery/winners": call({
    summary: "The winner board: the largest prizes of the last thirty days, names masked",
    callers: ["visitor"],
    reply: z.object({
      list: z.array(
        z.object({
          vo: z.object({
            winAmount: moneyWire,
            account: z.string(),
            gameName: z.string(),
            gameCode,
            at: instantWire,
          }),
        }),
      ),
    }),
  }),
  "POST /api/v1/lottery/tickets": call({
    summary: "Buy a ticket; the same id again answers the same ticket and moves no money",
    callers: PLAYERS,
    regional: true,
    body: z.strictObject({
      id: idWire("bet"),
      drawId: idWire("draw"),
      lines: z.array(line).min(1).max(LINES_MAX),
      lineStake: positiveMoneyWire,
    }),
    reply: ticket,
    refusals: [...BET_REFUSALS],
    rate: { max: 120, windowMs: 60_000 },
    kept: "stake",
  }),
  "GET /api/v1/lottery/tickets": call({
    summary: "The player's tickets, newest first",
    callers: PLAYERS,
    query: z.object(pageQuery),
    reply: pageOf(ticket),
  }),
} as const;
