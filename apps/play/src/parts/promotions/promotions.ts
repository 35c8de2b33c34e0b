import type { Reply } from "@perya/client/api";
import { PROMO_CATEGORIES, type PromoCategory } from "@perya/contract/promotion-rules";

export type Promotion = Reply<"GET /api/v1/announcements">["promotion"][number];
export type PromotionGroup = "all" | PromoCategory;

/** The menu: all, and each group with at least one promotion (specification, games §2.10). */
export function groupsOf(promotions: readonly Pick<Promotion, "category">[]): PromotionGroup[] {
  const some = new Set(promotions.map(({ category }) => category));
  return ["all", ...PROMO_CATEGORIES.filter((category) => some.has(category))];
}

export function inGroup(promotions: readonly Promotion[], group: PromotionGroup): Promotion[] {
  return promotions.filter(({ category }) => group === "all" || category === group);
}

/**
 * The first and last day, `MM/DD/YYYY` in the brand's zone, or no end. An end is the first instant
 * after the promotion, so the last day is the one before.
 */
export function promotionDays(
  promotion: Pick<Promotion, "startDate" | "endDate" | "noExpiry">,
  zone: string,
): { readonly start: string; readonly end: string | null } {
  const days = dayFormat(zone);
  const { startDate, endDate, noExpiry } = promotion;
  const ends = noExpiry === 1 || endDate === null ? null : endDate;
  return { start: days.format(startDate), end: ends === null ? null : days.format(ends - 1) };
}

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** A formatter takes longer to make than to use. */
function dayFormat(timeZone: string): Intl.DateTimeFormat {
  const known = dayFormats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone,
    month: "2-digit",
    day: "2-digit",
    year: "numeric",
  });
  dayFormats.set(timeZone, made);
  return made;
}

/** The image of sequence 1, if the promotion has one. */
export function firstImage({ announcementImages }: Pick<Promotion, "announcementImages">) {
  return announcementImages.find(({ sequence }) => sequence === 1)?.url ?? null;
}
