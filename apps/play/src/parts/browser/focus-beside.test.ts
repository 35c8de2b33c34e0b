// @vitest-environment jsdom
import { expect, it } from "vitest";
import { focusBeside } from "./focus-beside.ts";

it.each([
  ["the next row", 1, "third"],
  ["the one before where it was the last", 2, "second"],
])("the focus of a removed row passes to %s", (_, pressed, focused) => {
  document.body.innerHTML = `<ul><li><button id="first"></button></li>
    <li><b></b><button id="second"></button></li><li><label><input id="third"></label></li></ul>`;
  const own = document.querySelectorAll<HTMLElement>("button, input")[pressed];
  own?.focus();
  if (own !== undefined) focusBeside(own);
  expect(document.activeElement?.id).toBe(focused);
});

it("the focus of the only row is left for the page to move", () => {
  document.body.innerHTML = `<ul><li><button id="only"></button></li></ul>`;
  const own = document.querySelector<HTMLElement>("button");
  own?.focus();
  if (own !== null) focusBeside(own);
  expect(document.activeElement?.id).toBe("only");
});
