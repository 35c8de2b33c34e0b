import { live, queries, queryClient } from "../shell/server.ts";

/** By then every process knows that the site is open again; the spread keeps phones apart. */
const REOPENED_MS = 2_500;
const REOPENED_SPREAD_MS = 2_000;

/** Shows a closed site at once, and asks after a moment whether it is open; returns how to stop. */
export function followSite(): () => void {
  const { queryKey } = queries.status();
  let asking: number | undefined;
  const show = ({ maintenance }: { readonly maintenance: boolean }) => {
    clearTimeout(asking);
    const shown = queryClient.getQueryData(queryKey);
    if (shown === undefined || shown.maintenance === maintenance) return;
    if (maintenance) {
      queryClient.setQueryData(queryKey, { ...shown, maintenance });
      return;
    }
    const laterMs = REOPENED_MS + Math.random() * REOPENED_SPREAD_MS;
    asking = setTimeout(() => void queryClient.invalidateQueries({ queryKey }), laterMs);
  };
  const leave = live.subscribe("site", {
    onSnapshot: show,
    onEvent: ({ state }) => show(state),
  });
  return () => {
    clearTimeout(asking);
    leave();
  };
}
