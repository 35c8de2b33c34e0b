import { MINUTE_MS } from "@perya/kernel/instant";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { throttled } from "../throttled.ts";
import { readsOf } from "./reads.ts";

/** Notices include what this player has read of them. */
export const NOTICES_KEY = [OWN_KEY, "notices"] as const;

export const INBOX_UNREAD_KEY = [OWN_KEY, "inbox-unread"] as const;
/** The inbox is counted no more often than this, by all callers together (accounts §9). */
export const INBOX_GAP_MS = 250;

/** Home's types: promotions are long, so their own screens ask for them. */
const HOME_TYPES = "H";

/** The brand's messages to its visitors, and the unread ones of a player's inbox. */
export function announcementQueries(api: Api, merchantCode: () => string | undefined) {
  const { call } = api;
  const read = readsOf(api);
  const home = () =>
    ({ groupName: "m_home", platform: "M", merchantCode: merchantCode() }) as const;
  const countInbox = throttled(INBOX_GAP_MS, () => call("GET /api/v1/inbox/unread"));
  return {
    /** Home's announcements without promotions. */
    announcements: (language: string) =>
      read("GET /api/v1/announcements", ["announcements", language], 5 * MINUTE_MS, {
        query: { ...home(), language, types: HOME_TYPES },
      }),
    /** The banners of the list centre, one per game type. */
    listBanners: (language: string) =>
      queryOptions({
        queryKey: ["announcements", "lists", language],
        queryFn: async ({ signal }) => {
          const query = { ...home(), groupName: "m_game", language, types: "B" } as const;
          return (await call("GET /api/v1/announcements", { query, signal })).banners;
        },
        staleTime: 10 * MINUTE_MS,
      }),
    /** `flush` bypasses the cache. */
    promotions: (language: string, { flush = false } = {}) =>
      queryOptions({
        queryKey: ["announcements", "promotions", language],
        queryFn: async ({ signal }) => {
          const query = { ...home(), language, types: "PR" };
          return (await call("GET /api/v1/announcements", { query, signal })).promotion;
        },
        staleTime: flush ? 0 : 5 * MINUTE_MS,
      }),
    /** The unread messages of the player's inbox; not for free play (games §6). */
    inboxUnread: () =>
      queryOptions({ queryKey: INBOX_UNREAD_KEY, queryFn: countInbox, staleTime: MINUTE_MS }),
    loginPopups: (language: string) =>
      read("GET /api/v1/announcements/popular", [OWN_KEY, "login-popups", language], 5 * MINUTE_MS),
  };
}
