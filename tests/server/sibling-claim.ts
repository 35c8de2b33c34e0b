import type { Clock, Entropy } from "@perya/kernel/instant";
import type pg from "pg";
import type { Merchant } from "../../apps/server/src/modules/brand/brand.ts";
import { Gifts, type Occasion } from "../../apps/server/src/modules/identity/accounts/gifts.ts";
import { KnownDevices } from "../../apps/server/src/modules/identity/defence/known-devices.ts";
import type { ClaimGift, Session } from "../../apps/server/src/modules/identity/identity.ts";

/** A claim on a gift by a player whose pay-out account is the same for all players here. */
export function siblingClaim(
  { pool, clock, entropy }: { pool: pg.Pool; clock: Clock; entropy: Entropy },
  merchant: Merchant,
  who: Session,
  occasion: Occasion,
): Promise<ClaimGift> {
  const gifts = new Gifts({
    ...{ pool, clock },
    devices: new KnownDevices(pool, clock, entropy),
    payoutAccountsOf: async () => [{ destination: "09171234567", isOwn: true }],
    hasPaidIn: async () => false,
  });
  const settings = { ...merchant.settings, gifts: { verifiedNumber: false } };
  const origin = { token: undefined, address: "203.0.113.7" };
  return gifts.claimOf({ ...merchant, settings }, who, occasion, origin);
}
