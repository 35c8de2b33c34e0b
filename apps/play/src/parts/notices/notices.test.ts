// @vitest-environment jsdom
import type { Reply } from "@perya/client/api";
import { INBOX_UNREAD_KEY, NOTICES_KEY } from "@perya/client/queries/announcements";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { markNoticeRead } from "./notices.ts";

type Notices = Reply<"GET /api/v1/notices">;

const MARIA = {
  ...{ token: "t", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const MINE = [...NOTICES_KEY, "EN"];
const AGENTS = [...NOTICES_KEY, "agents", "EN"];
let told: unknown[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  told = [];
  vi.stubGlobal("fetch", async (_: string, { body }: { body: string }) => {
    told.push(JSON.parse(body));
    return new Response('{"value":{}}');
  });
  useSession.setState({ session: MARIA, lapsed: false });
  queryClient.setQueryData(MINE, notices({ a: false, b: false, c: true }));
  queryClient.setQueryData(AGENTS, notices({ x: false, y: true }, "A"));
  queryClient.setQueryData(INBOX_UNREAD_KEY, 2);
  queryClient.setQueryData(["winners"], { list: [{ id: "a", read: false }] });
});

afterEach(async () => {
  await vi.advanceTimersByTimeAsync(60_000);
  useSession.setState({ session: null, lapsed: false });
  queryClient.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("an opened notice", () => {
  it("is marked as read at once and alone, is subtracted from the list and the inbox, and is then reported", async () => {
    markNoticeRead("a");
    expect(shown(MINE)).toEqual({ a: true, b: false, c: true, unread: 1 });
    expect(shown(AGENTS)).toEqual({ x: false, y: true, unread: 1 });
    expect(inbox()).toBe(1);
    expect(queryClient.getQueryData(["winners"])).toEqual({ list: [{ id: "a", read: false }] });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual([{ announcementId: "a", read: true }]);
    // The server's state is read next.
    const keys = [MINE, AGENTS, INBOX_UNREAD_KEY];
    await vi.waitFor(() => expect(keys.map(stale)).toEqual([true, true, true]), 20_000);
  });

  it("is not subtracted from the inbox if it was read before or is for agents", () => {
    markNoticeRead("c");
    markNoticeRead("x");
    expect(shown(AGENTS)).toEqual({ x: true, y: true, unread: 0 });
    expect(inbox()).toBe(2);
  });

  it("is read again once all opened notices are reported", async () => {
    markNoticeRead("a");
    markNoticeRead("b");
    expect([shown(MINE), inbox()]).toEqual([{ a: true, b: true, c: true, unread: 0 }, 0]);
    await vi.advanceTimersByTimeAsync(0);
    expect([told.length, stale(MINE)]).toEqual([1, false]);
    await vi.advanceTimersByTimeAsync(60_000);
    await vi.waitFor(() => expect([told.length, stale(MINE)]).toEqual([2, true]), 20_000);
  });

  it("stays unread where a guest or free play opens it", async () => {
    for (const session of [null, { ...MARIA, type: 4 }]) {
      useSession.setState({ session, lapsed: false });
      queryClient.setQueryData(MINE, notices({ a: false }));
      markNoticeRead("a");
      expect(shown(MINE)).toEqual({ a: false, unread: 1 });
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual([]);
  });
});

/** Only the part of each notice that is read. */
function notices(read: Record<string, boolean>, types = "H"): Notices {
  const list = Object.entries(read).map(([id, isRead]) => ({ id, types, read: isRead }));
  const unreadCount = list.filter((one) => !one.read).length;
  return { list, footer: { unreadCount } } as unknown as Notices;
}

function shown(key: readonly string[]) {
  const data = queryClient.getQueryData<Notices>(key);
  const read = Object.fromEntries(data?.list.map((one) => [one.id, one.read]) ?? []);
  return { ...read, unread: data?.footer.unreadCount };
}

function inbox(): number | undefined {
  return queryClient.getQueryData(INBOX_UNREAD_KEY);
}

function stale(key: readonly string[]): boolean {
  return queryClient.getQueryState(key)?.isInvalidated === true;
}
