/** What the ledger calls a vendor and what it sends. */

interface Named {
  readonly vendor: string;
  readonly transactionId: string;
}

export function keyOf(vendor: string, transactionId: string): string {
  return `vendor:${vendor}:${transactionId}`;
}

export function counterOf(vendor: string): string {
  return `vendor:${vendor}`;
}

// Apart from the vendor's own transaction ids, which may be anything.

/** The hold of a win that waits for an operator. */
export function heldKeyOf({ vendor, transactionId }: Named): string {
  return `held-win:${vendor}:${transactionId}`;
}

/** The part that a rollback takes back of its bet's wins. */
export function reversalKeyOf({ vendor, transactionId }: Named): string {
  return `win-reversal:${vendor}:${transactionId}`;
}
