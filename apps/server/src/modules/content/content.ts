import { type Refusal, refusal } from "@perya/contract/refusal";
import type { HotMatch } from "@perya/contract/sports";
import { type Clock, SECOND_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { createSharedReads, type SharedReads } from "../../platform/shared-reads.ts";
import type { Merchant } from "../brand/brand.ts";
import { type Session, TRIAL_TYPE } from "../identity/identity.ts";
import {
  type Announcement,
  type AnnouncementType,
  announcementTitles,
  insertRead,
  type Localized,
  readIds,
  runningAnnouncements,
} from "./content.store.ts";

export { type Announcement, insertAnnouncements } from "./content.store.ts";
export { type HelpEntry, helpEntries, insertHelpEntries } from "./help.store.ts";

export const HOME_GROUP = "m_home";
const LIST_GROUP = "m_game";
const ROWS_CACHE_MS = 5 * SECOND_MS;
const ROWS_MAX = 500;

/** What /m/notice lists (accounts §2.10), in this order: the ticker counts its titles from it. */
export const NOTICE_TYPES = ["PL", "PU", "B"] as const satisfies AnnouncementType[];

/** Matches that a brand's home shows. */
export type HotMatches = (merchant: Merchant) => Promise<readonly HotMatch[]>;

/** The reader; null for a visitor, who has read nothing and has nothing unread. */
export type Reader = Session | null;

export interface ShownAnnouncement {
  readonly announcement: Announcement;
  readonly read: boolean;
}

/** What a brand announces to its players, and what each of them has read of it. */
export class Announcements {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #rows: SharedReads;

  constructor(pool: pg.Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
    this.#rows = createSharedReads(clock, ROWS_CACHE_MS, ROWS_MAX);
  }

  async shown(
    merchant: Merchant,
    reader: Reader,
    groupName: string,
    types: readonly AnnouncementType[],
  ): Promise<ShownAnnouncement[]> {
    const rows = await this.#running(merchant, groupName, types);
    const inOrder = types.flatMap((type) => rows.filter((one) => one.type === type));
    const read = await this.#readBy(reader, inOrder);
    return inOrder.map((announcement) => ({ announcement, read: read(announcement.id) }));
  }

  /**
   * Marks a notice as opened; once is enough. Free play does not call this. Refuses with
   * `not_found` what is no notice of this reader's.
   */
  async markRead(
    merchant: Merchant,
    reader: Session,
    announcementId: string,
  ): Promise<Result<{ readonly read: true }, Refusal>> {
    const who = { merchantId: merchant.id, memberId: reader.memberId };
    const types = reader.caller === "agent" ? ([...NOTICE_TYPES, "A"] as const) : NOTICE_TYPES;
    const known = await insertRead(this.#pool, who, announcementId, types, this.#clock.now());
    if (known) return ok({ read: true });
    const fields = [{ field: "announcementId", code: "not_allowed" as const }];
    return refuse(refusal("not_found", { fields }));
  }

  async promotion(merchant: Merchant, id: string): Promise<Announcement | null> {
    const rows = await this.#running(merchant, "m_home", ["PR"]);
    return rows.find((one) => one.id === id) ?? null;
  }

  async titles(
    merchant: Merchant,
    ids: readonly string[],
    language: string,
  ): Promise<ReadonlyMap<string, string>> {
    const titles = await announcementTitles(this.#pool, merchant.id, ids);
    return new Map([...titles].map(([id, title]) => [id, textIn(title, language)]));
  }

  #running(
    merchant: Merchant,
    groupName: string,
    types: readonly AnnouncementType[],
  ): Promise<readonly Announcement[]> {
    const name = `${merchant.id} ${groupName} ${types}`;
    return this.#rows(name, () =>
      runningAnnouncements(this.#pool, merchant.id, groupName, types, this.#clock.now()),
    );
  }

  /** In a session of type 4 every notice counts as read (accounts §6, games §6). */
  async #readBy(reader: Reader, rows: readonly Announcement[]): Promise<(id: string) => boolean> {
    if (reader === null) return () => false;
    if (reader.type === TRIAL_TYPE) return () => true;
    const ids = await readIds(
      this.#pool,
      reader.memberId,
      rows.map(({ id }) => id),
    );
    return (id) => ids.has(id);
  }
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

export function announcementsReply(
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

export function announcementReply(
  { announcement: one, read }: ShownAnnouncement,
  language: string,
) {
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

export function unreadCount(reader: Reader, shown: readonly ShownAnnouncement[]): number {
  return reader === null ? 0 : shown.filter(({ read }) => !read).length;
}

/** The text in a language; a missing translation falls back to English. */
export function textIn(text: Localized, language: string): string {
  return text[language] ?? text.EN ?? "";
}
