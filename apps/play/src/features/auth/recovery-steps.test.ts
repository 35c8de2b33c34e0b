import { describe, expect, it } from "vitest";
import { afterRecovery } from "./recovery-steps.ts";

describe("recovery by phone", () => {
  it("[A2.5-03 A2.5-04] goes from the name to the new password to the end", () => {
    expect(afterRecovery("verification", { kind: "named" }).step).toBe("reset");
    expect(afterRecovery("reset", { kind: "sent", mobileNum: "0917" }).step).toBe("reset");
    expect(afterRecovery("reset", { kind: "changed" }).step).toBe("done");
  });

  it("[A2.5-07] falls back to the name where no number is known", () => {
    expect(afterRecovery("reset", { kind: "sent", mobileNum: "" }).step).toBe("verification");
  });

  it("[A2.5-09] empties the code and begins again after any failure", () => {
    for (const code of ["code_wrong", "rate_limited", "invalid_input", null] as const) {
      expect(afterRecovery("reset", { kind: "failed", code })).toEqual({
        step: "verification",
        empties: "verificationCode",
      });
    }
  });

  it("[A2.5-10] empties the password alone where it equals the old one", () => {
    expect(afterRecovery("reset", { kind: "failed", code: "modify.new.old.same" })).toEqual({
      step: "reset",
      empties: "newPassword",
    });
  });
});
