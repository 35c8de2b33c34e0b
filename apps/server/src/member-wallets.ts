import type { Clock } from "@perya/kernel/instant";
import { TRIAL_TYPE, type Wallets } from "./modules/identity/identity.ts";
import { accountOf, type Ledger } from "./modules/ledger/ledger.ts";

/** The ledger as the identity module sees it, which knows nothing of it. */
export function memberWallets(ledger: Ledger, clock: Clock): Wallets {
  return {
    open: async (client, { id, merchant, type }) => {
      const currency = type === TRIAL_TYPE ? "FUN" : merchant.currency;
      const owner = { merchantId: merchant.id, ownerId: id, kind: "cash" };
      await ledger.open(client, accountOf(id, currency), owner, clock.now());
    },
    giveTrialCredit: async ({ id }, amountMinor) => {
      const given = await ledger.credit({
        account: accountOf(id, "FUN"),
        key: "trial-credit",
        amount: amountMinor,
        counterAccount: "bonus:trial",
        kind: "trial-credit",
        ref: null,
        at: clock.now(),
      });
      if (!given.ok) throw new Error(`trial credit: ${given.error.code}`);
    },
  };
}

/** Whether a free-play account was played with: its credit is the first entry. */
export async function isTrialPlayed(ledger: Ledger, memberId: string): Promise<boolean> {
  const wallet = await ledger.balance(accountOf(memberId, "FUN"));
  return wallet !== null && wallet.seq > 1n;
}
