import { type Call, isOpenInMaintenance } from "./call.ts";
import { isOperators } from "./operator.ts";
import { keyOfCall } from "./permission-keys.ts";
import type { RefusalCode } from "./refusal.ts";

/**
 * The refusals that every call of a brand may answer: for unreadable input, for too many calls, for
 * a request sent long ago, or for a fault.
 */
const OF_ALL: readonly RefusalCode[] = [
  "invalid_input",
  "malformed_body",
  "body_too_large",
  "unsupported_media_type",
  "stale_payload",
  "rate_limited",
  "busy",
  "internal",
];

/** Every refusal that a call may answer: what follows from its declaration, and what it declares. */
export function refusalsOf(key: string, declaration: Call): RefusalCode[] {
  const { regional, refusals = [] } = declaration;
  const codes: readonly RefusalCode[] = [
    ...OF_ALL,
    ...ofCallers(declaration),
    ...(regional === true ? (["region_restricted"] as const) : []),
    ...(isOpenInMaintenance(declaration) ? [] : (["maintenance"] as const)),
    ...(keyOfCall(key) === null ? [] : (["feature_off"] as const)),
    ...refusals,
  ];
  return [...new Set(codes)];
}

/** The refusals for callers who may not call. */
function ofCallers(declaration: Call): readonly RefusalCode[] {
  const { callers, realAccount } = declaration;
  if (callers.includes("visitor")) return [];
  if (callers.includes("signed")) return ["bad_signature"];
  if (isOperators(declaration)) return ["not_logged_in", "permission_denied"];
  const isForReal = realAccount === true || !callers.includes("trial");
  return [
    "not_logged_in",
    "session_ended",
    "permission_denied",
    ...(isForReal ? (["real_account_needed"] as const) : []),
  ];
}
