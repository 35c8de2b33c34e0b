import { Button } from "@perya/ui/button";
import { useText } from "../../shell/text.ts";
import { Pagination } from "./pagination.tsx";

/** Goes to a page; the history's state says on which page the list then begins. */
export type OnPage = (page: number, state: { readonly listFrom: number }) => void;

/**
 * Below a list of games: "load more" appends its next page, and a page number replaces the shown
 * games, from the top on.
 */
export function ListPages(props: {
  list: { readonly isFetchingNextPage: boolean; readonly fetchNextPage: () => unknown };
  /** The page of the address has not loaded yet. */
  lacks: boolean;
  page: number;
  /** The page on which the list begins. */
  from: number;
  totalPages: number;
  /** The number of pages from which page numbers show. */
  paginationFrom: number;
  onPage: OnPage;
}) {
  const { list, lacks, page, from, totalPages, paginationFrom, onPage } = props;
  const { t } = useText();
  return (
    <>
      {(lacks || page < totalPages) && (
        <Button
          variant="secondary"
          block
          loading={list.isFetchingNextPage}
          onClick={() => {
            // A failed page is requested again.
            if (lacks) void list.fetchNextPage();
            else onPage(page + 1, { listFrom: from });
          }}
        >
          {t("shell.load_more")}
        </Button>
      )}
      {totalPages >= paginationFrom && (
        <Pagination
          page={page}
          totalPages={totalPages}
          onPage={(to) => {
            onPage(to, { listFrom: to });
            scrollTo({ top: 0, behavior: "instant" });
          }}
        />
      )}
    </>
  );
}
