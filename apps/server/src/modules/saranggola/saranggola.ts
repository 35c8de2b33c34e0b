import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import { fieldRefusal, limitRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import {
  flightEndsAtMs,
  MAX_CRASH_HUNDREDTHS,
  MIN_CASH_OUT_HUNDREDTHS,
  multiplierAt,
  SARANGGOLA_STAKE,
} from "@perya/games/saranggola";
import { wholeSteps } from "@perya/games/stake";
import { present } from "@perya/kernel/assert";
import { CLOCKS_APART_MS, type Clock, type Instant } from "@perya/kernel/instant";
import { divideRounded, type Money, scaleMinor, timesMinor } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { isSettled, untilToldAt } from "../../platform/clock.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf, unlessMissed } from "../ledger/ledger.ts";
import {
  accountOfWager,
  hasStake,
  type PlayRefusal,
  stakeFault,
  type Wagers,
} from "../rounds/rounds.ts";
import { maskName } from "../vendors/vendors.ts";
import { liveBet, owedTo, type StoredBet, storedBet } from "./flight-bet.ts";
import { Flights, type FlightsOptions } from "./flights.ts";
import { askOnce, type BetRow, type FlightRow, findFlight, insertBet } from "./saranggola.store.ts";

export { isFlight, retireChains, saranggolaBook } from "./saranggola.store.ts";

/**
 * A cash-out that is written down longer than this after it was received counts when it is written
 * down. Otherwise a rider could send one cash-out to a slow process and, d seconds later, another to a
 * fast one. Whichever of them is in time pays, so together they return 0.99 × (2 - e^(-0.06 d)) of
 * the stake: more than the stake from d = 0.17 s on. This and `CLOCKS_APART_MS` are 0.15 s and 99.9%.
 */
export const WRITTEN_WITHIN_MS = 100;
const MY_BETS = 20;

interface GivenBet {
  readonly id: string;
  readonly roundId: string;
  readonly stake: Money;
  readonly autoCashOut: number | null;
}

export interface SaranggolaOptions extends FlightsOptions {
  readonly playRefusal: PlayRefusal;
}

/** The game Saranggola. Any process takes bets on its flights, and cash-outs. */
export class Saranggola {
  readonly #options: SaranggolaOptions;
  readonly #pool: pg.Pool;
  readonly #bets: Wagers<BetRow>;
  readonly #clock: Clock;
  readonly flights: Flights;

  constructor(options: SaranggolaOptions) {
    this.#options = options;
    this.#pool = options.pool;
    this.#clock = options.clock;
    this.flights = new Flights(options);
    this.#bets = this.flights.bets;
  }

  /** Takes a bet while the flight waits; the same id again answers the same bet. */
  async bet(
    merchant: Merchant,
    session: Session,
    given: GivenBet,
  ): Promise<Result<StoredBet, Refusal>> {
    const account = accountOf(session.memberId, session.currency);
    const named = await this.#bets.find(account, given.id);
    if (named !== null && named.round_id !== given.roundId) return refuse(refusal("id_reused"));
    const difference = (bet: BetRow) => differenceFrom(bet, given);
    const existing = await this.#bets.existing(account, given.roundId, difference);
    if (existing !== null) return existing.ok ? ok(storedBet(existing.value)) : existing;
    const fault = stakeFault(given.stake, { merchant, session, rule: SARANGGOLA_STAKE });
    if (fault !== null) return refuse(fault);
    const target = targetWithin(merchant.settings.stakes.maxPayoutMinor, given);
    if (!target.ok) return target;
    const closed = await this.#options.playRefusal(merchant, session, "saranggola");
    if (closed !== null) return refuse(closed);
    const flight = await findFlight(this.#pool, given.roundId);
    if (flight === null) return refuse(fieldRefusal("roundId", "not_allowed"));
    const at = this.#clock.now();
    if (flight.phase !== "waiting" || at >= flight.starts_at.getTime()) {
      return refuse(refusal("bets_closed"));
    }
    const autoCashOut = target.value;
    return this.#place(merchant, session, { ...given, autoCashOut, at });
  }

  /**
   * Pays at the multiplier of the moment at which its first wish was received, or was written down
   * if that took longer than `WRITTEN_WITHIN_MS`. Nobody hears of it, nor sees its money, before
   * every clock has passed that moment: if answers came at once, silence would tell of a crash that
   * a process behind has not reached.
   */
  async cashOut(session: Session, betId: string): Promise<Result<StoredBet, Refusal>> {
    const received = this.#clock.now();
    const settled = isSettled(this.#clock);
    const account = accountOf(session.memberId, session.currency);
    const bet = await this.#bets.find(account, betId);
    if (bet === null) return refuse(refusal("not_found"));
    if (bet.state === "cashed") return ok(storedBet(bet));
    if (bet.state !== "placed") {
      await this.flights.lookOn(bet.round_id);
      return refuse(refusal("round_over"));
    }
    const found = present(await findFlight(this.#pool, bet.round_id), "the flight of a bet");
    // The clock is not settled, so no process can judge this wish; a voided flight gives it back.
    const unjudged = !settled && found.phase === "flying" && found.told;
    const flight = unjudged ? await this.flights.bringDown(found, "voided") : found;
    const elapsed = received - flight.starts_at.getTime();
    const endsAt = flight.starts_at.getTime() + flightEndsAtMs(flight.crash_at);
    const flies = flight.phase === "crashed" || (flight.phase === "flying" && flight.told);
    const ended = flies && received >= endsAt;
    // A crash is told after every clock has passed it; a clock that is before it was set back.
    const known = flight.phase === "crashed" && (!settled || this.#clock.now() < endsAt);
    if (flight.phase === "voided" || ended || known) {
      // What was requested in time or reached its target is paid, though its wallet was busy then.
      const owed = owedTo(bet, await this.flights.ended(flight));
      return owed === null ? refuse(refusal("round_over")) : this.pay(bet, owed);
    }
    // One left waiting past its time will take off later; one that was not announced may be void.
    if (!flies || multiplierAt(elapsed) < MIN_CASH_OUT_HUNDREDTHS) {
      return refuse(refusal("not_flying"));
    }
    const asked = await askOnce(this.#pool, bet, () => this.#wishOf(bet, flight, received));
    if (asked !== null) {
      await untilToldAt(received + CLOCKS_APART_MS, this.#clock, this.#options.pause);
      return this.pay(bet, asked);
    }
    // The clock was set while the wish waited, so there is none to judge now.
    if (settled && !isSettled(this.#clock)) return this.cashOut(session, betId);
    const answer = await this.#answerOf(bet);
    if (!answer.ok) await this.flights.ended(flight);
    return answer;
  }

  /** The worth in hundredths of a wish that is written down now; null for nothing. */
  #wishOf(bet: BetRow, flight: FlightRow, received: Instant): number | null {
    if (!isSettled(this.#clock)) return null;
    const now = this.#clock.now();
    const counts = now - received > WRITTEN_WITHIN_MS ? now : received;
    const elapsed = counts - flight.starts_at.getTime();
    if (elapsed >= flightEndsAtMs(flight.crash_at)) return owedTo(bet, flight);
    const multiplier = multiplierAt(elapsed);
    return Math.min(multiplier, bet.auto_cash_out ?? multiplier);
  }

  async betsOf(session: Session): Promise<StoredBet[]> {
    const account = accountOf(session.memberId, session.currency);
    return (await this.#bets.page(account, { before: null, limit: MY_BETS })).map(storedBet);
  }

  /** Pays a bet out at a multiplier; a bet that was settled meanwhile is answered as it is. */
  async pay(bet: BetRow, hundredths: number): Promise<Result<StoredBet, Refusal>> {
    await unlessMissed(() => this.flights.payOut(bet, hundredths));
    return this.#answerOf(bet);
  }

  async #answerOf(bet: BetRow): Promise<Result<StoredBet, Refusal>> {
    const found = await this.#bets.find(accountOfWager(bet), bet.id);
    const now = present(found, "the bet that was paid");
    return now.state === "cashed" ? ok(storedBet(now)) : refuse(refusal("round_over"));
  }

  async #place(
    merchant: Merchant,
    session: Session,
    given: GivenBet & { readonly at: Instant },
  ): Promise<Result<StoredBet, Refusal>> {
    const maskedAccount = maskName(session.username);
    const bet = {
      ...{ merchant, session, vendor: HOUSE_VENDOR, gameId: "saranggola" },
      // One bet per player and flight: the transaction is named by the flight, not by the bet.
      ...{ roundId: given.roundId, stakeMinor: given.stake.minor, insert: insertBet },
      row: {
        ...{ id: given.id, round_id: given.roundId, member_id: session.memberId, at: given.at },
        ...{ masked_account: maskedAccount, auto_cash_out: given.autoCashOut },
      },
    };
    const placed = await this.#bets.place(bet, (existing) => differenceFrom(existing, given));
    if (!placed.ok) return placed;
    if (placed.value.isNew) {
      this.#options.view.placed(given.roundId, merchant.id, liveBet(placed.value.bet));
    }
    return ok(storedBet(placed.value.bet));
  }
}

/** Why the bet that exists on this flight differs from this one; null if it does not. */
function differenceFrom(existing: BetRow, given: GivenBet): Refusal | null {
  if (existing.id !== given.id) return refusal("already_bet");
  // A bet without a target may have got the highest that the brand pays.
  const isSameTarget = given.autoCashOut === null || existing.auto_cash_out === given.autoCashOut;
  return hasStake(existing, given.stake) && isSameTarget ? null : refusal("id_reused");
}

/** The target of a bet: its own, or where the brand's largest pay-out ends a flight for it. */
function targetWithin(
  maxPayoutMinor: bigint,
  { stake, autoCashOut }: GivenBet,
): Result<number | null, Refusal> {
  const highest = divideRounded(timesMinor(maxPayoutMinor, 100n), stake.minor, "down");
  if (highest >= MAX_CRASH_HUNDREDTHS) return ok(autoCashOut);
  if (highest < MIN_CASH_OUT_HUNDREDTHS) {
    const payable = scaleMinor(maxPayoutMinor, 100n, BigInt(MIN_CASH_OUT_HUNDREDTHS), "down");
    const limit = `${wholeSteps(payable, SARANGGOLA_STAKE)}`;
    return refuse(limitRefusal("stake.minor", "too_big", limit, stake.currency));
  }
  if (autoCashOut !== null && autoCashOut > highest) {
    return refuse(limitRefusal("autoCashOut", "too_big", `${highest}`, "hundredths"));
  }
  return ok(autoCashOut ?? Number(highest));
}
