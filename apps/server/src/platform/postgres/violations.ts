import pg from "pg";

/** https://www.postgresql.org/docs/15/errcodes-appendix.html */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505";
}

export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23503";
}

/** What a node of a cluster says of a constraint; its name ends with the number of the shard. */
const BROKEN_ON_NODE = / constraint "(\w+?)_\d+"$/;

/**
 * The constraint that a statement broke; null for any other error. A coordinator passes on what its
 * node said, without the field that bears the name.
 */
export function constraintOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const name = Reflect.get(error, "constraint") ?? BROKEN_ON_NODE.exec(error.message)?.[1];
  return typeof name === "string" ? name : null;
}
