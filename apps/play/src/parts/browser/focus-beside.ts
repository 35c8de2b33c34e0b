/**
 * Moves the focus from the row that is about to be removed to the row beside it. Otherwise a popup
 * takes the focus a frame later, out of the field that the player types in by then, and a page
 * loses it.
 */
export function focusBeside(pressed: HTMLElement): void {
  const row = pressed.closest("li");
  const beside = row?.nextElementSibling ?? row?.previousElementSibling;
  beside?.querySelector<HTMLElement>("button, input")?.focus();
}
