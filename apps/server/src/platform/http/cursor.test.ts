import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor, isTimeAndIdPosition, paged } from "./cursor.ts";

describe("a cursor", () => {
  it("comes back as the position of which it was made", () => {
    fc.assert(
      fc.property(fc.nat(), fc.stringMatching(/^[a-z0-9_]{1,40}$/), (at, id) => {
        expect(decodeCursor(encodeCursor({ at, id }), isTimeAndIdPosition)).toEqual({
          ok: true,
          value: { at, id },
        });
      }),
    );
  });

  it("that is absent or empty is the beginning", () => {
    for (const none of [undefined, ""]) {
      expect(decodeCursor(none, isTimeAndIdPosition)).toEqual({ ok: true, value: null });
    }
  });

  it("that no column could hold is refused by its name, and never reaches the database", () => {
    const impossible: unknown[] = [
      { at: -1, id: "a" },
      { at: 1e300, id: "a" },
      { at: 9e15, id: "a" },
      { at: 0.5, id: "a" },
      { at: 1, id: "a\0" },
      { at: 1, id: "" },
      { at: 1, id: "é" },
      { at: 1, id: "x".repeat(101) },
      { at: 1 },
      null,
      [],
      7,
    ];
    const texts = impossible.map((one) => Buffer.from(JSON.stringify(one)).toString("base64url"));
    for (const text of [...texts, "%%%", "e30", "aGVsbG8"]) {
      expect(decodeCursor(text, isTimeAndIdPosition)).toMatchObject({
        ok: false,
        error: { code: "invalid_input", fields: [{ field: "cursor", code: "bad_format" }] },
      });
    }
  });
});

it("a page shows as many as it may, and leads on if one more was read", () => {
  const page = (ids: readonly number[]) =>
    paged(
      ids,
      2,
      (id) => `row ${id}`,
      (id) => ({ id }),
    );
  expect(page([])).toEqual({ items: [], nextCursor: null });
  expect(page([1, 2])).toEqual({ items: ["row 1", "row 2"], nextCursor: null });
  const more = { items: ["row 1", "row 2"], nextCursor: encodeCursor({ id: 2 }) };
  expect(page([1, 2, 3])).toEqual(more);
});
