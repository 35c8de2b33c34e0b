import type { ContractKind } from "@perya/contract/agents";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { readsOf } from "../queries/reads.ts";

export const CONTRACTS_KEY = [OWN_KEY, "contracts"] as const;

const CONTRACT_CALLS = {
  daily: "GET /api/v1/agent/contract-requests/daily-salary",
  hourly: "GET /api/v1/agent/contract-requests/hourly-salary",
  dividend: "GET /api/v1/agent/contract-requests/dividend",
} as const;

export function contractQueries(api: Api) {
  const { call } = api;
  const read = readsOf(api);
  return {
    /** Which kinds of contract wait for the agent's answer; asked once per visit (games §2.9). */
    contractInfo: () =>
      read("GET /api/v1/agent/contract-info", [...CONTRACTS_KEY, "info"], Number.POSITIVE_INFINITY),
    contractRequests: (kind: ContractKind) =>
      queryOptions({
        queryKey: [...CONTRACTS_KEY, kind],
        queryFn: async ({ signal }) => (await call(CONTRACT_CALLS[kind], { signal })).list,
        staleTime: 0,
      }),
  };
}
