import { WAIT_REASONS, type WaitReason } from "@perya/contract/cashier";
import { type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { timesMinor } from "@perya/kernel/money";
import { BLOCKS_TOGETHER } from "../../platform/address-block.ts";
import type { Merchant } from "../brand/brand.ts";

/** How long a withdrawal that was let out counts in the sums. */
export const SUM_WINDOW_MS = 24 * 60 * MINUTE_MS;

/** What the rule judges by. Sums are of the last 24 hours, without the withdrawal itself. */
export interface ApprovalFacts {
  readonly blocked: boolean;
  /**
   * What proves who the player is was changed after the withdrawal was requested, or they ended the
   * session that requested it.
   */
  readonly accountChanged: boolean;
  readonly playerMinor: bigint;
  readonly destinationMinor: bigint;
  readonly deviceMinor: bigint;
  /** Of all who have an address in the same wide block, if an address names the device. */
  readonly networkMinor: bigint;
  /**
   * When the player first requested money to this destination, this withdrawal included, since they
   * last changed what proves who they are: an earlier request may have been another person's.
   */
  readonly namedAt: Instant;
  /** The player was paid there before. */
  readonly paidThere: boolean;
}

export interface Verdict {
  readonly reasons: readonly WaitReason[];
  /** When the rule should look again; null: an operator must decide. */
  readonly lookAgainAt: Instant | null;
}

/**
 * Whether a withdrawal goes out by the rule. Only a new destination becomes good by itself, once it
 * has been known for as long as the brand wants.
 */
export function judgeWithdrawal(
  amountMinor: bigint,
  facts: ApprovalFacts,
  rule: Merchant["settings"]["cashier"],
  now: Instant,
): Verdict {
  const { playerMinor, destinationMinor, deviceMinor } = rule.autoApproveDaily;
  const knownAt = facts.namedAt + rule.newDestinationWaitMinutes * MINUTE_MS;
  const isNew = !facts.paidThere && now < knownAt;
  const applies: Readonly<Record<WaitReason, boolean>> = {
    member_blocked: facts.blocked,
    account_changed: facts.accountChanged,
    amount: amountMinor > rule.autoApproveMaxMinor,
    player_day: facts.playerMinor + amountMinor > playerMinor,
    destination_day: facts.destinationMinor + amountMinor > destinationMinor,
    device_day:
      facts.deviceMinor + amountMinor > deviceMinor ||
      facts.networkMinor + amountMinor > timesMinor(deviceMinor, BigInt(BLOCKS_TOGETHER)),
    new_destination: isNew,
  };
  const reasons = WAIT_REASONS.filter((reason) => applies[reason]);
  const isNewAlone = isNew && reasons.length === 1;
  return { reasons, lookAgainAt: isNewAlone ? knownAt : null };
}
