import { z } from "zod";
import { cockfightPool, cockfightSide, MATCH_PHASES } from "./cockfight.ts";
import { flightChain, SARANGGOLA_PHASES } from "./saranggola.ts";
import { sportsBoard, sportsFixture } from "./sports.ts";
import { idWire, instantWire, moneyWire } from "./wire.ts";

/**
 * The live wire: commands go over HTTP, events over the socket, and nothing over both. A channel
 * starts with a snapshot at a version. An event carries its version and the version that it builds
 * on (0 where it carries the whole state). A subscriber drops an event that is not newer than its
 * state, and subscribes again if it is behind what the event builds on. In a channel whose versions
 * are instants (`TIMED_CHANNELS` in the client) it takes every event, since clocks are set back.
 */
const SOCKET_PROTOCOL = 1;

export const CHANNELS = [
  "wallet",
  "cashier",
  "saranggola",
  "cockfight",
  "sports",
  "winners",
  "site",
] as const;
export type Channel = (typeof CHANNELS)[number];

/** Channels that show one player's own affairs. */
export const OWN_CHANNELS: readonly Channel[] = ["wallet", "cashier"];

/** Channels that show one brand's affairs to all its visitors. */
export const BRAND_CHANNELS: readonly Channel[] = ["saranggola", "cockfight", "winners", "site"];

export const clientMessage = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    protocol: z.literal(SOCKET_PROTOCOL),
    /** The storage half of the session; the cookie half came with the upgrade. */
    token: z.string().max(200).nullable(),
  }),
  z.strictObject({ type: z.literal("subscribe"), channel: z.enum(CHANNELS) }),
  z.strictObject({ type: z.literal("unsubscribe"), channel: z.enum(CHANNELS) }),
  z.strictObject({ type: z.literal("ping") }),
]);
export type ClientMessage = z.infer<typeof clientMessage>;

const walletState = z.object({ available: moneyWire, held: moneyWire });

const liveBet = z.object({
  /** The house's own id: the id that the player gave the bet is unique only within that account. */
  betId: idWire("bet"),
  /** Masked, such as `m***a`. */
  account: z.string(),
  stake: moneyWire,
  cashedOutAt: z.number().int().nullable(),
  /** Of a cashed-out bet; the stake where it went back because the flight was voided. */
  payout: moneyWire.nullable(),
});
export type LiveBet = z.infer<typeof liveBet>;

/** What a screen lists: with thousands of bets, a state stays far below what cuts a phone off. */
export const FLIGHT_LISTED_BETS = 40;

export const saranggolaState = z.object({
  roundId: idWire("round"),
  phase: z.enum(SARANGGOLA_PHASES),
  seedHash: z.string(),
  /**
   * What fixes this flight; null where nothing was published about its chain. An earlier version's
   * process sends neither this nor the index.
   */
  chain: flightChain.nullable().optional(),
  /** The flight's place in the chain. */
  chainIndex: z.number().int().optional(),
  /** The server's clock when this was made, so that a phone can align its own. */
  now: instantWire,
  /** When the flight takes off (waiting) or took off (flying, crashed). */
  startsAt: instantWire,
  /** Hundredths; null until it has crashed. */
  crashedAt: z.number().int().nullable(),
  /** Bets of the brand's own players, in the order of `bySize`. */
  bets: z.array(liveBet).max(FLIGHT_LISTED_BETS),
  betCount: z.number().int(),
  history: z.array(z.object({ roundId: idWire("round"), crashedAt: z.number().int() })),
});
export type SaranggolaState = z.infer<typeof saranggolaState>;

export const cockfightState = z.object({
  matchId: idWire("match"),
  number: z.number().int(),
  phase: z.enum(MATCH_PHASES),
  seedHash: z.string(),
  /** The server's clock when this was made, so that a phone can align its own. */
  now: instantWire,
  closesAt: instantWire,
  /** When the fight began; null before that. */
  fightsAt: instantWire.nullable(),
  /** The exchanges shown of the fight; null before it begins. */
  exchanges: z.array(z.enum(["meron", "wala", "both"])).nullable(),
  /** Null until every bet is paid. */
  result: cockfightSide.nullable(),
  /** The brand's pools, one per currency in which somebody bet. */
  pools: z.array(cockfightPool),
  history: z.array(
    z.object({ matchId: idWire("match"), number: z.number().int(), result: cockfightSide }),
  ),
});
export type CockfightState = z.infer<typeof cockfightState>;

/** Whether the brand is open; the status has its other settings. */
const siteState = z.object({ maintenance: z.boolean() });

export const channelEvents = {
  wallet: z.object({ type: z.literal("moved"), state: walletState }),
  cashier: z.object({
    type: z.enum(["deposit", "withdrawal"]),
    id: z.string(),
    state: z.string(),
  }),
  saranggola: z.discriminatedUnion("type", [
    z.object({
      type: z.literal("bets"),
      /** Listed bets that are new or were cashed out since the last event, as they are now. */
      bets: z.array(liveBet).max(FLIGHT_LISTED_BETS),
      betCount: z.number().int(),
      /**
       * A page of a build before this event reads it as a cash-out of the bet with this id, so
       * there is none. Such a page shows the flight as of its last phase.
       */
      betId: z.null(),
    }),
    z.object({ type: z.literal("phase"), state: saranggolaState }),
  ]),
  cockfight: z.discriminatedUnion("type", [
    z.object({
      type: z.literal("pools"),
      matchId: idWire("match"),
      pools: z.array(cockfightPool),
    }),
    z.object({ type: z.literal("phase"), state: cockfightState }),
  ]),
  sports: z.object({
    type: z.literal("fixtures"),
    now: instantWire,
    /** Fixtures that are new or changed; they replace the ones with the same id. */
    changed: z.array(sportsFixture),
    gone: z.array(idWire("fixture")),
  }),
  winners: z.object({
    type: z.literal("win"),
    account: z.string(),
    gameName: z.string(),
    nodeId: z.number().int(),
    payout: moneyWire,
    at: instantWire,
  }),
  site: z.object({ type: z.literal("site"), state: siteState }),
} as const;

export const channelSnapshots = {
  wallet: walletState,
  cashier: z.object({}),
  /** Null before the first flight. */
  saranggola: saranggolaState.nullable(),
  /** Null for a brand without the key, and before the first match. */
  cockfight: cockfightState.nullable(),
  sports: sportsBoard,
  winners: z.object({}),
  site: siteState,
} as const;

export type ChannelEvent<C extends Channel> = z.infer<(typeof channelEvents)[C]>;
export type ChannelSnapshot<C extends Channel> = z.infer<(typeof channelSnapshots)[C]>;

export type ServerMessage =
  | { readonly type: "welcome"; readonly loggedIn: boolean }
  | {
      readonly type: "snapshot";
      readonly channel: Channel;
      readonly version: number;
      readonly data: ChannelSnapshot<Channel>;
    }
  | {
      readonly type: "event";
      readonly channel: Channel;
      readonly version: number;
      /** The version that this builds on: a subscriber behind it has missed something. */
      readonly after: number;
      readonly event: ChannelEvent<Channel>;
    }
  | { readonly type: "refused"; readonly channel: Channel | null; readonly code: string }
  | { readonly type: "ended"; readonly code: "session_ended" }
  | { readonly type: "pong"; readonly now: number };
