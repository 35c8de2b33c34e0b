import { expect, it } from "vitest";
import { walletNumber } from "./wallet-number.ts";

it.each([
  ["0917 123 4567", "09171234567"],
  ["+63 917-123-4567", "09171234567"],
  ["0063 917 123 4567", "09171234567"],
  ["639171234567", "09171234567"],
  ["9171234567", "09171234567"],
  ["(0917) 123.4567 extension", "09171234567"],
  ["091712345678", "09171234567"],
  ["09", "09"],
  ["0", "0"],
  ["", ""],
])("a wallet's number is read from %j as %j", (typed, number) => {
  expect(walletNumber(typed)).toBe(number);
});
