import { MINUTE_MS } from "@perya/kernel/instant";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { NOTICES_KEY } from "../queries/announcements.ts";
import { readsOf } from "../queries/reads.ts";

export function noticeQueries(api: Api, merchantCode: () => string | undefined) {
  const { call } = api;
  const read = readsOf(api);
  return {
    notices: (language: string) =>
      read("GET /api/v1/notices", [...NOTICES_KEY, language], MINUTE_MS),
    /** The brand's messages to its agents, with their read marks. */
    agentNotices: (language: string) =>
      queryOptions({
        queryKey: [...NOTICES_KEY, "agents", language],
        queryFn: ({ signal }) => {
          const query = { types: "A", groupName: "m_home", merchantCode: merchantCode() } as const;
          return call("GET /api/v1/agent/announcements", { query, signal });
        },
        staleTime: MINUTE_MS,
      }),
  };
}
