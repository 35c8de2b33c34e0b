import { z } from "zod";
import { call } from "./call.ts";
import { idWire, instantWire, languageWire, moneyWire } from "./wire.ts";

const announcement = z.object({
  id: idWire("announcement"),
  title: z.string(),
  /** HTML as the operator wrote it: a page shows it through its sanitiser, never as it is. */
  content: z.string(),
  category: z.string().nullable(),
  startDate: instantWire,
  endDate: instantWire.nullable(),
  noExpiry: z.union([z.literal(0), z.literal(1)]),
  read: z.boolean(),
  announcementImages: z.array(z.object({ sequence: z.number().int(), url: z.string() })),
});

export const contentCalls = {
  "GET /api/v1/announcements": call({
    summary: "Banners, notices, pop-ups and promotions that are running now",
    callers: ["visitor"],
    query: z.object({
      /** Comma-separated content types: B banner, PL player, PU pop-up, PR promotion. */
      types: z
        .string()
        .regex(/^(B|PL|PU|PR)(,(B|PL|PU|PR))*$/)
        .default("B,PL,PU,PR"),
      groupName: z.enum(["m_home", "m_game"]).default("m_home"),
      platform: z.literal("M").default("M"),
      merchantCode: z.string().max(40).optional(),
      language: languageWire.optional(),
    }),
    reply: z.object({
      promotion: z.array(announcement),
      banners: z.array(announcement.extend({ url: z.string(), scene: z.string() })),
      player: z.array(announcement),
      popup: z.array(announcement),
      hot: z.array(announcement),
    }),
  }),
  "GET /api/v1/winners": call({
    summary: "The latest wins on the house's games, names masked",
    callers: ["visitor"],
    reply: z.object({
      list: z.array(
        z.object({
          account: z.string(),
          gameName: z.string(),
          nodeId: z.number().int(),
          payout: moneyWire,
          at: instantWire,
        }),
      ),
    }),
  }),
} as const;
