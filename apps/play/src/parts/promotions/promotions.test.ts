import { PROMO_CATEGORIES } from "@perya/contract/promotion-rules";
import { describe, expect, it } from "vitest";
import en from "../../locales/en/activity.json";
import ty from "../../locales/ty/activity.json";
import { firstImage, groupsOf, type PromotionGroup, promotionDays } from "./promotions.ts";

const MANILA = "Asia/Manila";
/** Midnight in Manila before 6 March 2026. */
const MIDNIGHT = Date.UTC(2026, 2, 5, 16);

describe("promotions", () => {
  it("[G2.10-07] have the specification's groups, each with a label in either language", () => {
    const groups: PromotionGroup[] = ["all", ...PROMO_CATEGORIES];
    expect(groups).toEqual([
      ...["all", "new_player", "deposit_promo", "app_download", "rng_promo", "live_promo"],
      ...["pvp_promo", "sport_promo", "fish_promo", "lotto_promo", "rebate_promo"],
      ...["player_rank_rules", "point_mall", "other_promo"],
    ]);
    for (const texts of [en, ty]) {
      expect(groups.map((group) => texts[`promo.${group}`])).not.toContain(undefined);
    }
  });

  it("[G2.10-06] show their days as MM/DD/YYYY in the brand's zone, or have no end", () => {
    const dated = {
      startDate: MIDNIGHT,
      endDate: MIDNIGHT + 86_400_000 * 30,
      noExpiry: 0,
    } as const;
    expect(promotionDays(dated, MANILA)).toEqual({ start: "03/06/2026", end: "04/04/2026" });
    expect(promotionDays({ ...dated, noExpiry: 1 }, MANILA).end).toBeNull();
    expect(promotionDays({ ...dated, startDate: MIDNIGHT - 1 }, MANILA).start).toBe("03/05/2026");
  });

  it("[G2.10-08] have a menu of All and of each group with at least one promotion, in order", () => {
    expect(groupsOf([])).toEqual(["all"]);
    expect(
      groupsOf([
        { category: "other_promo" },
        { category: "rng_promo" },
        { category: "rng_promo" },
        { category: "new_player" },
      ]),
    ).toEqual(["all", "new_player", "rng_promo", "other_promo"]);
  });

  it("[G2.10-01] show their image of sequence 1, wherever it is in the list", () => {
    const images = [
      { sequence: 2, url: "/b.svg" },
      { sequence: 1, url: "/a.svg" },
      { sequence: 3, url: "/c.svg" },
    ];
    expect(firstImage({ announcementImages: images })).toBe("/a.svg");
    expect(firstImage({ announcementImages: [] })).toBeNull();
  });
});
