import { seedHash } from "@perya/games/fairness";
import { cashOutMinor, crashHundredths, flightEndsAtMs } from "@perya/games/saranggola";
import { assert, present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { CLOCKS_APART_MS, type Clock, type Instant, SECOND_MS } from "@perya/kernel/instant";
import { money, toWire } from "@perya/kernel/money";
import type pg from "pg";
import { isSettled, type Pause, untilAllSettledMs, untilToldAt } from "../../platform/clock.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { createSharedReads, type SharedReads } from "../../platform/shared-reads.ts";
import type { Merchant } from "../brand/brand.ts";
import { accountOfWager, type WagerEnd, Wagers } from "../rounds/rounds.ts";
import type { VendorWallet } from "../vendors/vendors.ts";
import { Chains, type ChainsOptions } from "./chains.ts";
import { BET_GAME, liveBet, owedTo, shownAs } from "./flight-bet.ts";
import {
  type BetRow,
  betsOfRound,
  type FlightRow,
  findFlight,
  insertFlight,
  latestFlight,
  lostBets,
  OVER_FLIGHTS,
  reachedBets,
  recentCrashes,
  setFlying,
  setPhase,
  setStart,
  setTold,
  takeSeed,
  unfinishedFlights,
} from "./saranggola.store.ts";
import type { BrandBets, NumberedFlight, SaranggolaView } from "./saranggola-view.ts";

export const WAITING_MS = 6 * SECOND_MS;
/** How long a crash, or a void, stays on the screen before the next flight waits. */
export const CRASHED_MS = 3 * SECOND_MS;
/** Cash-outs that were received in time may still be on their way into the ledger. */
export const SETTLE_GRACE_MS = SECOND_MS;
/** If it is announced later, a flight may be down before a rider could ask for anything. */
const LATE_MS = SECOND_MS;
/** The longest delay of a take-off so that everybody hears of it in time. */
const LEAD_MAX_MS = 3 * SECOND_MS;
const HISTORY = 20;

export interface FlightsOptions extends ChainsOptions {
  readonly wallet: VendorWallet;
  readonly view: SaranggolaView;
  /** All brands: each is shown the flight with its own players' bets. */
  readonly brands: () => Promise<readonly Merchant[]>;
  /** Delays an answer that would tell of a crash before its keeper does. */
  readonly pause?: Pause;
}

/**
 * The flights, one at a time for all players of the installation. The process that holds the lease
 * flies them (see flight-keeper.ts); any process may end one, and shows them.
 */
export class Flights {
  readonly #options: FlightsOptions;
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly chains: Chains;
  readonly bets: Wagers<BetRow>;
  /** What late riders of one flight share: its end, which is final, and one read of it. */
  readonly #ends: SharedReads;
  /** How long it took to write down and announce the last take-off. */
  #takeOffMs = 0;

  constructor(options: FlightsOptions) {
    this.#options = options;
    this.#pool = options.pool;
    this.#clock = options.clock;
    this.chains = new Chains(options);
    this.bets = new Wagers(BET_GAME, options);
    this.#ends = createSharedReads(options.clock, SECOND_MS);
  }

  /** Makes the next flight wait, or the one that is left. */
  async prepare(): Promise<FlightRow> {
    // None flies while a process may judge it by another clock, or refuses to judge.
    const startsAt = this.#clock.now() + Math.max(WAITING_MS, untilAllSettledMs(this.#clock));
    const [left, ...others] = await unfinishedFlights(this.#pool);
    assert(others.length === 0, "one flight at a time");
    // After each read: data from a history that was left is void by then.
    await this.#options.sure();
    if (left !== undefined) {
      const moved = await setStart(this.#pool, left, startsAt);
      if (!moved) throw new Error(`another process has let flight ${left.id} wait anew`);
      const flight = { ...left, starts_at: new Date(startsAt) };
      await this.#announce(flight);
      return flight;
    }
    const { chain, seed } = await this.chains.next();
    const flight = await withTransaction(this.#pool, async (client) => {
      const taken = await takeSeed(client, chain.id, chain.next_index);
      if (!taken) throw new Error("another process took the next seed of the chain");
      const fresh = {
        id: mintId("round", this.#clock.now(), this.#options.entropy.bytes(16)),
        chain_id: chain.id,
        chain_index: chain.next_index,
        seed_hash: seedHash(seed),
        crash_at: crashHundredths(seed, chain.salt, chain.form),
        form: chain.form,
      };
      return insertFlight(client, fresh, startsAt);
    });
    await this.#announce(flight);
    return flight;
  }

  /**
   * Takes off at its time, or later by as much as a slow database took to write the last take-off
   * down, so that everybody hears of this one in time.
   * @returns the flight from when it flies, and the targets that it will reach, the lowest first
   * @throws Error if it could only be announced too late: it flies for nobody, and must be voided
   */
  async takeOff(
    waiting: FlightRow,
  ): Promise<{ readonly flight: FlightRow; readonly targets: readonly number[] }> {
    const at = this.#clock.now();
    const startsAt = Math.max(waiting.starts_at.getTime(), at + this.#takeOffMs);
    const flies = await setFlying(this.#pool, waiting, startsAt);
    if (!flies) throw new Error(`flight ${waiting.id} is not waiting any more`);
    const flight: FlightRow = { ...waiting, phase: "flying", starts_at: new Date(startsAt) };
    const picture = await this.#picture(flight);
    // Before it is written down that it flies: from then on others show it when they look.
    this.#heedLateness(flight, at);
    const told = await setTold(this.#pool, flight);
    if (!told) throw new Error(`flight ${flight.id} is not flying any more`);
    this.#heedLateness(flight, at);
    // Only now: a player who hears of it may ask at once, at any process, and is judged.
    this.#options.view.phase(...picture);
    const targets = new Set<number>();
    for (const { auto_cash_out: target } of await betsOfRound(this.#pool, flight.id)) {
      if (target !== null && target <= flight.crash_at) targets.add(target);
    }
    return { flight, targets: [...targets].sort((a, b) => a - b) };
  }

  /**
   * Records how long its take-off has taken so far, for the next one.
   * @param at when it began
   * @throws Error if an announcement now would be too late
   */
  #heedLateness(flight: FlightRow, at: Instant): void {
    const now = this.#clock.now();
    this.#takeOffMs = Math.min(Math.max(now - at, 0), LEAD_MAX_MS);
    const lateMs = now - flight.starts_at.getTime();
    if (lateMs > LATE_MS) throw new Error(`flight ${flight.id} would be told of ${lateMs} ms late`);
  }

  /**
   * Pays all bets with this target together, and those who are owed a lower one. A busy wallet
   * delays nobody: its win is owed.
   */
  async payReached(flight: FlightRow, target: number): Promise<void> {
    const bets = await reachedBets(this.#pool, flight.id, target);
    await this.bets.settleThese(bets, this.#endIn({ ...flight, phase: "flying" }));
  }

  /**
   * Announces that the string has snapped, unless a process had to tell a late rider first;
   * `settle` comes after.
   * @throws Error if it was voided, or nobody could cash out on it (`setPhase`)
   */
  async crash(flight: FlightRow): Promise<FlightRow> {
    const ended = await this.bringDown(flight, "crashed");
    if (ended.phase !== "crashed") throw new Error(`flight ${flight.id} is not flying any more`);
    return ended;
  }

  /**
   * Ends every bet of a flight that is over: one that reached its target is paid, and the rest is
   * lost with a crash and given back with a void. `settleEnded` pays what is then still owed.
   */
  async settle(flight: FlightRow): Promise<void> {
    const lost = flight.phase === "crashed" ? lostBets(flight) : null;
    await this.bets.settle(flight.id, () => this.#endIn(flight), lost);
  }

  /** What is left of flights that are over, because a process died or a wallet was busy. */
  async settleEnded(): Promise<void> {
    await this.bets.settleOwing<FlightRow>(OVER_FLIGHTS, (flight) => this.settle(flight));
  }

  /**
   * A flight that was in the air when its process died comes down: cash-outs that players requested,
   * or that the keeper did at their targets, are paid, and all other stakes go back. One that only
   * waited waits again, with its bets.
   * @param goesOn whether the caller still keeps the flights; if the flights were read late, one of
   *   them may be another keeper's
   * @returns whether a flight came down
   */
  async voidInterrupted(goesOn: () => Promise<boolean>): Promise<boolean> {
    let voided = false;
    for (const flight of await unfinishedFlights(this.#pool)) {
      if (flight.phase === "waiting") continue;
      if (!(await goesOn())) break;
      // First, so that a keeper that wakes and crashes it does so before any refund or never.
      const ended = await this.#end(flight, "voided");
      // A keeper that was asleep while another took over finds its flight changed and gives up.
      if (ended === null) throw new Error(`flight ${flight.id} is not flying any more`);
      await this.settle(ended);
      await this.#announce(ended);
      voided = true;
    }
    return voided;
  }

  /** Pays a bet at a multiplier, and shows that to everybody. */
  async payOut(bet: BetRow, hundredths: number): Promise<void> {
    const payoutMinor = cashOutMinor(bet.stake_minor, hundredths);
    const paid = await this.bets.pay(bet, { payoutMinor, columns: { cashed_out_at: hundredths } });
    if (!paid.ok || paid.value.repeated) return;
    const payout = toWire(money(payoutMinor, accountOfWager(bet).currency));
    const cashed = { betId: shownAs(bet), at: hundredths, payout };
    this.#options.view.cashed(bet.round_id, bet.merchant_id, cashed);
  }

  #endIn(flight: FlightRow): (bet: BetRow) => WagerEnd {
    return (bet) => {
      const target = owedTo(bet, flight);
      if (target !== null) return () => this.payOut(bet, target);
      // A bet that rode to the crash and is still open was being paid when the others were lost.
      return flight.phase === "voided" ? "refunded" : null;
    };
  }

  /** Null if it no longer flies. */
  async #end(flight: FlightRow, to: "crashed" | "voided"): Promise<FlightRow | null> {
    const at = this.#clock.now();
    const ended = await setPhase(this.#pool, flight, { from: "flying", to, at });
    return ended ? { ...flight, phase: to, ended_at: new Date(at) } : null;
  }

  /**
   * A flight that is past its end, once that may be told: a process whose clock is behind still pays
   * bets on it. The end is written down first, since a flight whose end was told is never given back.
   */
  async ended(flight: FlightRow): Promise<FlightRow> {
    if (flight.phase !== "flying") {
      await this.lookOn(flight.id);
      return flight;
    }
    const endsAt = flight.starts_at.getTime() + flightEndsAtMs(flight.crash_at);
    await untilToldAt(endsAt + CLOCKS_APART_MS, this.#clock, this.#options.pause);
    // A crowd is late at once: one writes for all of this process.
    return this.#ends(flight.id, () =>
      this.bringDown(flight, isSettled(this.#clock) ? "crashed" : "voided"),
    );
  }

  /** The process that ended a flight may have died, or been cut off, before it announced that. */
  async lookOn(roundId: string): Promise<void> {
    await this.#ends(`seen ${roundId}`, () => this.watch());
  }

  /**
   * Ends a flight in the air, whichever process keeps it; its keeper finds it ended.
   * @returns the flight in its present state, as others may have ended it
   */
  async bringDown(flight: FlightRow, to: "crashed" | "voided"): Promise<FlightRow> {
    const ended = await this.#end(flight, to);
    if (ended === null) {
      await this.lookOn(flight.id);
      return present(await findFlight(this.#pool, flight.id), "the flight");
    }
    await this.#announce(ended);
    // Many at once; the rest of it is done with the next flight. A crash's keeper settles it once
    // those are paid whose wish was received in time.
    if (to === "voided") void this.settle(ended).catch(() => undefined);
    return ended;
  }

  /** Shows this process's players another process's flight, if its bus brought no message of it. */
  async watch(): Promise<void> {
    const flight = await latestFlight(this.#pool);
    // A flight that its keeper has not announced may be announced too late, and then it never flew.
    if (flight === null || (flight.phase === "flying" && !flight.told)) return;
    const lacking = this.#options.view.lacks({
      number: Number(flight.number),
      phase: flight.phase,
      startsAt: flight.starts_at.getTime(),
      bets: `${flight.bets} ${flight.paid}`,
    });
    if (lacking) this.#options.view.read(...(await this.#picture(flight)));
  }

  async #announce(flight: FlightRow): Promise<void> {
    this.#options.view.phase(...(await this.#picture(flight)));
  }

  async #picture(flight: FlightRow): Promise<[NumberedFlight, BrandBets]> {
    const [merchants, bets, crashes, chain] = await Promise.all([
      this.#options.brands(),
      betsOfRound(this.#pool, flight.id),
      recentCrashes(this.#pool, HISTORY),
      this.chains.shown(flight.chain_id),
    ]);
    const shown: NumberedFlight["flight"] = {
      roundId: flight.id,
      phase: flight.phase,
      seedHash: flight.seed_hash,
      chain,
      chainIndex: flight.chain_index,
      now: this.#clock.now(),
      startsAt: flight.starts_at.getTime(),
      crashedAt: flight.phase === "crashed" ? flight.crash_at : null,
      history: crashes.map((crash) => ({ roundId: crash.id, crashedAt: crash.crash_at })),
    };
    const ofBrand = (id: string) => bets.filter((bet) => bet.merchant_id === id).map(liveBet);
    const brands = Object.fromEntries(merchants.map(({ id }) => [id, ofBrand(id)]));
    return [{ number: Number(flight.number), flight: shown }, brands];
  }
}
