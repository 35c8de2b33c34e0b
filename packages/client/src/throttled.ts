/**
 * Asks at most once in so many milliseconds. An earlier caller shares the call that is made after
 * them, so no answer is older than its question.
 */
export function throttled<T>(gapMs: number, ask: () => Promise<T>): () => Promise<T> {
  let rest: Promise<void> | null = null;
  let next: Promise<T> | null = null;
  const start = () => {
    rest = new Promise<void>((done) => setTimeout(done, gapMs)).then(() => {
      rest = null;
    });
    return ask();
  };
  return () => {
    if (next !== null) return next;
    if (rest === null) return start();
    next = rest.then(() => {
      next = null;
      return start();
    });
    return next;
  };
}
