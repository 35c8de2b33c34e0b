/**
 * Runs each piece of work in the order given, the next one no sooner than so many milliseconds
 * after the one before it. None is left out: a notice whose mark was dropped would come back
 * unread.
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
