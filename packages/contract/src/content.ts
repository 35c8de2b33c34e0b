import { z } from "zod";
import { call } from "./call.ts";
import { PROMO_CATEGORIES } from "./promotion-rules.ts";
import { hotMatch } from "./sports.ts";
import { idWire, instantWire, languageWire } from "./wire.ts";

const announcement = z.object({
  id: idWire("announcement"),
  /** B banner, PL player, PU pop-up, PR promotion, A agent. */
  types: z.enum(["B", "PL", "PU", "PR", "A"]),
  groupName: z.string(),
  title: z.string(),
  /** HTML as the operator wrote it: pages must sanitise it before they show it. */
  content: z.string(),
  /** Null except for promotions. */
  category: z.enum(PROMO_CATEGORIES).nullable(),
  startDate: instantWire,
  endDate: instantWire.nullable(),
  /** 1: the content has no end. */
  noExpiry: z.union([z.literal(0), z.literal(1)]),
  /** This player has opened it; always true in free play, never true without a session. */
  read: z.boolean(),
  /** A promotion for which players may apply. */
  takesApplications: z.boolean(),
  announcementImages: z.array(z.object({ sequence: z.number().int(), url: z.string() })),
});

const footer = z.object({ unreadCount: z.number().int() });
const merchantCode = z.string().max(40).optional();

export const contentCalls = {
  "GET /api/v1/announcements": call({
    summary: "Banners, notices, pop-ups and promotions that are running now",
    callers: ["visitor"],
    query: z.object({
      /**
       * Comma-separated content types (accounts §3): B banner, PL player, PU pop-up, PR promotion;
       * H is home, which means all types except promotions.
       */
      types: z
        .string()
        .regex(/^(B|PL|PU|PR|H)(,(B|PL|PU|PR|H))*$/)
        .default("B,PL,PU,PR"),
      groupName: z.enum(["m_home", "m_game"]).default("m_home"),
      platform: z.literal("M").default("M"),
      merchantCode,
      language: languageWire.optional(),
    }),
    reply: z.object({
      promotion: z.array(announcement),
      banners: z.array(announcement.extend({ url: z.string(), scene: z.string() })),
      player: z.array(announcement),
      popup: z.array(announcement),
      /** For home: matches of our own lobbies that are live or come next. */
      hot: z.array(hotMatch),
      footer,
    }),
  }),
  "GET /api/v1/announcements/popular": call({
    summary: "What pops up over home after a log-in",
    callers: ["visitor"],
    reply: z.object({ list: z.array(announcement) }),
  }),
  "GET /api/v1/notices": call({
    summary: "The notices of players, pop-ups and banners, with what the caller has read",
    callers: ["visitor"],
    reply: z.object({ list: z.array(announcement), footer }),
  }),
  "GET /api/v1/inbox/unread": call({
    summary: "How much waits in the player's inbox; free play has none",
    callers: ["member", "agent"],
    reply: z.number().int(),
  }),
  "GET /api/v1/agent/announcements": call({
    summary: "What the brand tells its agents, with what the caller has read",
    callers: ["agent"],
    query: z.object({
      types: z.literal("A").default("A"),
      groupName: z.literal("m_home").default("m_home"),
      merchantCode,
    }),
    reply: z.object({ list: z.array(announcement), footer }),
  }),
  "POST /api/v1/announcements/read": call({
    summary: "Mark a notice as read; free play marks none",
    callers: ["member", "agent"],
    body: z.strictObject({ announcementId: idWire("announcement"), read: z.literal(true) }),
    reply: z.object({ read: z.literal(true) }),
    refusals: ["not_found"],
  }),
} as const;
