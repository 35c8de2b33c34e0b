import { useRouterState } from "@tanstack/react-router";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The page on which an appended list begins; it ends on the address's own page. */
    listFrom?: number;
  }
}

/**
 * The page on which the list that ends on `page` begins. The router reports the next address before
 * it shows the next screen: until then the list is still that of the address before.
 */
export function useListStart(page: number): number {
  const listFrom = useRouterState({
    select: ({ location, resolvedLocation }) =>
      [location, resolvedLocation].find((one) => (one?.search.page ?? 1) === page)?.state.listFrom,
  });
  return Math.min(listFrom ?? page, page);
}
