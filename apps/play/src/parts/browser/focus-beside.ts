/**
 * Gives the focus to the row beside the one whose button was pressed and that goes now. Otherwise a
 * popup takes it a frame later, out of a field that is typed in by then, and a page loses it.
 */
export function focusBeside(pressed: HTMLElement): void {
  const row = pressed.closest("li");
  const beside = row?.nextElementSibling ?? row?.previousElementSibling;
  beside?.querySelector<HTMLElement>("button, input")?.focus();
}
