import { Button } from "@perya/ui/button";
import { useText } from "../../shell/text.ts";
import { Pagination } from "./pagination.tsx";

/** Goes on to a page, with the history's state that says on which one the list begins then. */
export type OnPage = (page: number, state: { readonly listFrom: number }) => void;

/**
 * Below a list of games: load more appends its next page, a page number replaces what is shown, from
 * the top on.
 */
export function ListPages(props: {
  list: { readonly isFetchingNextPage: boolean; readonly fetchNextPage: () => unknown };
  /** The page of the address is not there yet. */
  lacks: boolean;
  page: number;
  /** The page on which the list begins. */
  from: number;
  totalPages: number;
  /** Pages from which on the page numbers show. */
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
            // One that failed is asked for again.
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
