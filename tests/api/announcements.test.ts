import { describe, expect, it } from "vitest";
import { type Caller, logIn, serverOfFile, startTrial, VISITOR } from "./running-server.ts";

const server = await serverOfFile();
const bea = await logIn(server, "bea");
const linda = await logIn(server, "linda");
const trial = await startTrial(server);

describe("announcements", () => {
  it("[G3-10 G3-09 A3-14] hold promotions, banners, notices with their read marks, pop-ups and hot matches", async () => {
    const { status, json } = await get("/api/v1/announcements?platform=M&merchantCode=perya", bea);
    expect(status).toBe(200);
    const { value } = json;
    const lists = Object.entries(value).filter(([, list]) => Array.isArray(list));
    expect(lists.map(([name]) => name).sort()).toEqual(
      ["banners", "hot", "player", "popup", "promotion"].sort(),
    );
    const [promotion] = value.promotion;
    expect(promotion).toMatchObject({
      id: "ann_00000000000000000000000101",
      category: "new_player",
      title: expect.stringMatching(/\S/),
      noExpiry: 1,
      endDate: null,
      announcementImages: [{ sequence: 1, url: "/art/banner/first-ride.svg" }],
    });
    expect(promotion.content).toMatch(/^<p/);
    expect(promotion.startDate).toBeTypeOf("number");
    const dated = value.promotion.filter((one: { noExpiry: number }) => one.noExpiry === 0);
    expect(dated.length).toBeGreaterThan(0);
    for (const { startDate, endDate } of dated) expect(endDate).toBeGreaterThan(startDate);
    const [notice] = value.player;
    expect(notice).toMatchObject({ types: "PL", groupName: "m_home", read: false });
    const home = (await get("/api/v1/announcements?types=H", bea)).json.value;
    const board = (await get("/api/v1/sports/board", bea)).json.value.fixtures;
    expect(new Set(home.hot.map(({ sport }: { sport: string }) => sport))).toEqual(
      new Set(["football", "esports"]),
    );
    for (const match of home.hot) {
      const {
        home: host,
        away,
        startsAt,
      } = board.find(({ id }: { id: string }) => id === match.id);
      expect(match).toMatchObject({ home: host, away, startsAt });
      expect(match).not.toHaveProperty("markets");
      expect(["live", "next"]).toContain(match.phase);
    }
    const ids = (hot: { id: string }[]) => hot.map(({ id }) => id);
    expect(ids(value.hot)).toEqual(ids(home.hot));
    expect((await get("/api/v1/announcements?types=PL,B", bea)).json.value.hot).toEqual([]);
    expect(value.banners[0].url).toBe("/m/register");
    expect(value.footer.unreadCount).toBe(8);
    expect(value.popup).toMatchObject([{ types: "PU", groupName: "m_home", read: false }]);
    const ofLists = (await get("/api/v1/announcements?types=B&groupName=m_game", bea)).json.value;
    expect(ofLists.banners[0]).toMatchObject({ types: "B", groupName: "m_game", read: false });

    // A notice is marked as read for a player who has read it.
    const maria = await logIn(server, "maria");
    await post("/api/v1/announcements/read", maria, { announcementId: notice.id, read: true });
    const { player } = (await get("/api/v1/announcements?types=PL", maria)).json.value;
    const read = player.filter((one: { read: boolean }) => one.read);
    expect(read.map(({ id }: { id: string }) => id)).toEqual([notice.id]);
  });

  it("[A7-18] are fetched by a GET with types, group, platform, brand and the session's token", async () => {
    const asked = (query: string, caller: Caller) => get(`/api/v1/announcements?${query}`, caller);
    const whole = "types=B,PL,PU,PR&groupName=m_home&platform=M&merchantCode=perya";
    const { status, json } = await asked(whole, bea);
    expect(status).toBe(200);
    const { footer: _read, ...lists } = json.value;
    expect(Object.keys(lists).sort()).toEqual(["banners", "hot", "player", "popup", "promotion"]);
    // The token says whose notices are counted: without one the count is zero.
    expect(json.value.footer.unreadCount).toBeGreaterThan(0);
    expect((await asked(whole, VISITOR)).json.value.footer.unreadCount).toBe(0);
    const some = await asked("types=PL&groupName=m_home&platform=M", bea);
    expect(some.json.value.player).toEqual(json.value.player);
    expect([some.json.value.promotion, some.json.value.banners]).toEqual([[], []]);
    for (const [field, query] of [
      ["types", "types=X"],
      ["groupName", "groupName=m_lobby"],
      ["platform", "platform=W"],
    ] as const) {
      const refused = await asked(query, bea);
      expect([refused.status, refused.json.fields?.[0]?.field]).toEqual([400, field]);
    }
  });

  it("[A7-20 A7-21] are marked as read by a POST, and fetched by GETs without a payload", async () => {
    const notices = await get("/api/v1/notices", bea);
    const [first] = notices.json.value.list;
    expect(notices.json.value.footer).toEqual({ unreadCount: 8 });
    const popular = await get("/api/v1/announcements/popular", bea);
    expect(popular.json.value.list.map(({ types }: { types: string }) => types)).toEqual(["PU"]);
    const mark = { announcementId: first.id, read: true };
    expect((await post("/api/v1/announcements/read", bea, mark)).status).toBe(200);
    expect((await get("/api/v1/notices", bea)).json.value.footer).toEqual({ unreadCount: 7 });
    expect((await get("/api/v1/notices", VISITOR)).json.value.footer).toEqual({ unreadCount: 0 });
    expect((await get("/api/v1/notices", trial)).json.value.footer).toEqual({ unreadCount: 0 });
    const refused = await post("/api/v1/announcements/read", trial, mark);
    expect([refused.status, refused.json.code]).toEqual([403, "real_account_needed"]);
    const unread = await post("/api/v1/announcements/read", bea, { ...mark, read: false });
    expect([unread.status, unread.json.fields[0].field]).toEqual([400, "read"]);
  });

  it("[A7-23] wait in the inbox of a caller who has one, counted by a plain number", async () => {
    const path = "/api/v1/inbox/unread";
    const { unreadCount } = (await get("/api/v1/notices", bea)).json.value.footer;
    expect((await get(path, bea)).json).toEqual({ value: unreadCount });
    const [, , third] = (await get("/api/v1/notices", bea)).json.value.list;
    await post("/api/v1/announcements/read", bea, { announcementId: third.id, read: true });
    expect((await get(path, bea)).json).toEqual({ value: unreadCount - 1 });
    expect((await get(path, linda)).json.value).toBe(8);
    expect((await get(path, trial)).json.code).toBe("real_account_needed");
    expect((await get(path, VISITOR)).json.code).toBe("not_logged_in");
  });

  it("[A7-22] of agents go to agents only, with the unread count", async () => {
    const path = "/api/v1/agent/announcements?types=A&groupName=m_home&merchantCode=perya";
    const { json } = await get(path, linda);
    expect(json.value.footer).toEqual({ unreadCount: 1 });
    expect(json.value.list).toHaveLength(1);
    const announcementId = json.value.list[0].id;
    await post("/api/v1/announcements/read", linda, { announcementId, read: true });
    expect((await get(path, linda)).json.value.footer).toEqual({ unreadCount: 0 });
    const member = await get(path, bea);
    expect([member.status, member.json.code]).toEqual([403, "permission_denied"]);
    for (const [from, to, field] of [
      ["types=A", "types=PR", "types"],
      ["m_home", "m_other", "groupName"],
    ] as const) {
      const refused = await get(path.replace(from, to), linda);
      expect([refused.status, refused.json.fields?.[0]?.field]).toEqual([400, field]);
    }
  });
});

async function get(path: string, { headers }: Caller) {
  const response = await fetch(server.url + path, { headers });
  return { status: response.status, json: await response.json() };
}

async function post(path: string, { headers }: Caller, body: object) {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}
