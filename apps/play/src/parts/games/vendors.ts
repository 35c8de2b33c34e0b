import type { Reply } from "@perya/client/api";
import { listedAs } from "@perya/contract/game-lists";
import type { GameType } from "./game-types.ts";

/** A category of the brand with its vendors, in the brand's order. */
export type VendorSorting = Reply<"GET /api/v1/vendors">["content"][number];

/** The one vendor whose icon is not named after its code. */
const ICON_NAMES: Readonly<Record<string, string>> = { PGE: "PISTA" };

/** The file of a vendor's icon on the image CDN, or null (games §2.7, §3). */
export function vendorIconFile(vassalage: string, kind: "COLOR" | "SMALL"): string | null {
  return vassalage.startsWith("TCG") ? null : `${ICON_NAMES[vassalage] ?? vassalage}-${kind}.png`;
}

/** A category of home with its vendors. */
export interface VendorGroup {
  readonly type: GameType;
  readonly vendors: VendorSorting["vendorNames"];
}

/** Vendors of e-sports or cockfights, even if listed under sports (games §3). */
const ESPORTS_VENDORS: readonly string[] = ["AV", "AI", "IMES", "TF", "IA"];
const COCKFIGHT_VENDORS: readonly string[] = ["SV3", "DS88", "DIG", "WGB"];

/**
 * The brand's categories in its order. Sports are split by their vendors, and an empty category is
 * left out (games §2.6).
 */
export function categoriesOf(content: readonly VendorSorting[]): VendorGroup[] {
  const groups = new Map<GameType, VendorSorting["vendorNames"]>();
  for (const { gameCategory, vendorNames } of content) {
    for (const vendor of vendorNames) {
      const type = groupOf(gameCategory, vendor.vassalage);
      groups.set(type, [...(groups.get(type) ?? []), vendor]);
    }
  }
  return [...groups].map(([type, vendors]) => ({ type, vendors: oneEach(vendors, type) }));
}

/** The type by which a category's games are asked for: its vendors may be listed under another. */
export function typeAsked({ type, vendors }: VendorGroup): GameType {
  const filed = vendors.map(({ gameType }) => gameType);
  return filed.includes(type) ? type : (filed[0] ?? type);
}

/** The open categories while the brand has some types closed, wherever their vendors are listed. */
export function openCategories(
  content: readonly VendorSorting[],
  isOpen: (type: GameType) => boolean,
): VendorSorting[] {
  return content
    .map(({ gameCategory, vendorNames }) => ({
      gameCategory,
      vendorNames: vendorNames.filter((one) => isOpen(groupOf(gameCategory, one.vassalage))),
    }))
    .filter(({ vendorNames }) => vendorNames.length > 0);
}

function groupOf(category: GameType, vassalage: string): GameType {
  if (listedAs(category) !== "SPORTS") return category;
  if (ESPORTS_VENDORS.includes(vassalage)) return "ESPORTS";
  return COCKFIGHT_VENDORS.includes(vassalage) ? "COCKFIGHT" : category;
}

/** Vendors that a list of the type offers: sports include e-sports and cockfights. */
export function vendorsOf(content: readonly VendorSorting[], gameType: GameType) {
  const types: readonly GameType[] =
    gameType === "SPORTS" ? ["SPORTS", "ESPORTS", "COCKFIGHT"] : [gameType];
  const vendors = content
    .filter(({ gameCategory }) => types.includes(gameCategory))
    .flatMap(({ vendorNames }) => vendorNames);
  return oneEach(vendors, gameType);
}

/** A vendor listed under several types appears once, with this type where it is among them. */
function oneEach(vendors: VendorSorting["vendorNames"], type: GameType) {
  const each = new Map<string, VendorSorting["vendorNames"][number]>();
  for (const one of vendors) {
    if (one.gameType === type || !each.has(one.vassalage)) each.set(one.vassalage, one);
  }
  return [...each.values()];
}
