import { useQuery } from "@tanstack/react-query";
import { useDebounced } from "../../parts/browser/use-debounced.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { USERNAME_PAUSE_MS } from "../../shell/timing.ts";

/** Whether a well-formed username is free; null while unknown, or where none is given. */
export function useUsernameFree(username: string): boolean | null {
  const name = useDebounced(username.trim(), USERNAME_PAUSE_MS);
  const settled = name !== "" && name === username.trim();
  const { data } = useQuery({ ...screenQueries.usernameAvailability(name), enabled: settled });
  return settled && data !== undefined ? data.available : null;
}
