export type PageSlot = number | "gap-left" | "gap-right";

/** At most so many page numbers, besides the ellipses (specification, 9). */
const SLOTS = 5;

/**
 * First and last page and those around the current one, five numbers in all; an ellipsis replaces
 * the omitted pages between them.
 */
export function pageSlots(page: number, totalPages: number): PageSlot[] {
  if (totalPages <= SLOTS) return Array.from({ length: Math.max(0, totalPages) }, (_, i) => i + 1);
  const middle = Math.min(Math.max(page, 3), totalPages - 2);
  const slots: PageSlot[] = [1];
  if (middle > 3) slots.push("gap-left");
  slots.push(middle - 1, middle, middle + 1);
  if (middle < totalPages - 2) slots.push("gap-right");
  slots.push(totalPages);
  return slots;
}
