import { setTimeout as sleep } from "node:timers/promises";

/**
 * Pauses and works again and again until it is told to stop; resolves when the work under way is
 * over. It keeps no process alive.
 * @param work never throws
 * @param pauseMs the length of each pause, called as it begins
 */
export async function repeat(
  work: () => Promise<void>,
  pauseMs: () => number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(pauseMs(), undefined, { signal, ref: false }).catch(() => undefined);
    if (!signal.aborted) await work();
  }
}
