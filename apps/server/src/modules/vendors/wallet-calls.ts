import type { HoldReason } from "@perya/contract/operator-wins";
import type { Refusal } from "@perya/contract/refusal";
import type { Instant } from "@perya/kernel/instant";
import type { VendorRule } from "../brand/brand.ts";
import type { Account, Effect } from "../ledger/ledger.ts";

/** What every wallet call names. Transaction ids are the vendor's and unique within it. */
export interface WalletCall {
  readonly account: Account;
  readonly vendor: string;
  readonly transactionId: string;
  readonly roundId: string;
  /** Positive minor units of the account's currency; zero for a win that only ends its round. */
  readonly amount: bigint;
  /** Rows of the caller's own that are written with the movement or not at all. */
  readonly effects?: readonly Effect[];
  /** Whether the odds or the price it names are over: then it is refused, with `odds_changed`. */
  readonly hasLapsed?: () => boolean;
}

export interface Bet extends WalletCall {
  readonly merchantId: string;
  readonly gameId: string;
  readonly blocked: boolean;
  /** Why the game takes no bets of this player now. */
  readonly closed?: Refusal | null;
  /** The round ends with this bet, because it is known to have lost. */
  readonly closesRound?: boolean;
}

export interface Win extends WalletCall {
  readonly betTransactionId: string;
  readonly closesRound: boolean;
}

export interface Rollback extends WalletCall {
  readonly betTransactionId: string;
  /** The brand's, for an outside vendor; the house's games roll no bet back that has won. */
  readonly rule?: Pick<VendorRule, "rollbackAfterWin" | "roundPayoutMaxStakes">;
  /**
   * An outside vendor's rows that are written with a rollback that comes before its bet, beside
   * `effects`. The house's own games never roll back a bet before it came, so they write none.
   */
  readonly burialEffects?: readonly Effect[];
}

export interface WalletAnswer {
  readonly available: bigint;
  readonly version: bigint;
  readonly at: Instant;
  /** True if this transaction id had been taken before: nothing moved this time. */
  readonly repeated: boolean;
  /** A rollback that came before its bet moved nothing; the bet will be refused. */
  readonly buried: boolean;
}

/** The wallet after an outside vendor's win, and why the win waits if this call made it wait. */
export interface BoundWinAnswer extends WalletAnswer {
  readonly held: { readonly id: string; readonly reasons: readonly HoldReason[] } | null;
}
