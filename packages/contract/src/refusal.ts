import type { Currency } from "@perya/kernel/money";

/**
 * Every refusal that the product can answer, with its HTTP status, in one exhaustive table. The
 * server writes the sentence that a person reads, in the caller's language.
 */
export const REFUSALS = {
  invalid_input: 400,
  malformed_body: 400,
  stale_payload: 400,
  not_logged_in: 401,
  session_ended: 401,
  login_failed: 401,
  external_login_failed: 401,
  bad_signature: 401,
  permission_denied: 403,
  real_account_needed: 403,
  not_member_account: 403,
  not_agent_account: 403,
  fresh_login_needed: 403,
  region_restricted: 403,
  feature_off: 403,
  member_blocked: 403,
  account_changed: 403,
  cashier_closed: 403,
  second_person_needed: 403,
  payment_proof_needed: 403,
  payment_password_new: 403,
  number_needed: 403,
  not_found: 404,
  user_missing: 404,
  method_not_allowed: 405,
  username_taken: 409,
  mobile_taken: 409,
  email_taken: 409,
  external_taken: 409,
  last_way_in: 409,
  "modify.new.old.same": 409,
  id_reused: 409,
  insufficient_funds: 409,
  round_over: 409,
  bets_closed: 409,
  odds_changed: 409,
  market_suspended: 409,
  not_flying: 409,
  already_bet: 409,
  wrong_state: 409,
  bet_missing: 409,
  bet_differs: 409,
  game_not_launched: 409,
  win_stands: 409,
  rolled_back: 409,
  too_many_open: 409,
  claimed_by_another: 409,
  provider_not_wired: 409,
  payout_under_way: 409,
  rain_not_begun: 409,
  rain_over: 409,
  rain_exhausted: 409,
  catches_spent: 409,
  gift_taken: 409,
  link_spent: 410,
  captcha_wrong: 422,
  code_wrong: 422,
  human_check_failed: 422,
  password_wrong: 422,
  payment_password_wrong: 422,
  invitation_wrong: 422,
  referrer_wrong: 422,
  passkey_refused: 422,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  provider_unavailable: 502,
  message_unavailable: 502,
  maintenance: 503,
  busy: 503,
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/**
 * What a refusal says about the command that it answers:
 * - `refused`: the command was checked under its id; nothing happened, and nothing will.
 * - `unheard`: this request was turned away before anyone checked its id; it did nothing, but an
 *   earlier one under the same id may have.
 * - `unknown`: it may or may not have happened; the same id asks again.
 */
export type Outcome = "refused" | "unheard" | "unknown";

/** Every new code must choose. A server that answers `refused` has checked the id first. */
export const OUTCOMES: Readonly<Record<RefusalCode, Outcome>> = {
  invalid_input: "refused",
  malformed_body: "refused",
  stale_payload: "unheard",
  not_logged_in: "unheard",
  session_ended: "unheard",
  login_failed: "refused",
  external_login_failed: "refused",
  bad_signature: "unheard",
  permission_denied: "unheard",
  real_account_needed: "unheard",
  not_member_account: "unheard",
  not_agent_account: "unheard",
  fresh_login_needed: "unheard",
  region_restricted: "unheard",
  // The key may be checked before the id, or by the command.
  feature_off: "unheard",
  member_blocked: "refused",
  account_changed: "refused",
  not_found: "refused",
  user_missing: "refused",
  method_not_allowed: "refused",
  username_taken: "refused",
  mobile_taken: "refused",
  email_taken: "refused",
  external_taken: "refused",
  last_way_in: "refused",
  "modify.new.old.same": "refused",
  // Another command exists under the id, so this one did not happen and never will.
  id_reused: "refused",
  insufficient_funds: "refused",
  round_over: "refused",
  bets_closed: "refused",
  odds_changed: "refused",
  market_suspended: "refused",
  not_flying: "refused",
  already_bet: "refused",
  wrong_state: "refused",
  bet_missing: "refused",
  bet_differs: "refused",
  game_not_launched: "refused",
  win_stands: "refused",
  rolled_back: "refused",
  too_many_open: "refused",
  rain_not_begun: "refused",
  rain_over: "refused",
  rain_exhausted: "refused",
  catches_spent: "refused",
  gift_taken: "refused",
  number_needed: "refused",
  link_spent: "refused",
  captcha_wrong: "refused",
  code_wrong: "refused",
  human_check_failed: "refused",
  password_wrong: "refused",
  payment_password_wrong: "refused",
  invitation_wrong: "refused",
  referrer_wrong: "refused",
  passkey_refused: "refused",
  body_too_large: "refused",
  unsupported_media_type: "refused",
  rate_limited: "unheard",
  internal: "unknown",
  // The deposit's row exists, and the provider may have taken it.
  provider_unavailable: "unknown",
  message_unavailable: "unknown",
  maintenance: "unheard",
  // A deposit that exists may also answer so: it has no address at which anybody could pay.
  cashier_closed: "refused",
  claimed_by_another: "refused",
  provider_not_wired: "refused",
  payout_under_way: "refused",
  second_person_needed: "refused",
  // The withdrawal is looked up first, so one that has taken its proof answers with its state.
  payment_proof_needed: "refused",
  payment_password_new: "refused",
  busy: "unknown",
};

/** Why one field was refused; a fault of a limit names the limit. */
export type FieldFault = {
  /** The field's path with dots, such as `stake.minor`. */
  readonly field: string;
} & (
  | { readonly code: PlainFaultCode; readonly limit?: undefined; readonly unit?: undefined }
  | { readonly code: LimitFaultCode; readonly limit: string; readonly unit?: LimitUnit }
);

/** Faults whose sentence names the limit. */
export type LimitFaultCode =
  | "too_short"
  | "too_long"
  | "too_small"
  | "too_big"
  | "not_multiple"
  | "too_young";
export type PlainFaultCode = Exclude<FieldFaultCode, LimitFaultCode>;

/**
 * The unit of a limit: minor units of a currency, hundredths of a multiplier, or one of these;
 * without a unit it is a plain number, or a day. Programs read the limit, players read the
 * sentence.
 */
export type LimitUnit = Currency | "hundredths" | "basis_points" | "pixels";

export type FieldFaultCode =
  | "required"
  | "wrong_type"
  | "bad_format"
  | "too_short"
  | "too_long"
  | "too_small"
  | "too_big"
  | "not_multiple"
  | "foreign_currency"
  | "not_allowed"
  | "unknown_field"
  | "mismatch"
  | "taken"
  /** A password that attackers try first. */
  | "too_common"
  | "too_young"
  /** The member has used up today's allowance. */
  | "day_spent";

export interface Refusal {
  readonly code: RefusalCode;
  readonly fields?: readonly FieldFault[];
  /** From now on, this login needs the captcha. */
  readonly captchaRequired?: boolean;
  /** Milliseconds since the epoch. */
  readonly retryAt?: number;
  /** The present odds of each selection of a bet, in thousandths; null where there are none. */
  readonly odds?: readonly (number | null)[];
}

export function refusal(code: RefusalCode, more: Omit<Refusal, "code"> = {}): Refusal {
  return { code, ...more };
}

/** The most common refusal: one field with one fault. */
export function fieldRefusal(field: string, code: PlainFaultCode): Refusal {
  return { code: "invalid_input", fields: [{ field, code }] };
}

/** Like `fieldRefusal`, for a limit. */
export function limitRefusal(
  field: string,
  code: LimitFaultCode,
  limit: string,
  unit?: LimitUnit,
): Refusal {
  const fault = unit === undefined ? { field, code, limit } : { field, code, limit, unit };
  return { code: "invalid_input", fields: [fault] };
}

/** RFC 9457 `application/problem+json`, as sent on the wire. */
export interface Problem {
  readonly type: string;
  readonly code: RefusalCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  readonly fields?: readonly (FieldFault & { readonly message: string })[];
  readonly captchaRequired?: boolean;
  readonly retryAt?: number;
  readonly odds?: readonly (number | null)[];
}
