/**
 * Rows through which a page walks if no index covers its list. At worst they are on as many pages
 * of the table: a fifth of a second on an SSD.
 */
export const WALKED_MAX = 2_000;

/**
 * A page of at most `limit` rows, and the row after which the next one goes on; null if there is
 * none. A walk that ended before the page was full goes on after its own last row, listed or not.
 * @param rows in their order: those that are listed, up to one more than `limit`, and the last of
 *   all that were walked, if there were `WALKED_MAX`
 */
export function pageOfWalk<Row extends { readonly walked: bigint | null }>(
  rows: readonly Row[],
  isListed: (row: Row) => boolean,
  limit: number,
): { readonly shown: readonly Row[]; readonly goesOnAfter: Row | null } {
  const found = rows.filter(isListed);
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  const ended = rows.find(({ walked }) => Number(walked) === WALKED_MAX);
  return { shown, goesOnAfter: last ?? ended ?? null };
}
