import { describe, expect, it } from "vitest";
import {
  canForget,
  ownerProofFaults,
  ownerProofOf,
  type PaymentProof,
  paymentBody,
  paymentFaults,
  paymentProofOf,
} from "./payment-faults.ts";

const NEW = { paymentPassword: "271935", again: "271935" };

describe("a payment password", () => {
  it("is six digits, twice", () => {
    const faults = paymentFaults({ proof: "", ...NEW }, "login");
    expect(faults).toEqual({ proof: [], paymentPassword: [], again: [] });
  });

  it.each(["", "27193", "2719356", "27193a"])("is not %j", (paymentPassword) => {
    const given = { proof: "", paymentPassword, again: paymentPassword };
    const { paymentPassword: faults } = paymentFaults(given, "login");
    expect(faults).toEqual([{ id: "auth.paymentPassword_format" }]);
  });

  it("must be typed again, and the same", () => {
    const given = (again: string) =>
      paymentFaults({ proof: "", paymentPassword: "271935", again }, "login").again;
    expect(given("")).toEqual([{ id: "auth.confirm_required" }]);
    expect(given("271936")).toEqual([{ id: "auth.confirm_mismatch" }]);
  });

  it("is set with the current one, and a first or forgotten one with another proof of the account", () => {
    const state = (set: boolean, totp: boolean, hasPassword: boolean) =>
      // Only the part of the state that is read.
      ({
        hasPaymentPassword: set,
        hasPassword,
        totp: { enabled: totp },
      }) as Parameters<typeof paymentProofOf>[0];
    expect(paymentProofOf(state(true, true, true), false)).toBe("current");
    expect(paymentProofOf(state(true, true, true), true)).toBe("code");
    expect(paymentProofOf(state(true, false, true), true)).toBe("password");
    expect(paymentProofOf(state(false, false, true), false)).toBe("password");
    expect(paymentProofOf(state(false, false, false), false)).toBe("login");
  });

  it("carries its proof under the proof's own name", () => {
    const body = (by: PaymentProof, proof: string) => paymentBody({ proof, ...NEW }, by);
    const { paymentPassword } = NEW;
    expect(body("current", "739254")).toEqual({ paymentPassword, current: "739254" });
    expect(body("password", "Fiesta2026")).toEqual({ paymentPassword, password: "Fiesta2026" });
    expect(body("password", " my fiesta ")).toEqual({ paymentPassword, password: " my fiesta " });
    expect(body("code", " 123456 ")).toEqual({ paymentPassword, code: "123456" });
    expect(body("login", "")).toEqual({ paymentPassword });
    const faults = (by: PaymentProof, proof: string) =>
      paymentFaults({ proof, ...NEW }, by).proof?.map(({ id }) => id);
    expect(faults("current", "7392")).toEqual(["auth.paymentPassword_format"]);
    expect(faults("password", "")).toEqual(["auth.password_required"]);
    expect(faults("code", "12")).toEqual(["auth.code_format"]);
  });
});

describe("the owner of an account", () => {
  const state = (totp: boolean, hasPassword: boolean, hasPaymentPassword: boolean) =>
    // Only the part of the state that is read.
    ({ hasPaymentPassword, hasPassword, totp: { enabled: totp } }) as Parameters<
      typeof ownerProofOf
    >[0];

  it("is identified by the strongest proof of the account", () => {
    expect(ownerProofOf(state(true, true, true))).toBe("code");
    expect(ownerProofOf(state(false, true, true))).toBe("password");
    expect(ownerProofOf(state(false, false, true))).toBe("paymentPassword");
    expect(ownerProofOf(state(false, false, false))).toBe("login");
  });

  it("may forget an existing payment password where another proof identifies them", () => {
    expect(canForget(state(false, true, true))).toBe(true);
    expect(canForget(state(true, false, true))).toBe(true);
    expect(canForget(state(false, false, true))).toBe(false);
    expect(canForget(state(true, true, false))).toBe(false);
  });

  it("types each proof in its own form", () => {
    const faults = (proof: string, by: Parameters<typeof ownerProofFaults>[1]) =>
      ownerProofFaults(proof, by).map(({ id }) => id);
    expect(faults("7392", "paymentPassword")).toEqual(["auth.paymentPassword_format"]);
    expect(faults("739254", "paymentPassword")).toEqual([]);
    expect(faults("", "password")).toEqual(["auth.password_required"]);
    expect(faults("12", "code")).toEqual(["auth.code_format"]);
    expect(faults("", "login")).toEqual([]);
  });
});
