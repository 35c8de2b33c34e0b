import { HOUSE_GAMES } from "@perya/games/house-games";
import { z } from "zod";
import { call } from "./call.ts";
import { languageWire } from "./wire.ts";

export const GAME_TYPES = [
  "RNG",
  "LIVE",
  "PVP",
  "FISH",
  "SPORTS",
  "ESPORTS",
  "COCKFIGHT",
  "LOTT",
  "ELOTT",
] as const;
export type GameType = (typeof GAME_TYPES)[number];

/** A game type in a query: the specification writes e-sports in two ways (games §3). */
const gameTypeWire = z.enum([...GAME_TYPES, "ESPORT"]).transform(oneSpelling);
/** Like `gameTypeWire`, or empty for all types. */
export const anyGameTypeWire = z
  .enum([...GAME_TYPES, "ESPORT", ""])
  .default("")
  .transform(oneSpelling);

function oneSpelling<T extends string>(type: T | "ESPORT"): T | "ESPORTS" {
  return type === "ESPORT" ? "ESPORTS" : type;
}

/** Ids of the games of our own server; all others are launched at their vendor. */
export const HOUSE_GAME_IDS = HOUSE_GAMES.map(({ id }) => id);

/** A game in maintenance is shown and cannot be launched. */
const playStatus = z.enum(["up", "maintenance"]);

export const gameReply = z.object({
  gameId: z.string(),
  nodeId: z.number().int(),
  nodeName: z.string(),
  gameName: z.string(),
  displayName: z.string(),
  gameType: z.enum(GAME_TYPES),
  vassalage: z.string(),
  vendorName: z.string(),
  gameClassify: z.string(),
  gameClassifyNew: z.string(),
  gameCode: z.string(),
  minBet: z.string(),
  isNew: z.boolean(),
  showIcon: z.boolean(),
  iconUrl: z.string(),
  roomId: z.string().nullable(),
  supportPlay: z.boolean(),
  freeplay: z.boolean(),
  isGameH5: z.string().nullable(),
  lottoMode: z.string().nullable(),
  /** Published return to player in percent with two decimals; null for a game without one. */
  rtp: z.string().nullable(),
  /** The screen under /m/play/ if our own server deals the game, else null. */
  houseGame: z.enum(HOUSE_GAME_IDS).nullable(),
  status: playStatus,
});
export type Game = z.infer<typeof gameReply>;

const vendorReply = z.object({
  vassalage: z.string(),
  displayName: z.string(),
  accountTypeName: z.string(),
  gameType: z.enum(GAME_TYPES),
  mobileLargeIcon: z.string(),
  /** The classifications of its games, each with all vendors of the type that also have it. */
  gameClassify: z.array(z.object({ key: z.string(), vendors: z.array(z.string()) })),
  gameCount: z.number().int(),
  status: playStatus,
});

/** Page numbers, as the specification's pagination widget uses them; deeper ones are refused. */
const PAGE_NO_MAX = 10_000;
const PAGE_SIZE_MAX = 60;

export const catalogueCalls = {
  "GET /api/v1/games": call({
    summary: "Games by type, vendor, classification and name; a misspelt name still finds",
    callers: ["visitor"],
    query: z.object({
      merchant: z.string().max(40).optional(),
      platform: z.literal("html5").default("html5"),
      gameName: z.string().trim().max(60).default(""),
      gameType: gameTypeWire.optional(),
      pageNo: z.coerce.number().int().min(1).max(PAGE_NO_MAX).default(1),
      pageSize: z.coerce.number().int().min(1).max(PAGE_SIZE_MAX).default(35),
      vassalage: z
        .string()
        .regex(/^[A-Z0-9_]{0,30}$/)
        .default(""),
      gameClassify: z
        .string()
        .regex(/^[A-Z0-9_]{0,20}$/)
        .default(""),
      /** Major units; lists games whose smallest stake is at most this. */
      minBet: z
        .string()
        .regex(/^(\d{1,9}(\.\d{1,2})?)?$/)
        .default(""),
      minLine: z.literal("").default(""),
      isNew: z.enum(["", "0", "1"]).default(""),
      language: languageWire.optional(),
      clientType: z.literal("2").default("2"),
    }),
    reply: z.object({
      games: z.array(gameReply),
      pageNum: z.number().int(),
      totalPages: z.number().int(),
      totalCount: z.number().int(),
    }),
  }),
  "GET /api/v1/games/hot": call({
    summary: "The brand's hot games, in its order",
    callers: ["visitor"],
    query: z.object({
      isPlatform: z.literal("2").default("2"),
      platform: z.literal("html5").default("html5"),
      language: languageWire.optional(),
      merchantCode: z.string().max(40).optional(),
    }),
    reply: z.object({ list: z.array(gameReply) }),
  }),
  "GET /api/v1/games/types": call({
    summary: "Which types and classifications of games a vendor has for the brand, with counts",
    callers: ["visitor"],
    query: z.object({
      typeId: z.string().regex(/^[A-Z0-9_]{1,30}$/),
      /** Must be the brand's own code: nothing is told about other brands. */
      merchant_code: z.string().min(1).max(40),
    }),
    reply: z.object({
      gameTypes: z.array(
        z.object({
          gameType: z.enum(GAME_TYPES),
          gameCount: z.number().int(),
          newCount: z.number().int(),
          hotCount: z.number().int(),
          gameClassify: z.array(z.object({ key: z.string(), gameCount: z.number().int() })),
        }),
      ),
    }),
  }),
  "GET /api/v1/games/{nodeId}": call({
    summary: "One game",
    callers: ["visitor"],
    params: z.object({ nodeId: z.coerce.number().int().min(1).max(2_147_483_647) }),
    reply: gameReply,
    refusals: ["not_found"],
  }),
  "GET /api/v1/live-models": call({
    summary: "Dealers of the brand's live tables: those on the air, unless asked otherwise",
    callers: ["visitor"],
    query: z.object({
      /** The model deals at a table these days. */
      active: z.enum(["true", "false"]).default("true"),
      /** The model is on the air now. */
      streaming: z.enum(["true", "false"]).default("true"),
    }),
    reply: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        nodeId: z.number().int(),
        gameName: z.string(),
        vendorName: z.string(),
        portraitUrl: z.string(),
        active: z.boolean(),
        streaming: z.boolean(),
      }),
    ),
  }),
  "GET /api/v1/vendors": call({
    summary: "Vendors by category in the brand's order",
    callers: ["visitor"],
    query: z.object({ language: languageWire.optional() }),
    reply: z.object({
      content: z.array(
        z.object({ gameCategory: z.enum(GAME_TYPES), vendorNames: z.array(vendorReply) }),
      ),
      /** Vendor codes by game type, and game types by vendor code. */
      byGameType: z.partialRecord(z.enum(GAME_TYPES), z.array(z.string())),
      byVendor: z.record(z.string(), z.array(z.enum(GAME_TYPES))),
    }),
  }),
} as const;
