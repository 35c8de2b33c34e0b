import * as contract from "@perya/contract/feedback";
import { describe, expect, it } from "vitest";
import { lengthOf } from "../../parts/forms/text-length.ts";
import { FEEDBACK_TYPES, feedbackFaults, isSendable, typeOf } from "./feedback-form.ts";

const RIGHT = { type: "1", content: "My deposit is late", captcha: "ab12" };

describe("the feedback form", () => {
  it("[A2.11-05] offers every type of the contract once, under its code", () => {
    const codes = FEEDBACK_TYPES.map(({ code }) => code);
    expect([...codes].sort()).toEqual(Object.values(contract.FEEDBACK_TYPES).sort());
    expect(codes.map((code) => typeOf(String(code)))).toEqual(codes);
    const label = (code: number) => FEEDBACK_TYPES.find((one) => one.code === code)?.label;
    expect([1, 2, 3, 4, 6, 0].map(label)).toEqual([
      "feedback.type_deposit",
      "feedback.type_withdrawal",
      "feedback.type_game",
      "feedback.type_service",
      "feedback.type_agent",
      "feedback.type_other",
    ]);
  });

  it.each([
    [0, false],
    [9, false],
    [10, true],
    [200, true],
    [201, false],
  ])("[A2.11-03 A2.11-04] counts %d characters, and may be sent: %s", (length, sendable) => {
    for (const sign of ["x", "ñ", "👍"]) {
      const content = sign.repeat(length);
      expect([lengthOf(content), isSendable(content)]).toEqual([length, sendable]);
    }
  });

  it("is not sent with spaces alone", () => {
    expect(isSendable(" ".repeat(20))).toBe(false);
  });

  it("[A5-20] requires a type and a captcha", () => {
    expect(feedbackFaults(RIGHT)).toEqual({ type: [], captcha: [] });
    for (const type of ["", "5", "x"]) {
      expect(feedbackFaults({ ...RIGHT, type }).type).toEqual([{ id: "feedback.type_required" }]);
    }
    for (const captcha of ["", "  "]) {
      expect(feedbackFaults({ ...RIGHT, captcha }).captcha).toEqual([{ id: "auth.captcha_enter" }]);
    }
  });

  it("[A5-15] takes an answer of 1 to 16 digits or letters, whatever surrounds them", () => {
    for (const captcha of ["7", "x".repeat(16), "K7QPA", " 42 "]) {
      expect(feedbackFaults({ ...RIGHT, captcha }).captcha).toEqual([]);
    }
    for (const captcha of ["x".repeat(17), "7+5", "a b", "ñ"]) {
      const [fault] = feedbackFaults({ ...RIGHT, captcha }).captcha ?? [];
      expect(fault?.id).toBe("auth.captcha_simple_hint");
    }
  });
});
