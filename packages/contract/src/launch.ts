import { z } from "zod";
import { call } from "./call.ts";
import { GAME_TYPES } from "./catalogue.ts";
import { PLAY_TYPES, PRIZE_MODES, SEA } from "./launch-terms.ts";

/**
 * One call for both launchers (games §4): the vendor decides which fields are wanted. The server
 * refuses the others by name, and also a field that does not fit the game.
 */
const launchBody = z.strictObject({
  vendor: z.string().regex(/^[A-Z0-9_]{1,30}$/),
  // Fields of the generic launcher.
  gameCategory: z.enum(GAME_TYPES).optional(),
  gameId: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,60}$/)
    .optional(),
  nodeId: z.number().int().min(1).max(2_147_483_647).optional(),
  /** The list said that the game can be played without real money. */
  supportFreePlay: z.boolean().optional(),
  // Fields of the lottery launcher.
  gameCode: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,60}$/)
    .optional(),
  prizeMode: z.enum([...Object.values(PRIZE_MODES), SEA]).optional(),
  playType: z.enum(Object.values(PLAY_TYPES)).optional(),
});
export type LaunchBody = z.infer<typeof launchBody>;

export const launchCalls = {
  "POST /api/v1/games/launch": call({
    summary: "Where to play a game: a page of this site, a page of its vendor's, or why not now",
    callers: ["member", "trial", "agent"],
    regional: true,
    body: launchBody,
    reply: z.discriminatedUnion("opens", [
      z.object({ opens: z.literal("page"), path: z.string() }),
      /** The address carries a launch token that is valid once. */
      z.object({ opens: z.literal("vendor"), url: z.string() }),
    ]),
    refusals: ["not_found", "maintenance", "real_account_needed", "member_blocked"],
    rate: { max: 120, windowMs: 60_000 },
    kept: "row",
  }),
} as const;
