import { MINUTE_MS } from "@perya/kernel/instant";
import type { Api } from "../api.ts";
import { OWN_KEY } from "../own-key.ts";
import { readsOf } from "../queries/reads.ts";
import { pagesOf } from "./keyset-pages.ts";

export function cashierQueries(api: Api) {
  const read = readsOf(api);
  const pages = pagesOf(api);
  return {
    cashierMethods: () =>
      read("GET /api/v1/cashier/methods", [OWN_KEY, "cashier", "methods"], MINUTE_MS),
    deposits: () => pages("GET /api/v1/cashier/deposits", [OWN_KEY, "cashier", "deposits"], {}),
    deposit: (id: string) =>
      read("GET /api/v1/cashier/deposits/{id}", [OWN_KEY, "cashier", "deposit", id], undefined, {
        params: { id },
      }),
    withdrawals: () =>
      pages("GET /api/v1/cashier/withdrawals", [OWN_KEY, "cashier", "withdrawals"], {}),
  };
}
