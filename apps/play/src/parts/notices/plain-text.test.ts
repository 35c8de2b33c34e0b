// @vitest-environment jsdom
import { expect, it } from "vitest";
import { plainText } from "./plain-text.ts";

it("an operator's HTML becomes plain text with a line per paragraph", () => {
  expect(plainText("Bonus until  Friday \n")).toBe("Bonus until  Friday \n");
  expect(plainText("Salt &amp; pepper")).toBe("Salt & pepper");
  expect(plainText("<p>One</p><p>Two <b>bold</b></p>")).toBe("One\nTwo bold");
  expect(plainText("<ul><li>One</li><li>Two</li></ul><div>Three</div>")).toBe("One\nTwo\nThree");
  expect(plainText("<img src=x onerror=alert(1)>")).toBe("");
});
