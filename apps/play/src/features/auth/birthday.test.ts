import { expect, it } from "vitest";
import { typedDay } from "./birthday.ts";

it("[A2.4-09] a day is typed as digits, and the field adds and removes its dashes", () => {
  let day = "";
  for (const digit of "19900615") day = typedDay(day, day + digit);
  expect(day).toBe("1990-06-15");
  for (let i = 0; i < 3; i++) day = typedDay(day, day.slice(0, -1));
  expect(day).toBe("1990-0");
  expect(typedDay("", "1990/06/15 and more")).toBe("1990-06-15");
  expect(typedDay("1990-", "1990")).toBe("1990");
});
