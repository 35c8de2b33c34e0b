import { Button } from "@perya/ui/button";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useText } from "../../shell/text.ts";

type Pages = Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;

/** The next page of a keyset-paged list; nothing once the last one has loaded. */
export function ShowMore({ list }: { list: Pages }) {
  const { t } = useText();
  if (!list.hasNextPage) return null;
  return (
    <Button
      variant="secondary"
      block
      loading={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {t("shell.show_more")}
    </Button>
  );
}
