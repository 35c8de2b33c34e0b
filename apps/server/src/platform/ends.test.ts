import { describe, expect, it } from "vitest";
import { Ends } from "./ends.ts";

/** Looks one thing up, whose answer the test gives. */
function begin(ends: Ends, id: string | null) {
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((done) => {
    answer = done;
  });
  const kept: (string | null)[] = [];
  const done = ends.keepFound(
    async () => {
      await answered;
      return id;
    },
    (found) => found,
    (found) => kept.push(found),
  );
  return {
    kept,
    answer: async () => {
      answer();
      return (await done).kept;
    },
  };
}

describe("a found thing", () => {
  it("is kept unless that very thing ended since the look-up began, whatever else did", async () => {
    const ends = new Ends();
    ends.note("a");
    const [a, b, nobody] = [begin(ends, "a"), begin(ends, "b"), begin(ends, null)];
    for (let i = 0; i < 1_000; i++) ends.note(`other ${i}`);
    ends.note("b");
    const late = begin(ends, "b");
    expect([await a.answer(), await b.answer(), await nobody.answer()]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await late.answer()).toBe(true);
    expect([a.kept, b.kept, nobody.kept, late.kept]).toEqual([["a"], [], [null], ["b"]]);
  });

  it("is judged by ends that came while an older look-up went on", async () => {
    const ends = new Ends();
    const [old, young] = [begin(ends, "old"), begin(ends, "young")];
    ends.note("young");
    await old.answer();
    expect(await young.answer()).toBe(false);
  });
});
