import type { FieldFault } from "@perya/contract/refusal";
import type { z } from "zod";

/** Faults listed at most; a caller that sends a thousand wrong fields learns enough from ten. */
const FAULTS_MAX = 10;

/**
 * Turns zod's issues into the faults of the contract.
 * @param input the value that was parsed, to tell a missing field from a wrong one
 */
export function fieldFaults(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  prefix = "",
): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const issue of issues) {
    if (faults.length >= FAULTS_MAX) break;
    const field = fieldName(prefix, issue.path);
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys.slice(0, FAULTS_MAX - faults.length)) {
        faults.push({
          field: fieldName(prefix, [...issue.path, key.slice(0, 60)]),
          code: "unknown_field",
        });
      }
      continue;
    }
    faults.push(faultOf(field, issue, valueAt(input, issue.path)));
  }
  return faults;
}

/** Whether a value is nested deeper than allowed; without recursion, as it may be very deep. */
export function isDeeperThan(value: unknown, max: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    level = level.filter((one) => typeof one === "object" && one !== null);
    if (level.length > 0 && depth >= max) return true;
    level = level.flatMap((one) => Object.values(Object(one)));
  }
  return false;
}

/**
 * The path of the first text that PostgreSQL's texts cannot hold, or null: one with a NUL, or with
 * half of a character (a lone surrogate). It must not pass the edge, whatever a schema allows.
 */
export function unstorableField(value: unknown, path: readonly PropertyKey[] = []): string | null {
  if (typeof value === "string") return isStorable(value) ? null : fieldName("", path);
  if (typeof value !== "object" || value === null) return null;
  for (const [name, part] of Object.entries(value)) {
    const found = isStorable(name) ? unstorableField(part, [...path, name]) : fieldName("", path);
    if (found !== null) return found;
  }
  return null;
}

const UNSTORABLE = /[\0\p{Cs}]/u;

function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

function faultOf(field: string, issue: z.core.$ZodIssue, value: unknown): FieldFault {
  switch (issue.code) {
    case "invalid_type":
      return { field, code: value === undefined ? "required" : "wrong_type" };
    case "too_small":
      return {
        field,
        code: issue.origin === "string" ? "too_short" : "too_small",
        limit: String(issue.minimum),
      };
    case "too_big":
      return {
        field,
        code: issue.origin === "string" ? "too_long" : "too_big",
        limit: String(issue.maximum),
      };
    case "invalid_format":
      return { field, code: "bad_format" };
    case "not_multiple_of":
      return { field, code: "not_multiple", limit: String(issue.divisor) };
    case "invalid_value":
    case "invalid_union":
      return { field, code: value === undefined ? "required" : "not_allowed" };
    default:
      return { field, code: "bad_format" };
  }
}

function fieldName(prefix: string, path: readonly PropertyKey[]): string {
  const name = [prefix, ...path.map(String)].filter((part) => part !== "").join(".");
  return name === "" ? "body" : name.slice(0, 200);
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}
