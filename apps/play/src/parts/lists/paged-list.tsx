import { ListSkeleton } from "@perya/ui/skeleton";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useText } from "../../shell/text.ts";
import { QueryFailed } from "../page/screen-states.tsx";
import { EmptyScene } from "../pictures/empty-art.tsx";
import styles from "./paged-list.module.css";
import { ShowMore } from "./show-more.tsx";
import { useWaitToast } from "./use-wait-toast.ts";

interface Page<Item> {
  readonly items: readonly Item[];
}

/**
 * A keyset-paged list with its skeleton, empty state, retry and "show more". A page may be empty
 * and still have a next one, so the list says that it is empty only after the last page.
 */
export function PagedList<Item>(props: {
  list: UseInfiniteQueryResult<InfiniteData<Page<Item>>>;
  keyOf: (item: Item) => string;
  row: (item: Item) => ReactNode;
  empty: string;
}) {
  const { t } = useText();
  const { list, keyOf, row, empty } = props;
  useWaitToast(list.isLoading || list.isFetchingNextPage);
  if (list.isPending) return <ListSkeleton count={6} label={t("shell.loading")} />;
  if (list.isError && list.data === undefined) {
    return <QueryFailed query={list} />;
  }
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const none = list.hasNextPage ? t("shell.none_lately") : empty;
  return (
    <>
      {items.length === 0 ? (
        <EmptyScene title={none} />
      ) : (
        <ul className={styles.list}>
          {items.map((item) => (
            <li key={keyOf(item)}>{row(item)}</li>
          ))}
        </ul>
      )}
      <ShowMore list={list} />
    </>
  );
}
