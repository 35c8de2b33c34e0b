import { z } from "zod";
import { cockfightPool, cockfightSide, MATCH_PHASES } from "./cockfight.ts";
import { kiteChain, SARANGGOLA_PHASES } from "./rounds.ts";
import { sportsBoard, sportsFixture } from "./sports.ts";
import { idWire, instantWire, moneyWire } from "./wire.ts";

/**
 * The live wire. Commands go over HTTP, events over the socket, nothing both ways.
 * A channel starts with a snapshot at a version; an event carries its version and the one it
 * builds on (0 where it carries the whole state). A subscriber drops what is not newer than
 * what it has, and one that is behind what an event builds on subscribes again; of a channel whose
 * versions are instants (`TIMED_CHANNELS` in the client) it takes everything, as clocks are set back.
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

export const walletState = z.object({ available: moneyWire, held: moneyWire });

export const liveBet = z.object({
  /** The house's own: the id that its player gave the bet is unique with that account alone. */
  betId: idWire("bet"),
  /** Masked, such as `m***a`. */
  account: z.string(),
  stake: moneyWire,
  cashedOutAt: z.number().int().nullable(),
  /** Of a bet that was cashed out; the stake where it went back, as the flight was voided. */
  payout: moneyWire.nullable(),
});
export type LiveBet = z.infer<typeof liveBet>;

/** As many as a screen lists: with thousands of bets, a state stays far below what cuts a phone. */
export const KITE_LISTED_BETS = 40;

export const saranggolaState = z.object({
  roundId: idWire("round"),
  phase: z.enum(SARANGGOLA_PHASES),
  seedHash: z.string(),
  /** What fixes this flight; null where nothing was published of its chain. Absent, as is the
   * index, from what a process of before this tells. */
  chain: kiteChain.nullable().optional(),
  /** The flight's place in the chain. */
  chainIndex: z.number().int().optional(),
  /** The server's clock when this was made, so that a phone can align its own. */
  now: instantWire,
  /** When the kite takes off (waiting) or took off (flying, crashed). */
  startsAt: instantWire,
  /** Hundredths; known only once it has crashed. */
  crashedAt: z.number().int().nullable(),
  /** Of the brand's own players, in the order of `bySize`. */
  bets: z.array(liveBet).max(KITE_LISTED_BETS),
  /** Of the brand's own players, listed or not. */
  betCount: z.number().int(),
  /** The latest finished flights, newest first. */
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
  /** When the fight began; null before. */
  fightsAt: instantWire.nullable(),
  /** What is shown of the fight, from its beginning on. */
  exchanges: z.array(z.enum(["meron", "wala", "both"])).nullable(),
  /** Known once every bet is paid. */
  result: cockfightSide.nullable(),
  /** The brand's, one a currency in which somebody bet. */
  pools: z.array(cockfightPool),
  /** The latest fights that were fought, newest first. */
  history: z.array(
    z.object({ matchId: idWire("match"), number: z.number().int(), result: cockfightSide }),
  ),
});
export type CockfightState = z.infer<typeof cockfightState>;

/** Whether the brand is open; what else it has set the status tells. */
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
      /** Those of the listed that are new or were cashed out since the event before, as they stand. */
      bets: z.array(liveBet).max(KITE_LISTED_BETS),
      betCount: z.number().int(),
      /**
       * A page of a build before this event takes it for a cash-out of the bet of this id: of none.
       * It shows the flight as its last phase had it.
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
    /** Those that are new or no longer as they were; they take the place of what stood. */
    changed: z.array(sportsFixture),
    /** Those that left the board. */
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
      /** The version this builds on: a subscriber that is behind it has missed something. */
      readonly after: number;
      readonly event: ChannelEvent<Channel>;
    }
  | { readonly type: "refused"; readonly channel: Channel | null; readonly code: string }
  | { readonly type: "ended"; readonly code: "session_ended" }
  | { readonly type: "pong"; readonly now: number };
