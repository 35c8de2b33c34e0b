import type { Reply } from "@perya/client/api";
import { WALLET_KEY } from "@perya/client/queries/member";
import { add, formatDecimal, type Money } from "@perya/kernel/money";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { live, queries, queryClient } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";

type Wallet = Reply<"GET /api/v1/member/wallet">;

/** The player's balance; never guessed ahead of the server. */
export function useWallet() {
  const loggedIn = useSession(({ session }) => session !== null);
  return useQuery({ ...queries.wallet(), enabled: loggedIn });
}

/** What the player may spend; null until it is known. */
export function useBalance(): Money | null {
  return useWallet().data?.available ?? null;
}

/** Follows the wallet over the socket while a player is logged in. */
export function useLiveWallet(): void {
  const token = useSession(({ session }) => session?.token ?? null);
  useEffect(() => {
    if (token === null) return;
    return live.subscribe("wallet", {
      // A snapshot is the truth, even where the database was restored to an earlier moment.
      onSnapshot: (state, version) => showWallet(state, version, true),
      onEvent: ({ state }, version) => showWallet(state, version),
    });
  }, [token]);
}

/**
 * Shows a wallet from a reply or an event, unless a newer one is shown already.
 * @param stands whether it replaces any other
 */
export function showWallet(
  state: { readonly available: Money; readonly held: Money },
  version: number,
  stands = false,
): void {
  queryClient.setQueryData<Wallet>([...WALLET_KEY], (shown) => {
    if (!stands && shown !== undefined && shown.version >= version) return shown;
    const { available, held } = state;
    return { available, held, version, sumBalance: sumOf(available, held) };
  });
}

function sumOf(available: Money, held: Money): string {
  return formatDecimal(add(available, held)).replaceAll(",", "");
}
