import type { contentCalls } from "@perya/contract/content";
import { type Clock, SECOND_MS } from "@perya/kernel/instant";
import { ok } from "@perya/kernel/result";
import { PreparedReply } from "../../platform/http/handlers.ts";
import { createSharedReads } from "../../platform/shared-reads.ts";
import type { Routes } from "../identity/identity.ts";
import type { AnnouncementType } from "./content.store.ts";
import {
  type Announcements,
  announcementReply,
  announcementsReply,
  HOME_GROUP,
  type HotMatches,
  NOTICE_TYPES,
  type Reader,
  type ShownAnnouncement,
  unreadCount,
} from "./content.ts";

const REPLY_CACHE_MS = 5 * SECOND_MS;
const REPLIES_MAX = 200;
export function contentRoutes(
  announcements: Announcements,
  hotMatches: HotMatches,
  clock: Clock,
): Routes<typeof contentCalls> {
  const replies = createSharedReads(clock, REPLY_CACHE_MS, REPLIES_MAX);
  return {
    "GET /api/v1/announcements": async ({ merchant, session, query, language }) => {
      const { groupName } = query;
      const types = playerTypes(query.types);
      const shownIn = query.language ?? language;
      // Matches are no type of content: they come with home's, and if all are requested.
      const ofHome = NOTICE_TYPES.every((type) => types.includes(type));
      const make = async (reader: Reader) => {
        const shown = await announcements.shown(merchant, reader, groupName, types);
        const hot = ofHome ? await hotMatches(merchant) : [];
        return announcementsReply(shown, hot, reader, shownIn);
      };
      if (session !== null) return ok(await make(session));
      // Shared by all visitors: it contains nobody's marks.
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

/** The types that such a list names, each once; H means those of home. */
function playerTypes(text: string): Exclude<AnnouncementType, "A">[] {
  const named = text.split(",").flatMap((one) => (one === "H" ? NOTICE_TYPES : [one]));
  return [...new Set(named)].filter(isPlayerType);
}

function isPlayerType(text: string): text is Exclude<AnnouncementType, "A"> {
  return text === "B" || text === "PL" || text === "PU" || text === "PR";
}

function listReply(shown: readonly ShownAnnouncement[], reader: Reader, language: string) {
  return {
    list: shown.map((one) => announcementReply(one, language)),
    footer: { unreadCount: unreadCount(reader, shown) },
  };
}
