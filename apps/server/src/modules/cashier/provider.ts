import type { Money } from "@perya/kernel/money";

/** What a payment provider tells us, once its signature has been checked. */
export interface PaymentEvent {
  readonly eventId: string;
  readonly kind: "deposit" | "withdrawal";
  /** Our id of the deposit or withdrawal. */
  readonly reference: string;
  readonly status: "pending" | "paid" | "failed";
  readonly amount: { readonly minor: string; readonly currency: string };
  readonly at: number;
}

/** Thrown when the provider does not answer; the same call may be made again. */
export class ProviderUnavailable extends Error {
  override name = "ProviderUnavailable";
}

/**
 * A way to move money in and out of the house. Every method is idempotent by our id, so it can
 * be called again after a time-out without paying twice.
 */
export interface PaymentProvider {
  readonly code: string;
  /** Opens a payment; the player pays on the provider's hosted page. */
  openDeposit(deposit: {
    readonly id: string;
    readonly amount: Money;
    readonly label: string;
    readonly returnUrl: string;
  }): Promise<{ readonly reference: string; readonly payUrl: string }>;
  /** Sends money out; how it ends comes as a call-back. */
  sendPayout(payout: {
    readonly id: string;
    readonly amount: Money;
    readonly destination: string;
    readonly label: string;
  }): Promise<{ readonly reference: string }>;
  /** Whether the bytes of a call-back were signed by the provider, and lately. */
  isSigned(rawBody: Buffer, signature: string | undefined): boolean;
}
