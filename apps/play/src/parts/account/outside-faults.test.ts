// @vitest-environment jsdom
import { ApiRefusal, NetworkFailure } from "@perya/client/refused";
import { describe, expect, it } from "vitest";
import { faultText } from "../../shell/fault.ts";
import { switchLanguage, textOf } from "../../shell/text.ts";
import { codeWrong, confirmFault, NumberRefused, sendFault } from "./outside-faults.ts";

class FirebaseError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

describe.each(["TY", "EN"])("a refusal of the service that proves numbers, in %s,", (language) => {
  it("reads like our own refusals, for a code that was given", async () => {
    await switchLanguage(language);
    const cases = [
      ["auth/invalid-verification-code", "auth.code_wrong", "code_wrong"],
      ["auth/code-expired", "auth.code_expired", "code_wrong"],
      ["auth/too-many-requests", "auth.code_too_many", "rate_limited"],
      ["auth/internal-error", "error.unknown", "message_unavailable"],
    ] as const;
    for (const [code, text, refusal] of cases) {
      const fault = confirmFault(new FirebaseError(code));
      expect(faultText(fault), code).toBe(textOf(text));
      expect(fault instanceof ApiRefusal && fault.problem.code, code).toBe(refusal);
    }
    expect(confirmFault(new FirebaseError("auth/network-request-failed"))).toBeInstanceOf(
      NetworkFailure,
    );
  });

  it("[A8-18] shows, for a code that was not sent, only where the player can act on it", async () => {
    await switchLanguage(language);
    const codeOf = (fault: Error) => fault instanceof ApiRefusal && fault.problem.code;
    const many = sendFault(new FirebaseError("auth/too-many-requests"));
    expect(faultText(many)).toBe(textOf("auth.code_too_many"));
    expect(faultText(new NumberRefused())).toBe(textOf("auth.in_mobileNum_error"));
    // The code request hides these: see code-request.test.ts.
    for (const code of [
      "auth/quota-exceeded",
      "auth/captcha-check-failed",
      "auth/internal-error",
    ]) {
      expect(codeOf(sendFault(new FirebaseError(code))), code).toBe("message_unavailable");
    }
    expect(codeOf(sendFault(new Error("no human check was passed")))).toBe("message_unavailable");
  });
});

it("a fault of the service shows only at the field that it concerns", () => {
  const fieldsOf = (fault: Error) =>
    fault instanceof ApiRefusal ? fault.problem.fields?.map(({ field }) => field) : null;
  expect(fieldsOf(new NumberRefused())).toEqual(["mobileNum"]);
  expect(fieldsOf(codeWrong())).toEqual(["verificationCode"]);
  for (const code of ["auth/invalid-phone-number", "auth/missing-phone-number"]) {
    expect(sendFault(new FirebaseError(code))).toBeInstanceOf(NumberRefused);
  }
  for (const code of [
    "auth/invalid-verification-code",
    "auth/missing-verification-code",
    "auth/code-expired",
    "auth/invalid-verification-id",
  ]) {
    expect(fieldsOf(confirmFault(new FirebaseError(code))), code).toEqual(["verificationCode"]);
  }
  for (const refuse of [sendFault, confirmFault]) {
    expect(fieldsOf(refuse(new FirebaseError("auth/too-many-requests")))).toEqual([]);
    expect(fieldsOf(refuse(new FirebaseError("auth/internal-error")))).toEqual([]);
    expect(refuse(new FirebaseError("auth/network-request-failed"))).toBeInstanceOf(NetworkFailure);
  }
});
