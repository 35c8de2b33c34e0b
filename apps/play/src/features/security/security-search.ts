import { type Given, oneOf, present } from "../../shell/search-fields.ts";

const SECURITY_TABS = ["devices", "logins"] as const;

export function readSecuritySearch({ tab }: Given): { tab?: (typeof SECURITY_TABS)[number] } {
  return present({ tab: oneOf(SECURITY_TABS, tab) });
}
