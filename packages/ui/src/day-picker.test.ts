/// <reference path="./css-modules.d.ts" />
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { DayPicker, type DayPickerProps } from "./day-picker.tsx";

describe("a picker of days", () => {
  it("[G9-05] without limits of its own offers the years 2000 to 2030", () => {
    const input = drawn({ value: "2026-11-21" });
    expect(input).toMatch(/min="2000-01-01"/);
    expect(input).toMatch(/max="2030-12-31"/);
    expect(input).toMatch(/value="2026-11-21"/);
  });

  it("has the limits that it is given, and shows no incomplete day", () => {
    const input = drawn({ value: "1990-0", min: "1900-01-01", max: "2026-12-31" });
    expect(input).toMatch(/min="1900-01-01"/);
    expect(input).toMatch(/max="2026-12-31"/);
    expect(input).toMatch(/value=""/);
  });
});

function drawn(props: Partial<DayPickerProps>): string {
  const all = { label: "Day", value: "", onValueChange: () => undefined, ...props };
  return renderToStaticMarkup(createElement(DayPicker, all));
}
