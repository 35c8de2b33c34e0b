import { ok, type Result, refuse } from "@perya/kernel/result";
import { RE2JS, RE2JSException } from "re2js";

/** Whether the whole value matches the pattern. */
export type FieldPattern = (value: string) => boolean;

/** An operator's line; the longest pattern of the demo brand is under 100 characters. */
const PATTERN_MAX = 500;
/** The most steps of a compiled pattern (`.{1,254}` has 510): each may run once per character. */
const STEPS_MAX = 1_000;

/**
 * Compiles a brand's pattern for a registration field, for the server and the form alike, or says
 * what is wrong with it. The pattern is an RE2 expression, whose time grows only linearly with the
 * value. Brands write patterns and any visitor chooses the value: `RegExp` could block a process,
 * or a phone, for minutes over thirty letters. RE2 has no look-around and no back-references.
 */
export function readFieldPattern(pattern: string): Result<FieldPattern, string> {
  if (pattern.length > PATTERN_MAX) return refuse(`is longer than ${PATTERN_MAX} signs`);
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > STEPS_MAX) return refuse("repeats too much");
    return ok((value) => compiled.testExact(value));
  } catch (error) {
    if (error instanceof RE2JSException) return refuse(`is no expression of RE2: ${error.message}`);
    throw error;
  }
}
