import { useQueryClient } from "@tanstack/react-query";
import { queries } from "../../shell/server.ts";

/** What was just set is shown as the server has it. */
export function useRereadSecurity(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries(queries.security());
}
