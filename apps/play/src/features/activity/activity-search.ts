import { PROMO_CATEGORIES, type PromoCategory } from "@perya/contract/promotion-rules";
import { type Given, ID_MAX, oneOf, present, textOf } from "../../shell/search-fields.ts";

export function readActivitySearch({ id, cat }: Given): { id?: string; cat?: PromoCategory } {
  return present({
    id: typeof id === "string" ? id.slice(0, ID_MAX) : undefined,
    cat: oneOf(PROMO_CATEGORIES, cat),
  });
}

export function readActivityDetailSearch({ id }: Given): { id?: string } {
  return present({ id: textOf(id, ID_MAX) });
}
