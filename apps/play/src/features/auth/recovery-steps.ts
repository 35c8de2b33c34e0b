import type { RefusalCode } from "@perya/contract/refusal";

/** The three steps of recovery by phone (specification, accounts §2.5). */
export const RECOVERY_STEPS = ["verification", "reset", "done"] as const;
export type RecoveryStep = (typeof RECOVERY_STEPS)[number];

export type RecoveryEvent =
  | { readonly kind: "named" }
  | { readonly kind: "sent"; readonly mobileNum: string }
  | { readonly kind: "changed" }
  /** Null where no answer came. */
  | { readonly kind: "failed"; readonly code: RefusalCode | null };

export interface RecoveryMove {
  readonly step: RecoveryStep;
  /** The one field that is emptied. */
  readonly empties: "verificationCode" | "newPassword" | null;
}

/** Where an event leads, and what it empties; without a known number it begins again. */
export function afterRecovery(step: RecoveryStep, event: RecoveryEvent): RecoveryMove {
  switch (event.kind) {
    case "named":
      return { step: "reset", empties: null };
    case "sent":
      return { step: event.mobileNum === "" ? "verification" : step, empties: null };
    case "changed":
      return { step: "done", empties: null };
    case "failed":
      return event.code === "modify.new.old.same"
        ? { step, empties: "newPassword" }
        : { step: "verification", empties: "verificationCode" };
  }
}
