import { mintId } from "@perya/kernel/ids";
import { HOUR_MS } from "@perya/kernel/instant";
import { describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import {
  EVENING,
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { PreparedReply } from "../../platform/http/handlers.ts";
import type { Session } from "../identity/identity.ts";
import { contentRoutes } from "./content.routes.ts";
import {
  type Announcement,
  Announcements,
  insertAnnouncements,
  textIn,
  unreadCount,
} from "./content.ts";

const entropy = seededEntropy("content");
const clock = manualClock();
const ALL = ["PL", "PU", "B"] as const;

const db = await databaseOfFile();
const ledger = ledgerOfFile(db);
const content = new Announcements(db.pool, clock);
const merchant = await makeBrand(db.pool, clock);
const neighbour = await makeBrand(db.pool, clock);
const deps = { pool: db.pool, ledger, clock };
const maria = await makeMember(deps, merchant);
const jun = await makeMember(deps, merchant);
const linda = await makeMember(deps, merchant, { type: 1 });
const trial = await makeMember(deps, merchant, { type: 4 });
const stranger = await makeMember(deps, neighbour);
await insertAnnouncements(db.pool, merchant.id, [
  notice("a banner", { type: "B" }),
  notice("second", { startsAt: EVENING - 2, endsAt: EVENING + HOUR_MS }),
  notice("a pop-up", { type: "PU" }),
  notice("a promotion", { type: "PR", category: "new_player" }),
  notice("a promotion that ends", {
    ...{ type: "PR", category: "rng_promo", content: { TY: "", EN: "<p>Spin.</p>" } },
    ...{ startsAt: EVENING - 5, endsAt: EVENING + HOUR_MS, scene: "crown" },
  }),
  notice("last in the brand's order", {}),
  notice("over", { endsAt: EVENING }),
  notice("not yet", { startsAt: EVENING + 1 }),
  notice("elsewhere", { groupName: "m_game" }),
  notice("for agents", { type: "A" }),
]);
await insertAnnouncements(db.pool, neighbour.id, [notice("the neighbour's", {})]);

describe("announcements", () => {
  it("[A2.10-01] are those of the brand, the place and the requested types that run now, in order", async () => {
    const titles = async (types: readonly ("B" | "PL" | "PU")[], after = 0) => {
      clock.set(EVENING + after);
      const shown = await new Announcements(db.pool, clock).shown(merchant, null, "m_home", types);
      return shown.map(({ announcement }) => announcement.title.EN);
    };
    expect(await titles(ALL)).toEqual([
      "second",
      "last in the brand's order",
      "a pop-up",
      "a banner",
    ]);
    expect(await titles(["PL"], 1)).toEqual(["second", "last in the brand's order", "not yet"]);
    expect(await titles(["PL"], HOUR_MS)).toEqual(["last in the brand's order", "not yet"]);
    clock.set(EVENING);
  });

  it("are read once for all who ask at once", async () => {
    const read = vi.spyOn(db.pool, "query");
    const fresh = new Announcements(db.pool, clock);
    await Promise.all(
      Array.from({ length: 50 }, () => fresh.shown(merchant, null, "m_home", ["PL"])),
    );
    expect(read).toHaveBeenCalledTimes(1);
    read.mockRestore();
  });

  it("are read anew if the clock is set back an hour", async () => {
    const shown = async () => (await content.shown(neighbour, null, "m_game", ["PL"])).length;
    expect(await shown()).toBe(0);
    await insertAnnouncements(db.pool, neighbour.id, [notice("late", { groupName: "m_game" })]);
    expect(await shown()).toBe(0);
    clock.set(EVENING - HOUR_MS);
    expect(await shown()).toBe(1);
    clock.set(EVENING);
  });

  it("[A2.10-03 A2.10-05] are marked read for the member who opened them, once and for good", async () => {
    expect(await unreadOf(maria)).toEqual([
      4,
      ["second", "last in the brand's order", "a pop-up", "a banner"],
    ]);
    const [first] = await content.shown(merchant, maria, "m_home", ALL);
    const id = first?.announcement.id ?? "";
    for (let time = 0; time < 2; time++) {
      expect(taken(await content.markRead(merchant, maria, id))).toEqual({ read: true });
    }
    expect(await unreadOf(maria)).toEqual([
      3,
      ["last in the brand's order", "a pop-up", "a banner"],
    ]);
    expect((await unreadOf(jun))[0]).toBe(4);
  });

  it("[G6-03 A2.10-03] all count as read in free play, and a visitor has none unread", async () => {
    expect(await unreadOf(trial)).toEqual([0, []]);
    expect((await unreadOf(null))[0]).toBe(0);
  });

  it("for agents can be read by agents only", async () => {
    const [own] = await content.shown(merchant, linda, "m_home", ["A"]);
    const id = own?.announcement.id ?? "";
    expect(codeOf(await content.markRead(merchant, maria, id))).toBe("announcementId not_allowed");
    expect(taken(await content.markRead(merchant, linda, id))).toEqual({ read: true });
    expect(await unreadOf(linda, ["A"])).toEqual([0, []]);
  });

  it("of another brand, and promotions, are no notices", async () => {
    const [promotion] = await content.shown(merchant, maria, "m_home", ["PR"]);
    const [theirs] = await content.shown(neighbour, stranger, "m_home", ALL);
    for (const one of [promotion, theirs]) {
      const marked = await content.markRead(merchant, maria, one?.announcement.id ?? "");
      expect(codeOf(marked)).toBe("announcementId not_allowed");
    }
    expect((await unreadOf(stranger, ALL, neighbour))[0]).toBe(1);
  });

  it.each([
    ["m_home", ["second", "last in the brand's order"]],
    ["m_game", ["elsewhere"]],
  ])("[A3-14] name the group that they are shown in: %s", async (groupName, titles) => {
    const ask = contentRoutes(content, async () => [], clock)["GET /api/v1/announcements"];
    const given = { merchant, session: maria, query: { types: "PL", groupName }, language: "EN" };
    const { player } = ofOne(taken(await ask(given as never)));
    expect(player.map((one) => [one.title, one.groupName])).toEqual(
      titles.map((title) => [title, groupName]),
    );
  });

  it("[G3-09] of promotions have title, content, days, image and whether they end", async () => {
    const ask = contentRoutes(content, async () => [], clock)["GET /api/v1/announcements"];
    const query = { types: "PR", groupName: "m_home" };
    const given = { merchant, session: maria, query, language: "EN" };
    const { promotion } = ofOne(taken(await ask(given as never)));
    expect(promotion).toHaveLength(2);
    expect(promotion).toContainEqual({
      ...{ id: expect.stringMatching(/^ann_/), types: "PR", groupName: "m_home", read: false },
      ...{ title: "a promotion that ends", content: "<p>Spin.</p>", category: "rng_promo" },
      ...{ startDate: EVENING - 5, endDate: EVENING + HOUR_MS, noExpiry: 0 },
      ...{ takesApplications: false },
      announcementImages: [{ sequence: 1, url: "/art/banner/crown.svg" }],
    });
    expect(promotion).toContainEqual(
      expect.objectContaining({
        ...{ title: "a promotion", category: "new_player", announcementImages: [] },
        ...{ startDate: EVENING - HOUR_MS, endDate: null, noExpiry: 1 },
      }),
    );
  });

  it("are worded in the requested language, or in English if it is missing", () => {
    const text = { TY: "Kumusta", EN: "Hello" };
    expect([textIn(text, "TY"), textIn(text, "VN")]).toEqual(["Kumusta", "Hello"]);
  });
});

async function unreadOf(
  reader: Session | null,
  types: readonly ("PL" | "PU" | "B" | "A")[] = ALL,
  brand = merchant,
): Promise<[count: number, titles: (string | undefined)[]]> {
  const shown = await content.shown(brand, reader, "m_home", types);
  const titles = shown.filter(({ read }) => !read).map(({ announcement }) => announcement.title.EN);
  return [unreadCount(reader, shown), titles];
}

/** A reply that was made for everybody together is stored as it is sent. */
function ofOne<T>(reply: T | PreparedReply): T {
  if (reply instanceof PreparedReply) throw new Error("made for everybody");
  return reply;
}

function notice(title: string, change: Partial<Announcement>): Announcement {
  return {
    id: mintId("announcement", EVENING, entropy.bytes(16)),
    type: "PL",
    groupName: "m_home",
    category: null,
    title: { TY: `${title} (TY)`, EN: title },
    content: { TY: "", EN: "" },
    url: "",
    scene: "",
    startsAt: EVENING - HOUR_MS,
    endsAt: null,
    takesApplications: false,
    ...change,
  };
}
