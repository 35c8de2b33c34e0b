import { fieldRefusal, type Refusal } from "@perya/contract/refusal";
import { ok, type Result, refuse } from "@perya/kernel/result";

/** A keyset position as opaque text; readable by nobody's promise but ours. */
export function encodeCursor(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** Null for no cursor; a refusal that names the field for one that is not ours. */
export function decodeCursor<T>(
  cursor: string | undefined,
  isPosition: (value: unknown) => value is T,
): Result<T | null, Refusal> {
  if (cursor === undefined || cursor === "") return ok(null);
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (isPosition(value)) return ok(value);
  } catch {
    // Falls through to the refusal: what is no JSON is no cursor of ours.
  }
  return refuse(fieldRefusal("cursor", "bad_format"));
}
