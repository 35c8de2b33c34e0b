import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";
import type { Api, Query, Reply } from "../api.ts";
import { ask, goodFor, type ReadKey } from "../queries/reads.ts";

interface KeysetPage {
  readonly nextCursor: string | null;
}
type PagedKey = { [K in ReadKey]: Reply<K> extends KeysetPage ? K : never }[ReadKey];

/** The options of a list that comes page by page. */
export function pagesOf(api: Api) {
  return <K extends PagedKey, Key extends QueryKey>(
    key: K,
    queryKey: Key,
    filter: Omit<NonNullable<Query<K>>, "cursor">,
    staleTime?: number,
  ) =>
    infiniteQueryOptions({
      queryKey,
      // Every reply of a PagedKey has its cursor, which the compiler does not see while K is open.
      queryFn: ({ pageParam, signal }) => {
        const query = pageParam === "" ? filter : { cursor: pageParam, ...filter };
        return ask(api, key, { query, signal }) as Promise<Reply<K> & KeysetPage>;
      },
      initialPageParam: "",
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      ...goodFor(staleTime),
    });
}
