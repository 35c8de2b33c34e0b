import { describe, expect, it } from "vitest";
import { type SecurityState, safetyOf } from "./safety.ts";

const BARE: SecurityState = {
  email: null,
  pendingEmail: null,
  mobile: null,
  hasPassword: true,
  hasPaymentPassword: false,
  passwordChangedAt: null,
  totp: { enabled: false, recoveryCodesLeft: 0 },
  passkeys: [],
  external: [],
  freshUntil: 0,
};
const verified = { masked: "m•••@example.com", verified: true };
const passkey = { id: "pky_1", name: "phone", createdAt: 1, lastUsedAt: null };

describe("safety of an account", () => {
  it("tells what is set and what is missing", () => {
    expect(safetyOf(BARE)).toEqual({
      level: "weak",
      set: ["password"],
      missing: ["email", "mobile", "secondFactor", "payment"],
    });
  });

  it("counts an address only once it is verified", () => {
    const unverified = { ...verified, verified: false };
    expect(safetyOf({ ...BARE, email: unverified, mobile: unverified }).set).toEqual(["password"]);
  });

  it("stays weak without a second factor, and without a way to recover the password", () => {
    expect(safetyOf({ ...BARE, email: verified, mobile: verified }).level).toBe("weak");
    expect(safetyOf({ ...BARE, passkeys: [passkey] }).level).toBe("weak");
    expect(safetyOf({ ...BARE, passkeys: [passkey], mobile: verified }).level).toBe("fair");
  });

  it("is strong only when nothing is missing", () => {
    const all = {
      ...BARE,
      email: verified,
      mobile: verified,
      totp: { enabled: true, recoveryCodesLeft: 10 },
      hasPaymentPassword: true,
    };
    expect(safetyOf(all)).toMatchObject({ level: "strong", missing: [] });
    expect(safetyOf({ ...all, hasPassword: false }).level).toBe("fair");
  });
});
