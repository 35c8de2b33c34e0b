import { useQuery } from "@tanstack/react-query";
import { showsEntry } from "./access.ts";
import { queries } from "./server.ts";
import { useSession } from "./session.ts";

/** Whether an entry that leads to an address is shown. */
export function useShows(): (address: string) => boolean {
  const session = useSession((state) => state.session);
  const { data } = useQuery(queries.status());
  return (address) => showsEntry(address, session, data?.info);
}
