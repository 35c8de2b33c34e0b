import { type Given, oneOf, present } from "../../shell/search-fields.ts";

const RECORD_TABS = ["all", "bet", "win", "refund", "deposit", "withdrawal", "bonus"] as const;
type RecordTab = (typeof RECORD_TABS)[number];

export function readRecordSearch(given: Given): { tab?: RecordTab; types?: "A" } {
  return present({ tab: oneOf(RECORD_TABS, given.tab), types: oneOf(["A"] as const, given.types) });
}
