/** A swipe back brings its own animation, so its page must not fade in again. */
const SWIPE_MIN_PX = 100;
const CLEARED_AFTER_MS = 500;

let startX = 0;
let swiped = false;
let clearing: ReturnType<typeof setTimeout> | undefined;

export function isSwipingBack(): boolean {
  return swiped;
}

export function watchSwipes(): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  window.addEventListener("touchstart", ({ touches }) => remember(touches[0]), {
    passive: true,
    signal,
  });
  window.addEventListener("touchmove", ({ touches }) => measure(touches[0]), {
    passive: true,
    signal,
  });
  return () => stop.abort();
}

function remember(touch: Touch | undefined): void {
  startX = touch?.clientX ?? 0;
}

function measure(touch: Touch | undefined): void {
  // Only a swipe that starts at the edge is the browser's way back.
  if (touch === undefined || startX > 40 || touch.clientX - startX <= SWIPE_MIN_PX) return;
  swiped = true;
  clearTimeout(clearing);
  clearing = setTimeout(() => {
    swiped = false;
  }, CLEARED_AFTER_MS);
}
