import { setTimeout as sleep } from "node:timers/promises";

/** Waits for work at most so long; answers whether it succeeded by then. */
export async function inTime(ms: number, work: Promise<unknown>): Promise<boolean> {
  const patience = new AbortController();
  const { signal } = patience;
  const late = sleep(ms, false, { signal }).catch(() => false);
  const done = work.then(
    () => true,
    () => false,
  );
  const isDone = await Promise.race([done, late]);
  patience.abort();
  return isDone;
}
