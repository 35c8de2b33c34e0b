import { MINUTE_MS } from "@perya/kernel/instant";
import { queryOptions } from "@tanstack/react-query";
import type { Api, Reply } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { readsOf } from "./reads.ts";

export const WALLET_KEY = [OWN_KEY, "wallet"] as const;

export function memberQueries(api: Api) {
  const { call } = api;
  const read = readsOf(api);
  return {
    wallet: () =>
      queryOptions({
        queryKey: WALLET_KEY,
        queryFn: async ({ signal, client }) => {
          const shown = () => client.getQueryData<Reply<"GET /api/v1/member/wallet">>(WALLET_KEY);
          const before = shown()?.version;
          const wallet = await call("GET /api/v1/member/wallet", { signal });
          // A wallet that came over the socket meanwhile may be newer.
          const now = shown();
          return now && now.version !== before && now.version > wallet.version ? now : wallet;
        },
        staleTime: MINUTE_MS,
      }),
    memberInfo: () => read("GET /api/v1/member/info", [OWN_KEY, "info"], 5 * MINUTE_MS),
  };
}
