import type { Reply } from "@perya/client/api";
import { INBOX_UNREAD_KEY, NOTICES_KEY } from "@perya/client/queries/announcements";
import { useQuery } from "@tanstack/react-query";
import { api, queries, queryClient } from "../../shell/server.ts";
import { currentSession, isTrial, useSession } from "../../shell/session.ts";
import { NOTICE_READ_GAP_MS } from "../../shell/timing.ts";
import { spaced } from "./spaced.ts";

type Notices = Reply<"GET /api/v1/notices">;

const runSpaced = spaced(NOTICE_READ_GAP_MS);
/** Marks that the server has not answered yet: a list read meanwhile would lack them. */
let underWay = 0;

/**
 * Marks an opened notice as read on the screen at once, reports it, then reads the notices again
 * (specification, accounts §4). Free play and guests mark none.
 */
export function markNoticeRead(announcementId: string): void {
  const session = currentSession();
  if (session === null || isTrial(session)) return;
  underWay += 1;
  void queryClient.cancelQueries({ queryKey: NOTICES_KEY });
  void queryClient.cancelQueries({ queryKey: INBOX_UNREAD_KEY });
  const lists = queryClient.getQueriesData<Notices>({ queryKey: NOTICES_KEY });
  if (lists.some(([, notices]) => waitsInInbox(notices, announcementId))) {
    queryClient.setQueryData<number>(INBOX_UNREAD_KEY, (count) => count && count - 1);
  }
  queryClient.setQueriesData<Notices>({ queryKey: NOTICES_KEY }, (old) =>
    old === undefined ? undefined : withRead(old, announcementId),
  );
  runSpaced(() => void tell(announcementId));
}

async function tell(announcementId: string): Promise<void> {
  try {
    await api.call("POST /api/v1/announcements/read", { body: { announcementId, read: true } });
  } catch (error) {
    // The next list shows it unread again; opening it tries once more.
    console.warn("a notice could not be marked as read", error);
  }
  underWay -= 1;
  if (underWay > 0) return;
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: NOTICES_KEY }),
    queryClient.invalidateQueries({ queryKey: INBOX_UNREAD_KEY }),
  ]);
}

/** Whether the inbox counts it; it does not count the brand's messages to agents. */
function waitsInInbox(notices: Notices | undefined, id: string): boolean {
  const notice = notices?.list.find((one) => one.id === id);
  return notice !== undefined && notice.types !== "A" && !notice.read;
}

function withRead(notices: Notices, id: string): Notices {
  const list = notices.list.map((one) => (one.id === id ? { ...one, read: true } : one));
  return { list, footer: { unreadCount: list.filter(({ read }) => !read).length } };
}

/** This player's unread notices in the inbox; guests and free play have none, and do not ask. */
export function useInboxUnread(): number {
  const reads = useSession(({ session }) => session !== null && !isTrial(session));
  const { data } = useQuery({ ...queries.inboxUnread(), enabled: reads });
  return reads ? (data ?? 0) : 0;
}
