import pg from "pg";

/** https://www.postgresql.org/docs/15/errcodes-appendix.html */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505";
}

export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23503";
}
