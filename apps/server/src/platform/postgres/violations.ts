import pg from "pg";

/** https://www.postgresql.org/docs/15/errcodes-appendix.html */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505";
}

export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23503";
}

/** The constraint that an error of the database names; null for other errors. */
export function constraintOf(error: unknown): string | null {
  return (error instanceof pg.DatabaseError && error.constraint) || null;
}
