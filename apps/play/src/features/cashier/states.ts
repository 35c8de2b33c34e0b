import type { DepositState, WithdrawalState } from "@perya/contract/cashier";
import type { BadgeTone } from "@perya/ui/badge";
import type { MessageId } from "../../shell/text.ts";

export interface StateDisplay {
  readonly label: MessageId;
  readonly tone: BadgeTone;
}

export const DEPOSIT_DISPLAY: Readonly<Record<DepositState, StateDisplay>> = {
  created: { label: "cashier.state_created", tone: "info" },
  pending: { label: "cashier.state_pending", tone: "warn" },
  paid: { label: "cashier.state_paid", tone: "good" },
  failed: { label: "cashier.state_failed", tone: "bad" },
  expired: { label: "cashier.state_expired", tone: "plain" },
};

export const WITHDRAWAL_DISPLAY: Readonly<Record<WithdrawalState, StateDisplay>> = {
  held: { label: "cashier.state_held", tone: "info" },
  approved: { label: "cashier.state_approved", tone: "info" },
  sent: { label: "cashier.state_sent", tone: "warn" },
  paid: { label: "cashier.state_paid", tone: "good" },
  rejected: { label: "cashier.state_rejected", tone: "bad" },
  failed: { label: "cashier.state_failed_back", tone: "bad" },
};
