import { type Currency, currencyOf, money, toWire } from "@perya/kernel/money";
import type { Metrics } from "../../platform/http/metrics.ts";
import type { ModuleParts, ServerModule, Tell } from "../../platform/server-module.ts";
import type { SocketSession } from "../../platform/sockets/live.ts";
import { accountOf, type Ledger, type WalletMoved } from "./ledger.ts";

export interface LedgerModuleOptions extends ModuleParts {
  readonly ledger: Ledger;
  readonly metrics: Pick<Metrics, "movements">;
}

export function ledgerModule({ ledger, publish, metrics }: LedgerModuleOptions) {
  ledger.onMoved((moved) => {
    metrics.movements.inc(moved.length);
    for (const one of moved) publishWallet(publish, one);
  });
  return {
    channels: {
      wallet: async (session) => {
        if (session === null) throw new Error("the wallet channel needs a session");
        // Sockets carry the sessions of `identity`, each with the currency that it plays with.
        const { memberId, currency } = session as SocketSession & { readonly currency: Currency };
        const found = await ledger.balance(accountOf(memberId, currency));
        const { balance = 0n, held = 0n, seq = 0n } = found ?? {};
        return { version: Number(seq), data: walletState(balance, held, currency) };
      },
    },
  } satisfies ServerModule;
}

function publishWallet(publish: Tell, { account, balance, held, seq }: WalletMoved): void {
  const owner = account.id.slice(0, account.id.lastIndexOf("."));
  const state = walletState(balance, held, account.currency);
  // The event carries the whole wallet, so it depends on no earlier event.
  const event = { version: Number(seq), after: 0, event: { type: "moved", state } };
  publish("wallet", owner, event);
}

function walletState(balance: bigint, held: bigint, currency: string) {
  const known = currencyOf(currency);
  return { available: toWire(money(balance - held, known)), held: toWire(money(held, known)) };
}
