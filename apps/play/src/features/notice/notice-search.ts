import type { Given } from "../../shell/search-fields.ts";

const NOTICES_MAX = 1_000;

/** `index` counts from zero in the order of the list. */
export function readNoticeSearch(given: Given): { index?: number } {
  const index = Number(given.index);
  const counts = given.index !== "" && Number.isInteger(index) && index >= 0 && index < NOTICES_MAX;
  return counts ? { index } : {};
}
