import type { Reply } from "@perya/client/api";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../shell/server.ts";
import type { GameType } from "./game-types.ts";
import { useSettledLanguage } from "./use-debounced.ts";

/** A category of the brand with its vendors, in the brand's order. */
export type VendorSorting = Reply<"GET /api/v1/vendors">["content"][number];

/** The brand's vendors, loaded anew when the language has changed. */
export function useVendors() {
  return useQuery(queries.vendors(useSettledLanguage()));
}

/** The one vendor whose icon is not called after its code. */
const ICON_NAMES: Readonly<Record<string, string>> = { PGE: "PISTA" };

/** The file of a vendor's icon on the image CDN; null for those that have none (games §2.7). */
export function vendorIconFile(vassalage: string): string | null {
  return vassalage.startsWith("TCG") ? null : `${ICON_NAMES[vassalage] ?? vassalage}-COLOR.png`;
}

/** Vendors that a list of the type offers: sports have those of their kin with them. */
export function vendorsOf(content: readonly VendorSorting[], gameType: GameType) {
  const types: readonly GameType[] =
    gameType === "SPORTS" ? ["SPORTS", "ESPORTS", "COCKFIGHT"] : [gameType];
  return content
    .filter(({ gameCategory }) => types.includes(gameCategory))
    .flatMap(({ vendorNames }) => vendorNames);
}
