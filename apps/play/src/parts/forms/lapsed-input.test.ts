import { afterEach, expect, it } from "vitest";
import { dropLapsedInput, keepLapsedInput, lapsedInput } from "./lapsed-input.ts";

afterEach(dropLapsedInput);

it("typed values return to the same player in the same sheet, and to nobody else", () => {
  keepLapsedInput("email", "maria", { email: "maria@exam" });
  expect(lapsedInput("email", "maria")).toEqual({ email: "maria@exam" });
  expect(lapsedInput("email", "boyet")).toEqual({});
  expect(lapsedInput("email", null)).toEqual({});
  expect(lapsedInput("mobile", "maria")).toEqual({});
});

it("only the last sheet's values are kept, and none once they were returned", () => {
  keepLapsedInput("email", "maria", { email: "maria@exam" });
  keepLapsedInput("mobile", "maria", { mobileNum: "917" });
  expect(lapsedInput("email", "maria")).toEqual({});
  dropLapsedInput();
  expect(lapsedInput("mobile", "maria")).toEqual({});
});
