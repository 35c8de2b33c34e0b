import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { faultOf, judged, placeOf } from "./security-page.ts";

const PAGE = readFileSync(
  fileURLToPath(new URL("../../docs/security.md", import.meta.url)),
  "utf8",
);
const rows = judged(PAGE);

/** Chapters of the standard that apply here; V17 does not. */
const CHAPTERS = Array.from({ length: 16 }, (_, index) => index + 1);

describe("the page on the standard", () => {
  it("judges every chapter, and each requirement once", () => {
    const chapters = new Set(rows.map(({ id }) => Number(id.split(".")[0])));
    expect([...chapters].sort((one, other) => one - other)).toEqual(CHAPTERS);
    const ids = rows.flatMap(({ id }) => id.split(", "));
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it("says of each whether it is met, partly met, not met, or does not apply", () => {
    const odd = rows.filter(({ state }) => !/^(met|partly|not met|n\/a)\b/.test(state));
    expect(odd).toEqual([]);
  });

  it("says where each is met, by files and folders that exist", () => {
    const gone = rows.flatMap(({ id, where }) =>
      where.filter((path) => placeOf(path) === undefined).map((path) => `${id}: ${path}`),
    );
    expect(gone).toEqual([]);
  });

  it("names tests that exist, by their files and titles", () => {
    const faults = rows.flatMap(({ id, tests }) =>
      tests
        .map((test) => faultOf(test))
        .filter((fault) => fault !== null)
        .map((fault) => `${id}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it("gives the right counts of its verdicts at its top", () => {
    const count = (state: string) =>
      rows
        .filter((row) => row.state.startsWith(state))
        .reduce((sum, { id }) => sum + id.split(", ").length, 0);
    const [all, met, partly, not, none] = ["", "met", "partly", "not met", "n/a"].map(count);
    expect(PAGE).toContain(
      `Of ${all} requirements ${met} are met, ${partly} partly, ${not} not, and ${none} are of nothing that is here.`,
    );
  });
});
