import { expect, it } from "vitest";
import { systemStatus } from "./system-status.ts";

it.each([
  [false, false, 0],
  [true, false, 1],
  [true, true, 1],
  [false, true, 2],
] as const)(
  "[A2.13-01 A2.13-02 A2.13-03 A2.13-04] maintenance %s and restriction %s is status %i",
  (maintenance, regionRestriction, status) => {
    expect(systemStatus({ maintenance, regionRestriction })).toBe(status);
  },
);
