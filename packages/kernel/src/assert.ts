/** Assertions stay on in production: a wrong balance is worse than a failed request. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`broken invariant: ${message}`);
}

/** For a value that must exist here because of the surrounding code. */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined)
    throw new Error(`broken invariant: ${what} is missing`);
  return value;
}
