import { z } from "zod";
import { call } from "./call.ts";
import { idWire, instantWire, moneyWire } from "./wire.ts";

const callers = ["member", "agent"] as const;

const caughtPacket = z.object({ amount: moneyWire, at: instantWire });

const rain = z.object({
  id: idWire("rain"),
  startsAt: instantWire,
  endsAt: instantWire,
  /** The most that all packets give together, and the most that one gives. */
  budget: moneyWire,
  largest: moneyWire,
  catchMax: z.number().int(),
  left: z.number().int(),
  mine: z.array(caughtPacket),
});
export type Rain = z.infer<typeof rain>;

const pastRain = rain.pick({ id: true, startsAt: true, mine: true }).extend({
  caught: z.number().int(),
  given: moneyWire,
  /** The largest packets, from high to low; names are masked. */
  winners: z.array(caughtPacket.extend({ account: z.string() })),
});
export type PastRain = z.infer<typeof pastRain>;

/** Rains of red packets, which a brand plans for times of its own (games §2.1). */
export const redRainCalls = {
  "GET /api/v1/red-rain": call({
    summary: "The rain that falls or comes next, and the last ones with their winners",
    callers,
    realAccount: true,
    reply: z.object({
      /** The server's clock, which countdowns use. */
      now: instantWire,
      rain: rain.nullable(),
      past: z.array(pastRain),
    }),
    refusals: ["feature_off"],
  }),
  "POST /api/v1/red-rain/catches": call({
    summary: "Catch a packet; the same id again answers the same packet and moves no money",
    callers,
    realAccount: true,
    regional: true,
    body: z.strictObject({ id: idWire("catch"), rainId: idWire("rain") }),
    reply: caughtPacket.extend({ id: idWire("catch"), rainId: idWire("rain") }),
    refusals: [
      "feature_off",
      "not_found",
      "rain_not_begun",
      "rain_over",
      "rain_exhausted",
      "catches_spent",
      "id_reused",
      "member_blocked",
      "number_needed",
      "gift_taken",
    ],
    rate: { max: 120, windowMs: 60_000 },
  }),
} as const;
