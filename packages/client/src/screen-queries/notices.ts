import { MINUTE_MS } from "@perya/kernel/instant";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { NOTICES_KEY } from "../queries/announcements.ts";

export function noticeQueries({ call }: Api, merchantCode: () => string | undefined) {
  return {
    notices: (language: string) =>
      queryOptions({
        queryKey: [...NOTICES_KEY, language],
        queryFn: ({ signal }) => call("GET /api/v1/notices", { signal }),
        staleTime: MINUTE_MS,
      }),
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
