import type { contentCalls } from "@perya/contract/content";
import { type Clock, SECOND_MS } from "@perya/kernel/instant";
import { ok } from "@perya/kernel/result";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { PreparedReply } from "../../platform/http/call-server.ts";
import type { Merchant, Routes } from "../identity/identity.ts";
import { type Announcement, runningAnnouncements, textIn } from "./content.ts";

type ContentCalls = Pick<typeof contentCalls, "GET /api/v1/announcements">;

const REPLY_CACHE_MS = 5 * SECOND_MS;
const REPLIES_MAX = 200;

export function contentRoutes(pool: pg.Pool, clock: Clock): Routes<ContentCalls> {
  const replies = new LRUCache<string, { reply: PreparedReply; until: number }>({
    max: REPLIES_MAX,
  });
  return {
    "GET /api/v1/announcements": async ({ merchant, query, language }) => {
      const { types, groupName } = query;
      const shown = query.language ?? language;
      const name = `${merchant.id} ${groupName} ${types} ${shown}`;
      const cached = replies.get(name);
      if (cached !== undefined && cached.until > clock.now()) return ok(cached.reply);
      const now = clock.now();
      const running = await runningAnnouncements(
        pool,
        merchant.id,
        groupName,
        types.split(","),
        now,
      );
      const reply = new PreparedReply(announcementsReply(running, shown));
      replies.set(name, { reply, until: clock.now() + REPLY_CACHE_MS });
      return ok(reply);
    },
  };
}

/** The home page's announcements in the brand's own language, for the boot data. */
export async function bootAnnouncements(pool: pg.Pool, clock: Clock, merchant: Merchant) {
  const types = ["B", "PL", "PU", "PR"];
  const now = clock.now();
  const running = await runningAnnouncements(pool, merchant.id, "m_home", types, now);
  return announcementsReply(running, merchant.defaultLanguage);
}

function announcementsReply(running: readonly Announcement[], language: string) {
  const of = (type: string) => running.filter((one) => one.type === type);
  return {
    promotion: of("PR").map((one) => announcementReply(one, language)),
    banners: of("B").map((one) => ({
      ...announcementReply(one, language),
      url: one.url,
      scene: one.scene,
    })),
    player: of("PL").map((one) => announcementReply(one, language)),
    popup: of("PU").map((one) => announcementReply(one, language)),
    hot: [],
  };
}

function announcementReply(one: Announcement, language: string) {
  return {
    id: one.id,
    title: textIn(one.title, language),
    content: textIn(one.content, language),
    category: one.category,
    startDate: one.startsAt,
    endDate: one.endsAt,
    noExpiry: one.endsAt === null ? (1 as const) : (0 as const),
    read: false,
    announcementImages:
      one.scene === "" ? [] : [{ sequence: 1, url: `/art/banner/${one.scene}.svg` }],
  };
}
