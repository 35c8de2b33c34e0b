import { z } from "zod";
import { call } from "./call.ts";
import { PICTURE_MAX_BYTES, PICTURES_MAX, REMARK_MAX } from "./promotion-rules.ts";
import { idWire, instantWire, shownLines } from "./wire.ts";

const application = z.object({
  id: idWire("application"),
  promotionId: idWire("announcement"),
  title: z.string(),
  remark: z.string(),
  images: z.array(idWire("upload")),
  state: z.enum(["pending", "approved", "rejected"]),
  /** The house's answer; empty while the application is pending. */
  answer: z.string(),
  sentAt: instantWire,
  decidedAt: instantWire.nullable(),
});

const callers = ["member", "agent"] as const;

export const promotionCalls = {
  "PUT /api/v1/promotions/uploads/{id}": call({
    summary: "Send a picture for an application: PNG or JPEG by its content, kept without its data",
    callers,
    realAccount: true,
    params: z.object({ id: idWire("upload") }),
    upload: { field: "image", maxBytes: PICTURE_MAX_BYTES },
    reply: z.object({ id: idWire("upload"), width: z.number().int(), height: z.number().int() }),
    refusals: ["body_too_large", "unsupported_media_type", "id_reused"],
    rate: { max: 30, windowMs: 10 * 60_000 },
  }),
  "GET /api/v1/promotions/uploads/{id}": call({
    summary: "One of the player's own pictures",
    callers,
    realAccount: true,
    params: z.object({ id: idWire("upload") }),
    /** Base64, since a picture's address would not carry the session. */
    reply: z.object({ type: z.literal("image/jpeg"), data: z.base64() }),
    refusals: ["not_found"],
  }),
  "POST /api/v1/promotions/applications": call({
    summary: "Apply for a promotion, with pictures that were sent before",
    callers,
    realAccount: true,
    body: z.strictObject({
      id: idWire("application"),
      promotionId: idWire("announcement"),
      remark: shownLines.max(REMARK_MAX).default(""),
      images: z.array(idWire("upload")).max(PICTURES_MAX).default([]),
    }),
    reply: application,
    refusals: [
      "not_found",
      "wrong_state",
      "too_many_open",
      "id_reused",
      "number_needed",
      "gift_taken",
      "member_blocked",
    ],
    rate: { max: 20, windowMs: 60 * 60_000 },
  }),
  "GET /api/v1/promotions/applications": call({
    summary: "The player's own applications, newest first",
    callers,
    realAccount: true,
    reply: z.object({ list: z.array(application) }),
  }),
} as const;
