import type { Api, Query } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { readsOf } from "../queries/reads.ts";
import { pagesOf } from "./keyset-pages.ts";

export type TransactionKind = NonNullable<Query<"GET /api/v1/transactions">["kind"]>;

export function recordQueries(api: Api) {
  const read = readsOf(api);
  const pages = pagesOf(api);
  return {
    transactions: (kind: TransactionKind) =>
      pages("GET /api/v1/transactions", [OWN_KEY, "transactions", kind], { kind }),
    gameRecords: (gameId?: string) =>
      pages(
        "GET /api/v1/game-records",
        [OWN_KEY, "game-records", gameId ?? ""],
        gameId === undefined ? {} : { gameId },
      ),
    round: (id: string) =>
      read("GET /api/v1/rounds/{id}", [OWN_KEY, "round", id], undefined, { params: { id } }),
  };
}
