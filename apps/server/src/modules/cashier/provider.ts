import type { Instant } from "@perya/kernel/instant";
import type { Money } from "@perya/kernel/money";
import type { Merchant } from "../brand/brand.ts";

/** A payment provider's message, once its signature has been checked. */
export interface PaymentEvent extends KnownPayment {
  readonly eventId: string;
  readonly kind: PaymentKind;
  /** Our id of the deposit or withdrawal. */
  readonly reference: string;
  readonly at: number;
}

export type PaymentKind = "deposit" | "withdrawal";

export interface KnownPayment {
  readonly status: "pending" | "paid" | "failed";
  readonly amount: Money;
  /** The reason of a failure for the player; none if absent. */
  readonly reason?: string | null;
}

/** Thrown when the provider does not answer; the same call may be made again. */
export class ProviderUnavailable extends Error {
  override name = "ProviderUnavailable";
}

/** Thrown when the provider refuses for good; nothing has moved. */
export class ProviderRefused extends Error {
  override name = "ProviderRefused";
}

/**
 * A way to move money in and out of the house. Every method is idempotent by our id, so it can be
 * called again after a time-out without paying twice.
 */
export interface PaymentProvider {
  readonly code: string;
  /** Called over the network, where an answer may take long; the others are our own database. */
  readonly isOutside: boolean;
  serves(merchant: Merchant, method: Method): boolean;
  /** Opens a payment; the player pays on the page that it answers. */
  openDeposit(deposit: {
    readonly id: string;
    readonly merchant: Merchant;
    readonly method: string;
    readonly amount: Money;
    /** The brand's own address, without a slash at the end. */
    readonly origin: string;
    readonly returnUrl: string;
  }): Promise<{ readonly reference: string; readonly payUrl: string }>;
  /**
   * Sends money out; a call-back tells how it ends. An outside provider refuses a call that reaches
   * it more than eleven minutes after `letOutAt`, since the withdrawal may be given back by then: a
   * process may have slept between the gate and the call.
   */
  sendPayout(payout: {
    readonly id: string;
    readonly merchant: Merchant;
    readonly method: string;
    readonly amount: Money;
    readonly destination: string;
    readonly origin: string;
    /** When the last check before the call was made (`passToProvider`). */
    readonly letOutAt: Instant;
  }): Promise<void>;
  /** The state of a payment, in case its call-back is lost; null for an unknown one. */
  ask(kind: PaymentKind, id: string): Promise<KnownPayment | null>;
  /** Whether the provider signed the bytes of a call-back, and lately. */
  isSigned(rawBody: Buffer, signature: string | undefined): boolean;
}

export type Method = Merchant["settings"]["cashier"]["methods"][number];
