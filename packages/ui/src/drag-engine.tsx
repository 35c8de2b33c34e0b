import { asksForLessMotion } from "./reduced-motion.tsx";

/** The scroll engine's figures (specification, games §9). */
export const DRAG = {
  /** From here on the row follows the pointer. */
  touchPx: 3,
  /** From here on the release is no longer a click. */
  dragPx: 5,
  /** Earlier movement says nothing about the speed at the release. */
  flingWindowMs: 100,
  /** The share of the speed that is left after each frame at sixty frames per second. */
  deceleration: 0.95,
} as const;

const FRAME_MS = 1_000 / 60;
/** Pixels per millisecond; a slower movement is invisible. */
const AT_REST = 0.02;

export interface DragSample {
  readonly x: number;
  /** Milliseconds of the page's own time. */
  readonly at: number;
}

/** Pixels per millisecond at the release: of its last 100 ms, and zero where it was held still. */
export function flingSpeed(samples: readonly DragSample[], releasedAt: number): number {
  const recent = samples.filter(({ at }) => releasedAt - at <= DRAG.flingWindowMs);
  const [first, last] = [recent[0], recent.at(-1)];
  if (first === undefined || last === undefined || first.at === releasedAt) return 0;
  return (last.x - first.x) / (releasedAt - first.at);
}

/** The remaining speed some milliseconds after the release. */
export function speedAfter(speed: number, elapsedMs: number): number {
  return speed * DRAG.deceleration ** (elapsedMs / FRAME_MS);
}

/** A mouse drags and flings the row like a finger; returns a function that removes this. */
export function attachDrag(row: HTMLElement): () => void {
  let end = () => {};
  const press = (event: PointerEvent) => {
    end();
    if (event.pointerType === "mouse" && event.button === 0) end = hold(row, event);
  };
  // Otherwise the browser would drag a link itself.
  const keep = (event: Event) => event.preventDefault();
  row.addEventListener("pointerdown", press);
  row.addEventListener("dragstart", keep);
  return () => {
    end();
    row.removeEventListener("pointerdown", press);
    row.removeEventListener("dragstart", keep);
  };
}

/** From the press until the row rests; returns a function that ends it early. */
function hold(row: HTMLElement, pressed: PointerEvent): () => void {
  const from = row.scrollLeft;
  const samples: DragSample[] = [{ x: pressed.clientX, at: pressed.timeStamp }];
  let movedPx = 0;
  let frame = 0;

  const move = (event: PointerEvent) => {
    const by = event.clientX - pressed.clientX;
    movedPx = Math.max(movedPx, Math.abs(by));
    samples.push({ x: event.clientX, at: event.timeStamp });
    if (movedPx < DRAG.touchPx) return;
    // Snapping would pull it back at every move, and dragging would select names.
    row.style.scrollSnapType = "none";
    row.style.userSelect = "none";
    row.scrollLeft = from - by;
  };
  const release = (event: PointerEvent) => {
    letGo();
    if (movedPx >= DRAG.dragPx) swallowClick(row);
    const speed = movedPx < DRAG.touchPx ? 0 : flingSpeed(samples, event.timeStamp);
    if (asksForLessMotion()) finish();
    else coast(speed);
  };
  const coast = (speed: number) => {
    let before: number | null = null;
    const step = (now: number) => {
      const elapsedMs = before === null ? 0 : now - before;
      before = now;
      row.scrollLeft -= speed * elapsedMs;
      speed = speedAfter(speed, elapsedMs);
      if (Math.abs(speed) < AT_REST) finish();
      else frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  };
  const letGo = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", release);
    removeEventListener("pointercancel", finish);
  };
  const finish = () => {
    letGo();
    cancelAnimationFrame(frame);
    row.style.scrollSnapType = "";
    row.style.userSelect = "";
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", release);
  addEventListener("pointercancel", finish);
  return finish;
}

/** Blocks the click that a browser makes of every release, and no later one. */
function swallowClick(row: HTMLElement): void {
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  row.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => row.removeEventListener("click", swallow, { capture: true }));
}
