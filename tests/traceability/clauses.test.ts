import { describe, expect, it } from "vitest";
import { type Break, broken, readBreaks } from "./breaks.ts";
import {
  FINISHED,
  faultsOf,
  faultsOfBreaks,
  pageOf,
  readClauses,
  readPage,
  readTests,
  testsIn,
} from "./clauses.ts";

const clauses = readClauses();

describe("the clauses of the specification", () => {
  it("are each named once, with an area and a statement", () => {
    expect(new Set(clauses.map(({ id }) => id)).size).toBe(clauses.length);
    for (const { id, area, statement } of clauses) {
      expect(id).toMatch(/^[AG]\d/);
      expect(area).not.toBe("");
      expect(statement.length).toBeGreaterThan(10);
    }
  });

  it("each have a test in every finished area, and no test names an unknown one", () => {
    expect(faultsOf(clauses, readTests(), FINISHED)).toEqual([]);
  });

  it("are in docs/traceability.md with their current tests", () => {
    expect(readPage(), "run npm run traceability").toBe(pageOf(clauses, readTests(), readBreaks()));
  });
});

describe("the breaks", () => {
  it("can be tried again: their code occurs once in its file, and their test names the clause", () => {
    const stands = (one: Break) => broken(one) !== null;
    expect(faultsOfBreaks(readBreaks(), readTests(), stands)).toEqual([]);
  });

  it("are on the page beside the tests that were seen to fail by them", () => {
    const [clause] = clauses;
    const id = clause?.id ?? "";
    const one = { clause: id, test: "a.test.ts", file: "a.ts", from: "a || b", to: "" };
    const tests = [{ file: "a.test.ts", title: "says one", ids: [id] }];
    const rowBy = (seen: string) =>
      pageOf(clauses, tests, [{ ...one, seen }])
        .split("\n")
        .find((line) => line.startsWith(`| ${id} `));
    expect(rowBy("2026-11-24")).toBe(
      `| ${id} | \`a.test.ts\`: says one | \`a.ts\`: \`a \\|\\| b\` → nothing | 2026-11-24 |`,
    );
    expect(rowBy("")).toBe(`| ${id} | \`a.test.ts\`: says one |  |  |`);
    expect(faultsOfBreaks([{ ...one, seen: "", test: "b.test.ts" }], tests, () => false)).toEqual([
      `the break of ${id}: b.test.ts does not name it`,
      `the break of ${id}: a.ts has not once: a || b`,
    ]);
  });
});

describe("the tool", () => {
  // These aliases keep this file's own text from naming a clause.
  const [it_, test_] = ["it", "test"];
  const source = `
    ${it_}("[X-1] says one", () => {});
    ${test_}.only('[X-2 X-3] says two', () => {});
    ${test_}.skip("[X-5] is not run", () => {});
    ${it_}.todo("[X-6] is not there");
    ${it_}.each(rows)("[X-9] of %s's own", () => {});
    ${it_}.each([["a", 1], ["b", (2)]])("of %s alone", () => {});
    ${it_}.each([
      ["a", f("b")],
    ])("[X-8] of %s and %s", () => {});
    ${it_}("says nothing of [X-4]", () => {});`;

  it("reads the ids at the start of the title of a test that runs, and no others", () => {
    expect(testsIn(source, "a.test.ts")).toEqual([
      { file: "a.test.ts", title: "says one", ids: ["X-1"] },
      { file: "a.test.ts", title: "says two", ids: ["X-2", "X-3"] },
      { file: "a.test.ts", title: "of %s's own", ids: ["X-9"] },
      { file: "a.test.ts", title: "of %s and %s", ids: ["X-8"] },
    ]);
  });

  it("reports an unknown clause, and a due one without a test", () => {
    const known = ["X-1", "X-2", "X-3", "X-4"].map((id) => ({
      id,
      area: id === "X-4" ? "other" : "area",
      source: "",
      statement: "something",
    }));
    const tests = testsIn(source, "a.test.ts");
    expect(faultsOf(known, tests, { areas: ["area"], clauses: [] })).toEqual([
      `a.test.ts: "of %s's own" names no clause: X-9`,
      'a.test.ts: "of %s and %s" names no clause: X-8',
    ]);
    expect(faultsOf(known, [], { areas: [], clauses: ["X-4", "X-5"] })).toEqual([
      "no such clause: X-5",
      "no test shows X-4: something",
    ]);
  });
});
