import { bySize } from "@perya/contract/flight-list";
import type { SaranggolaBet } from "@perya/contract/saranggola";
import type {
  ChannelEvent,
  FLIGHT_LISTED_BETS,
  LiveBet,
  SaranggolaState,
} from "@perya/contract/socket";
import { MAX_CRASH_HUNDREDTHS, MIN_CASH_OUT_HUNDREDTHS } from "@perya/games/saranggola";
import { SECOND_MS } from "@perya/kernel/instant";

/** Repeated so that the contract's schemas stay out of the browser; the compiler compares it. */
const LISTED_BETS: typeof FLIGHT_LISTED_BETS = 40;

/** A bet to be placed: now, or when the very next kite waits. */
export interface BetWish {
  readonly stakeMinor: bigint;
  readonly autoHundredths: number | null;
}

export interface FlightTable {
  readonly flight: SaranggolaState | null;
  readonly bet: SaranggolaBet | null;
  /** For the kite after the shown one, and for no later one. */
  readonly queued: QueuedBet | null;
}

interface QueuedBet extends BetWish {
  /** The flight on the screen when the player wished for it. */
  readonly afterRoundId: string;
}

export type FlightEvent =
  | { readonly type: "snapshot"; readonly state: SaranggolaState }
  | { readonly type: "live"; readonly event: ChannelEvent<"saranggola"> }
  | { readonly type: "mine"; readonly bets: readonly SaranggolaBet[] }
  | { readonly type: "bet"; readonly bet: SaranggolaBet }
  | { readonly type: "queue"; readonly wish: BetWish | null };

export const EMPTY_TABLE: FlightTable = { flight: null, bet: null, queued: null };

export function flightReducer(table: FlightTable, event: FlightEvent): FlightTable {
  switch (event.type) {
    case "snapshot":
      return withFlight(table, event.state);
    case "live":
      return hear(table, event.event);
    case "mine": {
      const bet = event.bets.find(({ roundId }) => roundId === table.flight?.roundId);
      return bet === undefined ? table : { ...table, bet: newer(table.bet, bet) };
    }
    case "bet":
      return event.bet.roundId === table.flight?.roundId
        ? { ...table, bet: newer(table.bet, event.bet) }
        : table;
    case "queue": {
      const { wish } = event;
      const afterRoundId = table.flight?.roundId;
      const queued = wish === null || afterRoundId === undefined ? null : { ...wish, afterRoundId };
      return { ...table, queued };
    }
  }
}

function hear(table: FlightTable, event: ChannelEvent<"saranggola">): FlightTable {
  if (event.type === "phase") return withFlight(table, event.state);
  const { flight } = table;
  // A process of an earlier build may send unknown events; the next phase has everything.
  if (flight === null || event.type !== "bets") return table;
  const { betCount } = event;
  return withFlight(table, { ...flight, bets: withNews(flight.bets, event.bets), betCount });
}

/** In the server's order. */
function withNews(listed: readonly LiveBet[], news: readonly LiveBet[]): LiveBet[] {
  const byId = new Map([...listed, ...news].map((bet) => [bet.betId, bet]));
  return [...byId.values()].sort(bySize).slice(0, LISTED_BETS);
}

/** A new flight starts without a bet; a crashed flight takes the bets that stayed. */
function withFlight(before: FlightTable, flight: SaranggolaState): FlightTable {
  const table = { ...before, queued: stillQueued(before.queued, flight) };
  const bet = table.bet?.roundId === flight.roundId ? table.bet : null;
  const shown = bet === null ? undefined : flight.bets.find(isOf(bet));
  if (bet === null || bet.state !== "placed") return { ...table, flight, bet };
  if (shown?.cashedOutAt != null && shown.payout !== null) {
    const { cashedOutAt, payout } = shown;
    return { ...table, flight, bet: { ...bet, state: "cashed", cashedOutAt, payout } };
  }
  if (shown !== undefined && shown.payout !== null) {
    return { ...table, flight, bet: { ...bet, state: "voided" } };
  }
  const { autoCashOut } = bet;
  const paysLate = autoCashOut !== null && autoCashOut <= (flight.crashedAt ?? 0);
  const lost = flight.phase === "crashed" && !paysLate;
  return { ...table, flight, bet: lost ? { ...bet, state: "lost" } : bet };
}

/** A wish that missed its flight is dropped: its player may be far away. */
function stillQueued(queued: QueuedBet | null, flight: SaranggolaState): QueuedBet | null {
  const isBefore = flight.roundId === queued?.afterRoundId;
  const isNext = flight.phase === "waiting" && flight.history[0]?.roundId === queued?.afterRoundId;
  return isBefore || isNext ? queued : null;
}

/** A bet never goes back to `placed` once it is settled: answers may overtake each other. */
function newer(shown: SaranggolaBet | null, bet: SaranggolaBet): SaranggolaBet {
  return shown?.id === bet.id && shown.state !== "placed" && bet.state === "placed" ? shown : bet;
}

/** Whether a listed bet is this one of the player's, by the house's id, which no player chooses. */
function isOf({ shownAs }: SaranggolaBet): (listed: LiveBet) => boolean {
  return ({ betId }) => betId === shownAs;
}

export interface ShownBet extends LiveBet {
  readonly isOwn: boolean;
}

/** The listed bets after the player's own, which may not be among the largest. */
export function shownBets({ flight, bet }: FlightTable): readonly ShownBet[] {
  const listed = flight?.bets.map((one) => ({ ...one, isOwn: false })) ?? [];
  if (bet === null) return listed;
  const { id: betId, stake, cashedOutAt, state } = bet;
  const back = { placed: null, lost: null, voided: stake, cashed: bet.payout }[state];
  const own = { betId, account: "", stake, cashedOutAt, payout: back, isOwn: true };
  const isMine = isOf(bet);
  return [own, ...listed.filter((one) => !isMine(one))].slice(0, LISTED_BETS);
}

/** The remaining share of the waiting time, 1 to 0. */
export function waitingShare(startsAt: number, nowMs: number, waitingMs: number): number {
  return Math.max(0, Math.min(1, (startsAt - nowMs) / waitingMs));
}

/** The remaining whole seconds, counted down to 1. */
export function secondsText(leftMs: number): string {
  return String(Math.max(1, Math.ceil(leftMs / SECOND_MS)));
}

export type TargetFault = "bad_format" | "too_small" | "too_big";

/** `2`, `2.5`, `2.50`, with or without a trailing × → 250 hundredths; empty → no target. */
export function readTargetText(
  text: string,
): { readonly hundredths: number | null } | { readonly fault: TargetFault } {
  const plain = text.trim().replace(/[x×]$/i, "").replace(",", ".").trim();
  if (plain === "") return { hundredths: null };
  const match = /^(\d{1,6})(?:\.(\d{0,2}))?$/.exec(plain);
  if (match === null) return { fault: "bad_format" };
  const hundredths = Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
  if (hundredths < MIN_CASH_OUT_HUNDREDTHS) return { fault: "too_small" };
  if (hundredths > MAX_CRASH_HUNDREDTHS) return { fault: "too_big" };
  return { hundredths };
}

/** `250` → `2.50×`, grouped from a thousand up. */
export function multiplierText(hundredths: number): string {
  const whole = `${Math.floor(hundredths / 100)}`.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${whole}.${`${hundredths % 100}`.padStart(2, "0")}×`;
}
