import { type Given, ID_MAX } from "../../shell/search-fields.ts";

export function readDepositSearch({ deposit }: Given): { deposit?: string } {
  return typeof deposit === "string" ? { deposit: deposit.slice(0, ID_MAX) } : {};
}
