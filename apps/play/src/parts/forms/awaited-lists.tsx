import { ListSkeleton } from "@perya/ui/skeleton";
import type { UseQueryResult } from "@tanstack/react-query";
import { useText } from "../../shell/text.ts";
import { QueryFailed } from "../page/screen-states.tsx";

/** A list of the server's that a form judges by. */
export type JudgedBy = Pick<
  UseQueryResult,
  "data" | "error" | "isError" | "isFetching" | "refetch"
>;

/** Whether a form can judge, so that it may be filled in and sent. */
export function isAllHere(lists: readonly JudgedBy[]): boolean {
  return lists.every(({ data }) => data !== undefined);
}

/**
 * Replaces the fields that the lists judge, and the button that sends them: an outline while the
 * lists load, another try where one failed. Nothing is sent unjudged (specification, accounts
 * §2.5).
 */
export function AwaitedLists({ lists, rows }: { lists: readonly JudgedBy[]; rows: number }) {
  const { t } = useText();
  const failed = lists.filter(({ data, isError }) => data === undefined && isError);
  const [first] = failed;
  if (first?.error == null) return <ListSkeleton count={rows} label={t("shell.loading")} />;
  return (
    <QueryFailed
      query={{
        error: first.error,
        refetch: () => failed.map((list) => list.refetch()),
        isFetching: failed.some((list) => list.isFetching),
      }}
    />
  );
}
