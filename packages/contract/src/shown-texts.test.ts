import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Call } from "./call.ts";
import { calls } from "./calls.ts";
import { shownLine, shownLines } from "./wire.ts";

/** Characters that reverse a line, are invisible, break the line, or reach into other lines. */
const TRICKS = [
  "a\u0301\u0302\u0303\u0304\u0305\u0306\u0307",
  "\u202e",
  "\u2066",
  "\u200b",
  "\u00ad",
  "\ufeff",
  "\u0007",
  "\u2028",
  "\u3164",
];

/** Texts that nobody reads unchanged, each with the reason. */
const UNREAD: Readonly<Record<string, string>> = {
  password: "kept as a hash",
  oldPassword: "compared with a hash",
  newPassword: "kept as a hash",
  confirmPassword: "compared",
  confirmNewPassword: "compared",
  paymentPassword: "kept as a hash",
  humanCheck: "a proof of work",
  firebaseChannel: "an outside service's word",
  firebaseIdToken: "an outside service's token",
  moduleId: "a word of ours, looked up",
  email: "of recovery: compared with the one that was verified",
  gameId: "looked up",
  eventId: "a provider's id, signed",
  reference: "a provider's id, signed",
};

describe("a text that other people or the player read", () => {
  it("holds no character that reverses or hides it or reaches into other lines, in any call", () => {
    const open = Object.entries<Call>(calls).flatMap(([key, { body }]) =>
      body === undefined ? [] : textsOf(body, key),
    );
    expect(open.filter(({ name }) => !Object.hasOwn(UNREAD, name))).toEqual([]);
    const names = new Set(open.map(({ name }) => name));
    expect(Object.keys(UNREAD).filter((name) => !names.has(name))).toEqual([]);
  });

  it("may be in any language, and have several lines where it is long", () => {
    for (const text of [
      "Juan dela Cruz",
      "Ñoño’s — “telepono” №1",
      "日本語 한국어",
      "ไทย ที่นี่ 👍🏽 1️⃣",
      "e\u0301 हिन्दी བསྒྲུབས လျှော့",
    ]) {
      expect(shownLine.safeParse(text).success, text).toBe(true);
      expect(shownLines.safeParse(text).success, text).toBe(true);
    }
    expect(shownLine.safeParse("two\nlines").success).toBe(false);
    expect(shownLines.safeParse("two\r\n\tlines of 👩‍👩‍👧").success).toBe(true);
  });
});

/** The texts of a schema that accept such a character, each with its place. */
function textsOf(schema: unknown, where: string, name = ""): { where: string; name: string }[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([field, one]) =>
      textsOf(one, `${where} ${field}`, field),
    );
  }
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((one) => textsOf(one, where, name));
  }
  if (schema instanceof z.ZodArray) return textsOf(schema.element, where, name);
  if (schema instanceof z.ZodPipe) return textsOf(schema.in, where, name);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  ) {
    return textsOf(schema.unwrap(), where, name);
  }
  if (!(schema instanceof z.ZodString)) return [];
  const taken = TRICKS.some((trick) => schema.safeParse(`some${trick} text here`).success);
  return taken ? [{ where, name }] : [];
}
