import type { Reply } from "@perya/client/api";
import { NOTICES_KEY } from "@perya/client/queries";
import { useQuery } from "@tanstack/react-query";
import { api, queries, queryClient } from "../shell/server.ts";
import { currentSession, isTrial, useSession } from "../shell/session.ts";
import { useText } from "../shell/text.ts";
import { NOTICE_READ_GAP_MS } from "../shell/timing.ts";
import { spaced } from "./spaced.ts";

type Notices = Reply<"GET /api/v1/notices">;

const runSpaced = spaced(NOTICE_READ_GAP_MS);
/** Marks that the server has not answered yet: a list read meanwhile would not have them. */
let underWay = 0;

/**
 * A notice was opened: read on the screen at once, then told, then the notices are asked for
 * again (specification, accounts §4). Free play and guests mark none.
 */
export function markNoticeRead(announcementId: string): void {
  const session = currentSession();
  if (session === null || isTrial(session)) return;
  underWay += 1;
  void queryClient.cancelQueries({ queryKey: NOTICES_KEY });
  queryClient.setQueriesData<Notices>({ queryKey: NOTICES_KEY }, (old) =>
    old === undefined ? undefined : withRead(old, announcementId),
  );
  runSpaced(() => void tell(announcementId));
}

async function tell(announcementId: string): Promise<void> {
  try {
    await api.call("POST /api/v1/announcements/read", { body: { announcementId, read: true } });
  } catch (error) {
    // The list that is asked for next shows it unread again; opening it tries once more.
    console.warn("a notice could not be marked as read", error);
  }
  underWay -= 1;
  if (underWay === 0) await queryClient.invalidateQueries({ queryKey: NOTICES_KEY });
}

export function withRead(notices: Notices, id: string): Notices {
  const list = notices.list.map((one) => (one.id === id ? { ...one, read: true } : one));
  return { list, footer: { unreadCount: list.filter(({ read }) => !read).length } };
}

/** Notices that wait for this player; none for guests and in free play. */
export function useUnreadNotices(): number {
  const { language } = useText();
  const reads = useSession(({ session }) => session !== null && !isTrial(session));
  const { data } = useQuery({ ...queries.notices(language), enabled: reads });
  return reads ? (data?.footer.unreadCount ?? 0) : 0;
}
