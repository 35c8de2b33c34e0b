/**
 * Runs each piece of work in the order given, each no sooner than so many milliseconds after the
 * one before it. None is dropped: a notice without its mark would come back unread.
 */
export function spaced(gapMs: number): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  let resting = false;
  const next = () => {
    const work = waiting.shift();
    resting = work !== undefined;
    if (work === undefined) return;
    setTimeout(next, gapMs);
    work();
  };
  return (work) => {
    waiting.push(work);
    if (!resting) next();
  };
}
