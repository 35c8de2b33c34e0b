import { useQueryClient } from "@tanstack/react-query";
import { screenQueries } from "../../shell/screen-queries.ts";

/** What was just set is shown as the server has it. */
export function useRereadSecurity(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries(screenQueries.security());
}
