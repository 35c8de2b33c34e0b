/**
 * A ref for a row that scrolls sideways, which a mouse may drag. Its code loads with the first
 * mouse: browsers handle fingers better by themselves.
 */
export function dragScroll(row: HTMLElement | null): (() => void) | undefined {
  if (row === null) return undefined;
  let detach: (() => void) | null = null;
  let gone = false;
  const meet = ({ pointerType }: PointerEvent) => {
    if (pointerType !== "mouse") return;
    row.removeEventListener("pointerenter", meet);
    import("./drag-engine.tsx").then(
      ({ attachDrag }) => {
        if (!gone) detach = attachDrag(row);
      },
      // Without it the row scrolls like any other.
      () => undefined,
    );
  };
  row.addEventListener("pointerenter", meet);
  return () => {
    gone = true;
    row.removeEventListener("pointerenter", meet);
    detach?.();
  };
}
