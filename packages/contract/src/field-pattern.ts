import { ok, type Result, refuse } from "@perya/kernel/result";
import { RE2JS, RE2JSException } from "re2js";

/** Whether a value is, from end to end, as the pattern says. */
export type FieldPattern = (value: string) => boolean;

/** An operator's line; the longest of the demo brand has under a hundred signs. */
const PATTERN_MAX = 500;
/** Steps of the compiled pattern, `.{1,254}` having 510: each may be looked at for each sign. */
const STEPS_MAX = 1_000;

/**
 * A brand's pattern for a field of its registration, as the server and the form alike read it, or
 * what is wrong with it. It is an expression of RE2, whose time grows with the value's length and
 * no faster: brands write patterns, any visitor picks the value, and `RegExp` would hold a process,
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
