import { MINUTE_MS } from "@perya/kernel/instant";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { throttled } from "../throttled.ts";

/** Notices stand with what this player has read of them. */
export const NOTICES_KEY = [OWN_KEY, "notices"] as const;

export const INBOX_UNREAD_KEY = [OWN_KEY, "inbox-unread"] as const;
/** The inbox is counted no oftener than this, whoever asks (accounts §9). */
export const INBOX_GAP_MS = 250;

/** Of home: promotions are long, and asked for by who shows them. */
const HOME_TYPES = "H";

/** What the brand tells its visitors, and what waits in a player's inbox. */
export function announcementQueries({ call }: Api, merchantCode: () => string | undefined) {
  const home = () =>
    ({ groupName: "m_home", platform: "M", merchantCode: merchantCode() }) as const;
  const countInbox = throttled(INBOX_GAP_MS, () => call("GET /api/v1/inbox/unread"));
  return {
    /** What home shows but for its promotions. */
    announcements: (language: string) =>
      queryOptions({
        queryKey: ["announcements", language],
        queryFn: ({ signal }) =>
          call("GET /api/v1/announcements", {
            query: { ...home(), language, types: HOME_TYPES },
            signal,
          }),
        staleTime: 5 * MINUTE_MS,
      }),
    /** The banners of the list centre, one a game type. */
    listBanners: (language: string) =>
      queryOptions({
        queryKey: ["announcements", "lists", language],
        queryFn: async ({ signal }) => {
          const query = { ...home(), groupName: "m_game", language, types: "B" } as const;
          return (await call("GET /api/v1/announcements", { query, signal })).banners;
        },
        staleTime: 10 * MINUTE_MS,
      }),
    /** `flush` asks anew whatever is cached. */
    promotions: (language: string, { flush = false } = {}) =>
      queryOptions({
        queryKey: ["announcements", "promotions", language],
        queryFn: async ({ signal }) => {
          const query = { ...home(), language, types: "PR" };
          return (await call("GET /api/v1/announcements", { query, signal })).promotion;
        },
        staleTime: flush ? 0 : 5 * MINUTE_MS,
      }),
    /** What waits in the player's inbox; not for free play to ask (games §6). */
    inboxUnread: () =>
      queryOptions({ queryKey: INBOX_UNREAD_KEY, queryFn: countInbox, staleTime: MINUTE_MS }),
    /** What pops up after a log-in. */
    loginPopups: (language: string) =>
      queryOptions({
        queryKey: [OWN_KEY, "login-popups", language],
        queryFn: ({ signal }) => call("GET /api/v1/announcements/popular", { signal }),
        staleTime: 5 * MINUTE_MS,
      }),
  };
}
