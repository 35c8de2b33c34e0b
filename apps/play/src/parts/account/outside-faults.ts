import { ApiRefusal, NetworkFailure } from "@perya/client/refused";
import type { RefusalCode } from "@perya/contract/refusal";
import { type MessageId, textOf } from "../../shell/text.ts";

/**
 * Refusals of the service that proves numbers, in the shape of our own, so that a form shows both
 * alike. Its codes are listed in firebase.google.com/docs/auth/admin/errors.
 */

/** The number exists in no country. */
export class NumberRefused extends ApiRefusal {
  constructor() {
    super(refused("invalid_input", "auth.in_mobileNum_error", "mobileNum").problem);
  }
}

/** For a code that was not sent; other failures there show no message (accounts §8). */
export function sendFault(error: unknown): Error {
  switch (codeOf(error)) {
    case "auth/too-many-requests":
      return refused("rate_limited", "auth.code_too_many");
    case "auth/invalid-phone-number":
    case "auth/missing-phone-number":
      return new NumberRefused();
    case "auth/network-request-failed":
      return new NetworkFailure(navigator.onLine, error);
    default:
      return refused("message_unavailable", "error.unknown");
  }
}

/** For a code that was given. */
export function confirmFault(error: unknown): Error {
  switch (codeOf(error)) {
    case "auth/invalid-verification-code":
    case "auth/missing-verification-code":
      return codeWrong();
    case "auth/code-expired":
    case "auth/invalid-verification-id":
      return refused("code_wrong", "auth.code_expired", "verificationCode");
    case "auth/too-many-requests":
      return refused("rate_limited", "auth.code_too_many");
    case "auth/network-request-failed":
      return new NetworkFailure(navigator.onLine, error);
    default:
      return refused("message_unavailable", "error.unknown");
  }
}

export function codeWrong(): ApiRefusal {
  return refused("code_wrong", "auth.code_wrong", "verificationCode");
}

function refused(code: RefusalCode, text: MessageId, field?: string): ApiRefusal {
  const detail = textOf(text);
  const fields = field === undefined ? [] : [{ field, code: "mismatch" as const, message: detail }];
  const problem = { type: "about:blank", code, status: 0, title: "", detail, requestId: "" };
  return new ApiRefusal({ ...problem, fields });
}

/** Every error of the service has a code. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
