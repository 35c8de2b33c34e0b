import type { contentCalls } from "@perya/contract/content";
import type { HotMatch } from "@perya/contract/sports";
import { type Clock, SECOND_MS } from "@perya/kernel/instant";
import { ok } from "@perya/kernel/result";
import { PreparedReply } from "../../platform/http/call-server.ts";
import { createSharedReads } from "../../platform/shared-reads.ts";
import type { Merchant, Routes } from "../identity/identity.ts";
import type { AnnouncementType } from "./content.store.ts";
import {
  type Announcements,
  NOTICE_TYPES,
  type Reader,
  type ShownAnnouncement,
  textIn,
  unreadCount,
} from "./content.ts";

/** The winners' call is the rounds' own. */
type ContentCalls = Omit<typeof contentCalls, "GET /api/v1/winners">;

const REPLY_CACHE_MS = 5 * SECOND_MS;
const REPLIES_MAX = 200;
const HOME_GROUP = "m_home";
const LIST_GROUP = "m_game";

/** Matches that a brand's home shows. */
export type HotMatches = (merchant: Merchant) => Promise<readonly HotMatch[]>;

export function contentRoutes(
  announcements: Announcements,
  hotMatches: HotMatches,
  clock: Clock,
): Routes<ContentCalls> {
  const replies = createSharedReads(clock, REPLY_CACHE_MS, REPLIES_MAX);
  return {
    "GET /api/v1/announcements": async ({ merchant, session, query, language }) => {
      const { groupName } = query;
      const types = playerTypes(query.types);
      const shownIn = query.language ?? language;
      // Matches are no type of content: they come with home's, and to who asks for all.
      const ofHome = NOTICE_TYPES.every((type) => types.includes(type));
      const make = async (reader: Reader) => {
        const shown = await announcements.shown(merchant, reader, groupName, types);
        const hot = ofHome ? await hotMatches(merchant) : [];
        return announcementsReply(shown, hot, reader, shownIn);
      };
      if (session !== null) return ok(await make(session));
      // Of all visitors together: nobody's marks stand in it.
      const name = `${merchant.id} ${groupName} ${types} ${ofHome} ${shownIn}`;
      return ok(await replies(name, async () => new PreparedReply(await make(null))));
    },

    "GET /api/v1/announcements/popular": async ({ merchant, session, language }) => {
      const shown = await announcements.shown(merchant, session, HOME_GROUP, ["PU"]);
      return ok({ list: shown.map((one) => announcementReply(one, language)) });
    },

    "GET /api/v1/notices": async ({ merchant, session, language }) => {
      const shown = await announcements.shown(merchant, session, HOME_GROUP, NOTICE_TYPES);
      return ok(listReply(shown, session, language));
    },

    // Its notices: messages to one player alone are not written yet.
    "GET /api/v1/inbox/unread": async ({ merchant, session }) => {
      const shown = await announcements.shown(merchant, session, HOME_GROUP, NOTICE_TYPES);
      return ok(unreadCount(session, shown));
    },

    "GET /api/v1/agent/announcements": async ({ merchant, session, query, language }) => {
      const shown = await announcements.shown(merchant, session, query.groupName, ["A"]);
      return ok(listReply(shown, session, language));
    },

    "POST /api/v1/announcements/read": ({ merchant, session, body }) =>
      announcements.markRead(merchant, session, body.announcementId),
  };
}

/** Home's announcements and the lists' banners in the brand's own language, for the boot data. */
export async function bootAnnouncements(
  announcements: Announcements,
  hotMatches: HotMatches,
  merchant: Merchant,
) {
  const language = merchant.defaultLanguage;
  const [home, lists, hot] = await Promise.all([
    announcements.shown(merchant, null, HOME_GROUP, NOTICE_TYPES),
    announcements.shown(merchant, null, LIST_GROUP, ["B"]),
    hotMatches(merchant),
  ]);
  return {
    home: announcementsReply(home, hot, null, language),
    listBanners: announcementsReply(lists, [], null, language).banners,
  };
}

/** The types that a list of them names, each once; H stands for those of home. */
function playerTypes(text: string): Exclude<AnnouncementType, "A">[] {
  const named = text.split(",").flatMap((one) => (one === "H" ? NOTICE_TYPES : [one]));
  return [...new Set(named)].filter(isPlayerType);
}

function isPlayerType(text: string): text is Exclude<AnnouncementType, "A"> {
  return text === "B" || text === "PL" || text === "PU" || text === "PR";
}

function announcementsReply(
  shown: readonly ShownAnnouncement[],
  hot: readonly HotMatch[],
  reader: Reader,
  language: string,
) {
  const of = (type: AnnouncementType) =>
    shown.filter(({ announcement }) => announcement.type === type);
  const notices = shown.filter(({ announcement }) => announcement.type !== "PR");
  return {
    promotion: of("PR").map((one) => announcementReply(one, language)),
    banners: of("B").map((one) => ({
      ...announcementReply(one, language),
      url: one.announcement.url,
      scene: one.announcement.scene,
    })),
    player: of("PL").map((one) => announcementReply(one, language)),
    popup: of("PU").map((one) => announcementReply(one, language)),
    hot: [...hot],
    footer: { unreadCount: unreadCount(reader, notices) },
  };
}

function listReply(shown: readonly ShownAnnouncement[], reader: Reader, language: string) {
  return {
    list: shown.map((one) => announcementReply(one, language)),
    footer: { unreadCount: unreadCount(reader, shown) },
  };
}

function announcementReply({ announcement: one, read }: ShownAnnouncement, language: string) {
  return {
    id: one.id,
    types: one.type,
    groupName: one.groupName,
    title: textIn(one.title, language),
    content: textIn(one.content, language),
    category: one.category,
    startDate: one.startsAt,
    endDate: one.endsAt,
    noExpiry: one.endsAt === null ? (1 as const) : (0 as const),
    read,
    takesApplications: one.takesApplications,
    announcementImages:
      one.scene === "" ? [] : [{ sequence: 1, url: `/art/banner/${one.scene}.svg` }],
  };
}
