import type { Body } from "@perya/client/api";
import { accountRules } from "../../parts/account/account-rules.ts";
import type { FieldFaults } from "../../parts/forms/form-faults.ts";
import { lengthOf } from "../../parts/forms/text-length.ts";
import type { MessageId } from "../../shell/text.ts";

export type FeedbackType = Body<"PUT /api/v1/feedback">["type"];

/** The subjects of a message, the most frequent first, with the wire's codes. */
export const FEEDBACK_TYPES = [
  { code: 1, label: "feedback.type_deposit" },
  { code: 2, label: "feedback.type_withdrawal" },
  { code: 3, label: "feedback.type_game" },
  { code: 4, label: "feedback.type_service" },
  { code: 6, label: "feedback.type_agent" },
  { code: 0, label: "feedback.type_other" },
] as const satisfies readonly { code: FeedbackType; label: MessageId }[];

/** Characters of a message (specification, accounts §9). */
export const CONTENT_MIN = 10;
export const CONTENT_MAX = 200;

export interface FeedbackValues {
  /** A code as its radio has it; empty until one is chosen. */
  type: string;
  content: string;
  captcha: string;
}

/** The button stays disabled otherwise, so no error has to say it. */
export function isSendable(content: string): boolean {
  const length = lengthOf(content);
  return length >= CONTENT_MIN && length <= CONTENT_MAX && content.trim() !== "";
}

export function feedbackFaults({ type, captcha }: FeedbackValues): FieldFaults<FeedbackValues> {
  return {
    type: typeOf(type) === undefined ? [{ id: "feedback.type_required" }] : [],
    captcha: accountRules.simpleCaptcha(captcha),
  };
}

export function typeOf(chosen: string): FeedbackType | undefined {
  return FEEDBACK_TYPES.find(({ code }) => String(code) === chosen)?.code;
}
