import { z } from "zod";
import { call } from "./call.ts";
import { idWire, instantWire, shownLine, shownLines } from "./wire.ts";

export const FEEDBACK_TYPES = {
  deposit: 1,
  withdrawal: 2,
  game: 3,
  customerService: 4,
  agentApplication: 6,
  other: 0,
} as const;

const CONTENT_MIN = 10;
const CONTENT_MAX = 200;

/** 10 to 200 characters as a person counts them: one outside the BMP counts once, not twice. */
const content = shownLines
  .superRefine((text, context) => {
    const { length } = [...text];
    const bound = { origin: "string", inclusive: true, input: text } as const;
    if (length < CONTENT_MIN) {
      context.addIssue({ ...bound, code: "too_small", minimum: CONTENT_MIN });
    } else if (length > CONTENT_MAX) {
      context.addIssue({ ...bound, code: "too_big", maximum: CONTENT_MAX });
    } else if (text.replaceAll("\u200d", "").trim() === "") {
      context.addIssue({ ...bound, code: "invalid_format", format: "regex" });
    }
  })
  .meta({ minLength: CONTENT_MIN, maxLength: CONTENT_MAX });

export const feedbackCalls = {
  "PUT /api/v1/feedback": call({
    summary: "Write to the house; one id is one message, however often it arrives",
    callers: ["member", "trial", "agent"],
    body: z.strictObject({
      id: idWire("feedback"),
      type: z.literal(Object.values(FEEDBACK_TYPES)),
      content,
      /** Named by accounts §3, but the session decides who wrote; this value is ignored. */
      sender: shownLine.max(40).optional(),
      captchaId: idWire("captcha"),
      /** The simple captcha: 1 to 16 letters or digits, or the result of its equation. */
      captcha: z.string().regex(/^[A-Za-z0-9]{1,16}$/),
    }),
    reply: z.object({ id: idWire("feedback"), sentAt: instantWire }),
    refusals: ["captcha_wrong", "id_reused"],
    rate: { max: 10, windowMs: 600_000 },
    kept: "once",
  }),
} as const;
