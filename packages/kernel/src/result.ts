/** An expected "no" is a value; a broken invariant throws. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value };
}

export function refuse<E>(error: E): Result<never, E> {
  return { ok: false, error };
}
