import { z } from "zod";
import { call } from "./call.ts";
import { anyGameTypeWire, gameReply } from "./catalogue.ts";
import { languageWire } from "./wire.ts";

const PLAYERS = ["member", "trial", "agent"] as const;
const nodeId = z.number().int().min(1).max(2_147_483_647);
const vendor = z.string().regex(/^[A-Z0-9_]{1,30}$/);
const pageNo = z.coerce.number().int().min(1).max(10_000).default(1);
const narrowing = {
  gameType: anyGameTypeWire,
  vendor: z
    .string()
    .regex(/^[A-Z0-9_]{0,30}$/)
    .default(""),
  language: languageWire.optional(),
};
const favourite = z.strictObject({ nodeId, vendor });

/** A player's own games: the favourites, and the ones they opened last (games §7). */
export const playerGameCalls = {
  "GET /api/v1/member/favourites": call({
    summary: "The games that the player keeps, newest first",
    callers: PLAYERS,
    query: z.object({
      pageNo,
      pageSize: z.coerce.number().int().min(1).max(60).default(35),
      ...narrowing,
    }),
    reply: z.object({
      content: z.array(gameReply),
      totalPages: z.number().int(),
      pageNum: z.number().int(),
      pageSize: z.number().int(),
    }),
  }),
  "GET /api/v1/member/favourite-ids": call({
    summary: "The node ids of the games that the player keeps, newest first",
    callers: PLAYERS,
    query: z.object({ pageNo, pageSize: z.coerce.number().int().min(1).max(100).default(100) }),
    reply: z.object({ list: z.array(z.number().int()) }),
  }),
  "POST /api/v1/member/favourites": call({
    summary: "Keep a game; a repeat changes nothing",
    callers: PLAYERS,
    body: favourite,
    reply: z.object({ kept: z.literal(true) }),
    refusals: ["not_found"],
  }),
  "DELETE /api/v1/member/favourites": call({
    summary: "Remove a kept game; a game that is not kept changes nothing",
    callers: PLAYERS,
    body: favourite,
    reply: z.object({ kept: z.literal(false) }),
  }),
  "GET /api/v1/member/recent-games": call({
    summary: "The games that the player opened last, newest first",
    callers: PLAYERS,
    query: z.object({
      page: pageNo,
      pageSize: z.coerce.number().int().min(1).max(60).default(15),
      clientType: z.literal("2").default("2"),
      ...narrowing,
    }),
    reply: z.object({ list: z.array(gameReply), totalPages: z.number().int() }),
  }),
  "GET /api/v1/member/recent-games/add": call({
    summary: "Note that a game was opened now; a GET as the specification has it, and idempotent",
    callers: PLAYERS,
    query: z.object({ nodeId: z.coerce.number().int().min(1).max(2_147_483_647) }),
    reply: z.object({ noted: z.literal(true) }),
    refusals: ["not_found"],
  }),
} as const;
