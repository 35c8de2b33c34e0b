/**
 * Every "no" that the product can answer, with its HTTP status: one exhaustive table.
 * The sentence that a person reads is the server's, in the caller's language.
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
  cashier_closed: 403,
  second_person_needed: 403,
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
  rolled_back: 409,
  too_many_open: 409,
  claimed_by_another: 409,
  rain_not_begun: 409,
  rain_over: 409,
  rain_exhausted: 409,
  catches_spent: 409,
  link_spent: 410,
  captcha_wrong: 422,
  code_wrong: 422,
  human_check_failed: 422,
  password_wrong: 422,
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

/** Why one field was refused; the numbers that its sentence needs stand beside it. */
export interface FieldFault {
  /** Path of the field with dots, such as `stake.minor`. */
  readonly field: string;
  readonly code: FieldFaultCode;
  readonly limit?: string;
}

export const FIELD_FAULTS = [
  "required",
  "wrong_type",
  "bad_format",
  "too_short",
  "too_long",
  "too_small",
  "too_big",
  "not_multiple",
  "foreign_currency",
  "not_allowed",
  "unknown_field",
  "mismatch",
  "taken",
  /** A password that everyone tries first. */
  "too_common",
  "too_young",
] as const;

export type FieldFaultCode = (typeof FIELD_FAULTS)[number];

export interface Refusal {
  readonly code: RefusalCode;
  readonly fields?: readonly FieldFault[];
  /** A failed login asks for the captcha from now on. */
  readonly captchaRequired?: boolean;
  /** Milliseconds since the epoch. */
  readonly retryAt?: number;
  /** What is offered now for each selection of a bet, in thousandths; null where nothing is. */
  readonly odds?: readonly (number | null)[];
}

export function refusal(code: RefusalCode, more: Omit<Refusal, "code"> = {}): Refusal {
  return { code, ...more };
}

/** The commonest refusal: one field, one fault. */
export function fieldRefusal(field: string, code: FieldFaultCode, limit?: string): Refusal {
  const fault = limit === undefined ? { field, code } : { field, code, limit };
  return { code: "invalid_input", fields: [fault] };
}

/** RFC 9457 `application/problem+json`, as it stands on the wire. */
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
