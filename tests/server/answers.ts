import type pg from "pg";

/** The result of the product's functions, in the form in which tests compare it. */
export type Said<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly error: {
        readonly code: string;
        readonly fields?: readonly { readonly field: string; readonly code: string }[];
      };
    };

export function taken<T>(result: Said<T>): T {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

/** `ok`, a refusal's code, or the field and the fault of a bad input. */
export function codeOf(result: Said<unknown>): string {
  if (result.ok) return "ok";
  const [fault] = result.error.fields ?? [];
  return fault === undefined ? result.error.code : `${fault.field} ${fault.code}`;
}

/** Whether a proof that was judged right could be taken, outside of a transaction. */
export async function isTaken(
  pool: pg.Pool,
  judged: Promise<((db: pg.Pool) => Promise<boolean>) | null>,
): Promise<boolean> {
  const take = await judged;
  return take === null ? false : take(pool);
}
