import { createHash } from "node:crypto";
import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import type { LiveBet } from "@perya/contract/socket";
import type { OnWire } from "@perya/contract/wire";
import { type Id, mintId } from "@perya/kernel/ids";
import { money, toWire } from "@perya/kernel/money";
import { accountOfWager, type WagerGame } from "../rounds/rounds.ts";
import { BET_TABLE, type BetRow, type FlightRow } from "./saranggola.store.ts";

export const BET_GAME: WagerGame<BetRow> = {
  ...BET_TABLE,
  vendorOf: () => HOUSE_VENDOR,
  paid: { state: "cashed", word: "win" },
  refunded: { state: "voided", isPayout: false },
  skipsUnderWay: true,
};

/**
 * What a bet is paid at, in hundredths: where its cash-out was first requested, in time, or else
 * the target that its flight reached; null if it named none or was not taken so far. Nobody knows
 * for certain how far a voided flight came: it takes a bet no further than was requested.
 */
export function owedTo(bet: BetRow, flight: FlightRow): number | null {
  if (bet.asked_hundredths !== null) return bet.asked_hundredths;
  const target = bet.auto_cash_out;
  if (target === null || target > flight.crash_at) return null;
  return flight.phase === "voided" ? null : target;
}

export type StoredBet = ReturnType<typeof storedBet>;

export function storedBet(bet: BetRow) {
  const { currency } = accountOfWager(bet);
  return {
    id: bet.id,
    shownAs: shownAs(bet),
    roundId: bet.round_id,
    stake: money(bet.stake_minor, currency),
    autoCashOut: bet.auto_cash_out,
    cashedOutAt: bet.cashed_out_at,
    payout: money(bet.payout_minor, currency),
    state: bet.state,
  };
}

export function liveBet(bet: BetRow): OnWire<LiveBet> {
  const { shownAs: betId, stake, payout, cashedOutAt } = storedBet(bet);
  return {
    betId,
    account: bet.masked_account,
    stake: toWire(stake),
    cashedOutAt,
    payout: bet.state === "voided" ? toWire(stake) : cashedOutAt === null ? null : toWire(payout),
  };
}

/**
 * The id under which everybody sees a bet. Its own is unique only with its account, so a player who
 * read that could bet under it and be shown in its place. An account has one bet per flight.
 */
export function shownAs({ round_id, account_id }: BetRow): Id<"bet"> {
  return mintId("bet", 0, createHash("sha256").update(`${round_id} ${account_id}`).digest());
}
