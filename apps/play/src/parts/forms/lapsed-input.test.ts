import { afterEach, expect, it } from "vitest";
import { dropLapsedInput, keepLapsedInput, lapsedInput } from "./lapsed-input.ts";

afterEach(dropLapsedInput);

it("what was typed is there for the same player in the same sheet, and for nobody else", () => {
  keepLapsedInput("email", "maria", { email: "maria@exam" });
  expect(lapsedInput("email", "maria")).toEqual({ email: "maria@exam" });
  expect(lapsedInput("email", "boyet")).toEqual({});
  expect(lapsedInput("email", null)).toEqual({});
  expect(lapsedInput("mobile", "maria")).toEqual({});
});

it("only the last sheet's is kept, and none once it was given back", () => {
  keepLapsedInput("email", "maria", { email: "maria@exam" });
  keepLapsedInput("mobile", "maria", { mobileNum: "917" });
  expect(lapsedInput("email", "maria")).toEqual({});
  dropLapsedInput();
  expect(lapsedInput("mobile", "maria")).toEqual({});
});
