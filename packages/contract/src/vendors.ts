import { z } from "zod";
import { call } from "./call.ts";
import { ROUND_STATES } from "./rounds.ts";
import { instantWire, moneyWire, pageOf, pageQuery } from "./wire.ts";

const record = z.object({
  id: z.string(),
  vendor: z.string(),
  gameId: z.string(),
  gameName: z.string(),
  state: z.enum(ROUND_STATES),
  stake: moneyWire,
  payout: moneyWire,
  at: instantWire,
});

/** What the wallet that all games use knows of rounds and wins. */
export const vendorCalls = {
  "GET /api/v1/game-records": call({
    summary: "The player's rounds of all vendors, newest first",
    callers: ["member", "trial", "agent"],
    query: z.object({ ...pageQuery, gameId: z.string().max(60).optional() }),
    reply: pageOf(record),
    refusals: ["feature_off"],
  }),
  "GET /api/v1/winners": call({
    summary: "The latest wins on the house's games, names masked",
    callers: ["visitor"],
    reply: z.object({
      list: z.array(
        z.object({
          account: z.string(),
          gameName: z.string(),
          nodeId: z.number().int(),
          payout: moneyWire,
          at: instantWire,
        }),
      ),
    }),
  }),
} as const;
