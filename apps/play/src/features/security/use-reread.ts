import { useQueryClient } from "@tanstack/react-query";
import { screenQueries } from "../../shell/screen-queries.ts";

/** Shows a new setting as the server stored it. */
export function useRereadSecurity(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries(screenQueries.security());
}
