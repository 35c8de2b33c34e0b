import { z } from "zod";
import { call } from "./call.ts";
import { operatorReason } from "./operator.ts";
import { idWire, instantWire, moneyWire, pageOf, pageQuery } from "./wire.ts";

export const HOLD_REASONS = ["round_amount", "round_multiple", "vendor_day"] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

const rate = { max: 240, windowMs: 60_000 };
const heldWinId = z.object({ id: idWire("heldWin") });
const settled = z.object({
  id: idWire("heldWin"),
  state: z.enum(["held", "marked", "released", "refused"]),
});

const heldWin = z.object({
  id: idWire("heldWin"),
  member: z.object({ id: z.string(), username: z.string() }),
  vendor: z.string(),
  gameId: z.string(),
  roundId: z.string(),
  transactionId: z.string(),
  stake: moneyWire,
  amount: moneyWire,
  reasons: z.array(z.enum(HOLD_REASONS)),
  /** The operator who would release it, where a second one has to agree. */
  markedBy: z.string().nullable(),
  heldAt: instantWire,
});

const onWin = { callers: ["operator:wins"], params: heldWinId, reply: settled, rate } as const;
const onMarkedWin = { ...onWin, callers: ["operator:wins.confirm"] } as const;

export const operatorWinCalls = {
  "GET /api/v1/operator/held-wins": call({
    summary: "Wins of outside vendors beyond their bounds, longest waiting first",
    callers: ["operator:wins", "operator:wins.confirm"],
    query: z.object(pageQuery),
    reply: pageOf(heldWin),
    rate,
  }),
  "POST /api/v1/operator/held-wins/{id}/release": call({
    ...onWin,
    summary:
      "Release a held win to its player; above what one operator may release alone it is `marked` " +
      "until another operator confirms it",
    body: z.strictObject({}),
    refusals: ["not_found", "wrong_state"],
  }),
  "POST /api/v1/operator/held-wins/{id}/refuse": call({
    ...onWin,
    summary: "Refuse a held win: it is not paid",
    body: z.strictObject({ reason: operatorReason }),
    refusals: ["not_found", "wrong_state"],
  }),
  "POST /api/v1/operator/held-wins/{id}/confirm": call({
    ...onMarkedWin,
    summary: "Confirm a held win that another operator released",
    body: z.strictObject({}),
    refusals: ["not_found", "second_person_needed", "wrong_state"],
  }),
} as const;
