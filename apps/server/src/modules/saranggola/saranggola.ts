import { createHash } from "node:crypto";
import { HOUSE_VENDOR } from "@perya/contract/launch-terms";
import { fieldRefusal, limitRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import type { KiteChain } from "@perya/contract/rounds";
import type { LiveBet, SaranggolaState } from "@perya/contract/socket";
import { seedHash } from "@perya/games/fairness";
import {
  CHAIN_FORM,
  cashOutMinor,
  commitmentText,
  crashHundredths,
  flightEndsAtMs,
  MAX_CRASH_HUNDREDTHS,
  MIN_CASH_OUT_HUNDREDTHS,
  multiplierAt,
  SARANGGOLA_STAKE,
  seedChain,
} from "@perya/games/saranggola";
import { wholeSteps } from "@perya/games/stake";
import { assert, present } from "@perya/kernel/assert";
import { type Id, mintId } from "@perya/kernel/ids";
import { CLOCKS_APART_MS, type Clock, type Instant, SECOND_MS } from "@perya/kernel/instant";
import {
  divideRounded,
  type Money,
  money,
  scaleMinor,
  timesMinor,
  toWire,
} from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { isSettled, type Pause, untilAllSettledMs, untilToldAt } from "../../platform/clock.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import { createSharedReads, type SharedReads } from "../../platform/shared-reads.ts";
import type { SigningKey } from "../../platform/signing-key.ts";
import type { Merchant, Session } from "../identity/identity.ts";
import { accountOf, unlessMissed } from "../ledger/ledger.ts";
import {
  accountOfWager,
  hasStake,
  type PlayRefusal,
  Settlement,
  stakeFault,
  type WagerGame,
  Wagers,
} from "../rounds/rounds.ts";
import { maskName, type VendorWallet } from "../vendors/vendors.ts";
import type { BrandBets, KiteView, NumberedFlight } from "./kite-view.ts";
import {
  askOnce,
  BET_TABLE,
  type BetRow,
  betsOfRound,
  type ChainRow,
  commitChain,
  committedChains,
  currentChain,
  type FlightRow,
  findChain,
  findFlight,
  insertBet,
  insertChain,
  insertFlight,
  latestFlight,
  loseBets,
  reachedBets,
  recentCrashes,
  setFlying,
  setPhase,
  setStart,
  setTold,
  takeSeed,
  unfinishedFlights,
  unsettledFlights,
} from "./saranggola.store.ts";

export { isFlight, kiteBook, retireChains } from "./saranggola.store.ts";

export const WAITING_MS = 6 * SECOND_MS;
/** How long a crash, or a void, stays on the screen before the next kite waits. */
export const CRASHED_MS = 3 * SECOND_MS;
/** If it is announced later, a kite may be down before a rider could ask for anything. */
const LATE_MS = SECOND_MS;
/** The longest delay of a take-off so that everybody hears of it in time. */
const LEAD_MAX_MS = 3 * SECOND_MS;
/** Cash-outs that were received in time may still be on their way into the ledger. */
export const SETTLE_GRACE_MS = SECOND_MS;
/**
 * A cash-out that is written down longer than this after it was received counts when it is written
 * down. Otherwise a rider could send one cash-out to a slow process and, d seconds later, another to a
 * fast one. Whichever of them is in time pays, so together they return 0.99 × (2 - e^(-0.06 d)) of
 * the stake: more than the stake from d = 0.17 s on. This and `CLOCKS_APART_MS` are 0.15 s and 99.9%.
 */
export const WRITTEN_WITHIN_MS = 100;
const CHAIN_LENGTH = 20_000;
const CHAINS_KEPT = 8;
const CHAINS_SHOWN = 20;
const HISTORY = 20;
const MY_BETS = 20;

interface GivenBet {
  readonly id: string;
  readonly roundId: string;
  readonly stake: Money;
  readonly autoCashOut: number | null;
}

export interface StoredBet {
  readonly id: string;
  readonly shownAs: string;
  readonly roundId: string;
  readonly stake: Money;
  readonly autoCashOut: number | null;
  readonly cashedOutAt: number | null;
  readonly payout: Money;
  readonly state: "placed" | "cashed" | "lost" | "voided";
}

interface ChainSeeds {
  /** The parts of it that never change. */
  readonly chain: Pick<ChainRow, "id" | "salt" | "form">;
  readonly seeds: readonly string[];
}

export interface SaranggolaOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly wallet: VendorWallet;
  readonly view: KiteView;
  /** Signs what is published of a chain. */
  readonly signing: SigningKey;
  readonly playRefusal: PlayRefusal;
  /** Resolves once no seed in use was seen in a history that the database has left. */
  readonly sure: () => Promise<void>;
  /** All brands: each is shown the kite with its own players' bets. */
  readonly brands: () => Promise<readonly Merchant[]>;
  /** Delays an answer that would tell of a crash before its keeper does. */
  readonly pause?: Pause;
}

/**
 * The shared kite: one flight at a time for all players of the installation. Any process takes bets
 * and cash-outs; the one that holds the lease flies the kite (see kite-keeper.ts). The crashes of a
 * chain are fixed by its end, its salt and its length, which are signed and shown before the first
 * bet on it.
 */
export class Saranggola {
  readonly #options: SaranggolaOptions;
  readonly #pool: pg.Pool;
  readonly #bets: Wagers<BetRow>;
  readonly #clock: Clock;
  readonly #chains = new LRUCache<string, ChainSeeds>({ max: CHAINS_KEPT });
  /** Bets that are being settled here just now, which are not sent a second time meanwhile. */
  readonly #settling = new Set<string>();
  /** What late riders of one flight share: its end, which is final, and one read of it. */
  readonly #ends: SharedReads;
  /** How long it took to write down and announce the last take-off. */
  #takeOffMs = 0;

  constructor(options: SaranggolaOptions) {
    this.#options = options;
    this.#pool = options.pool;
    this.#bets = new Wagers(BET_GAME, options);
    this.#clock = options.clock;
    this.#ends = createSharedReads(options.clock, SECOND_MS);
  }

  /** Takes a bet while the kite waits; the same id again answers the same bet. */
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
    if (existing !== null) return storedAnswer(existing);
    const { maxMinor: mostMinor, maxPayoutMinor } = merchant.settings.stakes;
    const taken = { currency: session.currency, rule: SARANGGOLA_STAKE, mostMinor };
    const fault = stakeFault(given.stake, taken);
    if (fault !== null) return refuse(fault);
    const target = targetWithin(maxPayoutMinor, given);
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
      await this.#lookOn(bet.round_id);
      return refuse(refusal("round_over"));
    }
    const found = present(await findFlight(this.#pool, bet.round_id), "the flight of a bet");
    // The clock is not settled, so no process can judge this wish; a voided flight gives it back.
    const unjudged = !settled && found.phase === "flying" && found.told;
    const flight = unjudged ? await this.#bringDown(found, "voided") : found;
    const elapsed = received - flight.starts_at.getTime();
    const endsAt = flight.starts_at.getTime() + flightEndsAtMs(flight.crash_at);
    const flies = flight.phase === "crashed" || (flight.phase === "flying" && flight.told);
    const ended = flies && received >= endsAt;
    // A crash is told after every clock has passed it; a clock that is before it was set back.
    const known = flight.phase === "crashed" && (!settled || this.#clock.now() < endsAt);
    if (flight.phase === "voided" || ended || known) {
      // What was requested in time or reached its target is paid, though its wallet was busy then.
      const owed = owedTo(bet, await this.#ended(flight));
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
    if (!answer.ok) await this.#ended(flight);
    return answer;
  }

  /**
   * A flight that is past its end, once that may be told: a process whose clock is behind still pays
   * bets on it. The end is written down first, since a flight whose end was told is never given back.
   */
  async #ended(flight: FlightRow): Promise<FlightRow> {
    if (flight.phase !== "flying") {
      await this.#lookOn(flight.id);
      return flight;
    }
    const endsAt = flight.starts_at.getTime() + flightEndsAtMs(flight.crash_at);
    await untilToldAt(endsAt + CLOCKS_APART_MS, this.#clock, this.#options.pause);
    // A crowd is late at once: one writes for all of this process.
    return this.#ends(flight.id, () =>
      this.#bringDown(flight, isSettled(this.#clock) ? "crashed" : "voided"),
    );
  }

  /** The process that ended a flight may have died, or been cut off, before it announced that. */
  async #lookOn(roundId: string): Promise<void> {
    await this.#ends(`seen ${roundId}`, () => this.watch());
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

  /** A flight that is over, with its seed; null while it could still be bet on. */
  async finished(roundId: string) {
    const flight = await findFlight(this.#pool, roundId);
    if (flight === null || (flight.phase !== "crashed" && flight.phase !== "voided")) return null;
    const { chain, seeds } = await this.#seedsOf(flight.chain_id);
    return {
      id: flight.id,
      seedHash: flight.seed_hash,
      seed: present(seeds[flight.chain_index], "the seed of a flight"),
      // The published salt proves later ones; a page of an earlier version asks for it here.
      salt: chain.form === 1 ? chain.salt : null,
      chainId: chain.id,
      chainIndex: flight.chain_index,
      crashedAt: flight.crash_at,
      startedAt: flight.starts_at.getTime(),
    };
  }

  async chains(): Promise<KiteChain[]> {
    const chains = await committedChains(this.#pool, CHAINS_SHOWN);
    return chains.flatMap((chain) => shownChain(chain) ?? []);
  }

  /** Pays a bet out at a multiplier; a bet that was settled meanwhile is answered as it is. */
  async pay(bet: BetRow, hundredths: number): Promise<Result<StoredBet, Refusal>> {
    await unlessMissed(() => this.#payOut(bet, hundredths));
    return this.#answerOf(bet);
  }

  /**
   * Ends a flight in the air, whichever process keeps it; its keeper finds it ended.
   * @returns the flight in its present state, as others may have ended it
   */
  async #bringDown(flight: FlightRow, to: "crashed" | "voided"): Promise<FlightRow> {
    const ended = await this.#end(flight, to);
    if (ended === null) {
      await this.#lookOn(flight.id);
      return present(await findFlight(this.#pool, flight.id), "the flight");
    }
    await this.#announce(ended, to);
    // Many at once; the rest of it is done with the next flight. A crash's keeper settles it once
    // those are paid whose wish was received in time.
    if (to === "voided") void this.settle(ended).catch(() => undefined);
    return ended;
  }

  async #answerOf(bet: BetRow): Promise<Result<StoredBet, Refusal>> {
    const found = await this.#bets.find(accountOfWager(bet), bet.id);
    const now = present(found, "the bet that was paid");
    return now.state === "cashed" ? ok(storedBet(now)) : refuse(refusal("round_over"));
  }

  async #payOut(bet: BetRow, hundredths: number): Promise<void> {
    const payoutMinor = cashOutMinor(bet.stake_minor, hundredths);
    const paid = await this.#bets.pay(bet, { payoutMinor, columns: { cashed_out_at: hundredths } });
    if (paid.ok && !paid.value.repeated) {
      const payout = toWire(money(payoutMinor, accountOfWager(bet).currency));
      const cashed = { betId: shownAs(bet), at: hundredths, payout };
      this.#options.view.cashed(bet.round_id, bet.merchant_id, cashed);
    }
  }

  // What follows is for the keeper, in the one process that flies the kite.

  async prepare(): Promise<FlightRow> {
    // None flies while a process may judge it by another clock, or refuses to judge.
    const startsAt = this.#clock.now() + Math.max(WAITING_MS, untilAllSettledMs(this.#clock));
    const [left, ...others] = await unfinishedFlights(this.#pool);
    assert(others.length === 0, "one kite at a time");
    // After each read: data from a history that was left is void by then.
    await this.#options.sure();
    if (left !== undefined) {
      const moved = await setStart(this.#pool, left, startsAt);
      if (!moved) throw new Error(`another process has let flight ${left.id} wait anew`);
      const flight = { ...left, starts_at: new Date(startsAt) };
      await this.#announce(flight, "waiting");
      return flight;
    }
    const chain = await this.#playableChain();
    await this.#options.sure();
    const { seeds } = await this.#seedsOf(chain.id);
    // Before its flight can be bet on.
    if (chain.committed === null) await this.#commit(chain, seeds);
    const seed = present(seeds[chain.next_index], "the next seed of the chain");
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
    await this.#announce(flight, "waiting");
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
    const { numbered, brands } = await this.#picture(flight, "flying");
    // Before it is written down that it flies: from then on others show it when they look.
    this.#heedLateness(flight, at);
    const told = await setTold(this.#pool, flight);
    if (!told) throw new Error(`flight ${flight.id} is not flying any more`);
    this.#heedLateness(flight, at);
    // Only now: a player who hears of it may ask at once, at any process, and is judged.
    this.#options.view.phase(numbered, brands);
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
    const settlement = new Settlement();
    await this.#add(settlement, { ...flight, phase: "flying" }, bets);
    await settlement.end();
  }

  /**
   * Announces that the string has snapped, unless a process had to tell a late rider first;
   * `settle` comes after.
   * @throws Error if it was voided, or nobody could cash out on it (`setPhase`)
   */
  async crash(flight: FlightRow): Promise<FlightRow> {
    const ended = await this.#bringDown(flight, "crashed");
    if (ended.phase !== "crashed") throw new Error(`flight ${flight.id} is not flying any more`);
    return ended;
  }

  /**
   * Ends every bet of a flight that is over: one that reached its target is paid, and the rest is
   * lost with a crash and given back with a void. `settleEnded` pays what is then still owed.
   */
  async settle(flight: FlightRow): Promise<void> {
    const settlement = new Settlement();
    if (flight.phase === "crashed") {
      await settlement.inTurn(() => loseBets(this.#pool, flight, this.#clock.now()));
    }
    try {
      for await (const bets of this.#bets.placed(flight.id)) {
        await this.#add(settlement, flight, bets);
      }
    } finally {
      await settlement.end();
    }
  }

  /** What is left of flights that are over, because a process died or a wallet was busy. */
  async settleEnded(): Promise<void> {
    const flights = await unsettledFlights(this.#pool);
    const ended = await Promise.allSettled(flights.map((flight) => this.settle(flight)));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }

  /**
   * A kite that was in the air when its process died comes down: cash-outs that players requested,
   * or that the keeper did at their targets, are paid, and all other stakes go back. One that only
   * waited waits again, with its bets.
   * @param goesOn whether the caller still keeps the kite; if the flights were read late, one of
   *   them may be another keeper's
   * @returns whether a kite came down
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
      await this.#announce(ended, "voided");
      voided = true;
    }
    return voided;
  }

  async #add(settlement: Settlement, flight: FlightRow, bets: readonly BetRow[]): Promise<void> {
    for (const bet of bets) {
      const key = `${bet.account_id} ${bet.id}`;
      const target = owedTo(bet, flight);
      // A bet that rode to the crash and is still open was being paid when the others were lost.
      const stays = target === null && flight.phase !== "voided";
      if (stays || this.#settling.has(key)) continue;
      this.#settling.add(key);
      const settle = () => (target === null ? this.#bets.refund(bet) : this.#payOut(bet, target));
      await settlement.add(() => settle().finally(() => this.#settling.delete(key)));
    }
  }

  /** Null if it no longer flies. */
  async #end(flight: FlightRow, to: "crashed" | "voided"): Promise<FlightRow | null> {
    const at = this.#clock.now();
    const ended = await setPhase(this.#pool, flight, { from: "flying", to, at });
    return ended ? { ...flight, phase: to, ended_at: new Date(at) } : null;
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
      this.#options.view.placed(given.roundId, merchant.id, {
        betId: shownAs(placed.value.bet),
        account: maskedAccount,
        stake: toWire(given.stake),
        cashedOutAt: null,
        payout: null,
      });
    }
    return ok(storedBet(placed.value.bet));
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
    if (!lacking) return;
    const { numbered, brands } = await this.#picture(flight, flight.phase);
    this.#options.view.read(numbered, brands);
  }

  async #announce(flight: FlightRow, phase: SaranggolaState["phase"]): Promise<void> {
    const { numbered, brands } = await this.#picture(flight, phase);
    this.#options.view.phase(numbered, brands);
  }

  async #picture(
    flight: FlightRow,
    phase: SaranggolaState["phase"],
  ): Promise<{ numbered: NumberedFlight; brands: BrandBets }> {
    const [merchants, bets, crashes, chain] = await Promise.all([
      this.#options.brands(),
      betsOfRound(this.#pool, flight.id),
      recentCrashes(this.#pool, HISTORY),
      findChain(this.#pool, flight.chain_id),
    ]);
    const shown: NumberedFlight["flight"] = {
      roundId: flight.id,
      phase,
      seedHash: flight.seed_hash,
      chain: chain === null ? null : shownChain(chain),
      chainIndex: flight.chain_index,
      now: this.#clock.now(),
      startsAt: flight.starts_at.getTime(),
      crashedAt: phase === "crashed" ? flight.crash_at : null,
      history: crashes.map((crash) => ({ roundId: crash.id, crashedAt: crash.crash_at })),
    };
    const ofBrand = (id: string) => bets.filter((bet) => bet.merchant_id === id).map(liveBet);
    const numbered = { number: Number(flight.number), flight: shown };
    return { numbered, brands: Object.fromEntries(merchants.map(({ id }) => [id, ofBrand(id)])) };
  }

  /** Read anew for every flight: a seed that another process has flown is known to everyone. */
  async #playableChain(): Promise<ChainRow> {
    const found = await currentChain(this.#pool);
    if (found !== null) return found;
    const now = this.#clock.now();
    const id = mintId("seed", now, this.#options.entropy.bytes(16));
    const lastSeed = Buffer.from(this.#options.entropy.bytes(32)).toString("hex");
    const salt = Buffer.from(this.#options.entropy.bytes(16)).toString("hex");
    const chain = { id, last_seed: lastSeed, salt, length: CHAIN_LENGTH, form: CHAIN_FORM };
    await insertChain(this.#pool, chain, now);
    return { ...chain, next_index: 0, committed: null };
  }

  /** Publishes what fixes the flights of a chain from its next one on. */
  async #commit(chain: ChainRow, seeds: readonly string[]): Promise<void> {
    const firstIndex = chain.next_index;
    const firstHash = seedHash(present(seeds[firstIndex], "the next seed of the chain"));
    const committedAt = this.#clock.now();
    const { id, salt, form, length } = chain;
    const { publicKey, sign } = this.#options.signing;
    const fixed = { firstIndex, firstHash, committedAt };
    const signature = sign(commitmentText({ chainId: id, form, salt, length, ...fixed }));
    await commitChain(this.#pool, id, { ...fixed, publicKey, signature });
  }

  /**
   * Twenty thousand hashes per chain, so they are made once and kept; by Node's own SHA-256, which
   * blocks everybody else for a tenth of the time that the games' own would.
   */
  async #seedsOf(chainId: string): Promise<ChainSeeds> {
    const known = this.#chains.get(chainId);
    if (known !== undefined) return known;
    const chain = present(await findChain(this.#pool, chainId), "a flight's chain");
    const made = { chain, seeds: seedChain(chain.last_seed, chain.length, sha256) };
    this.#chains.set(chainId, made);
    return made;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What everybody may know of a chain; null if nothing was published of it. */
function shownChain({ id, salt, form, length, committed }: ChainRow): KiteChain | null {
  return committed === null ? null : { chainId: id, salt, form, length, ...committed };
}

const BET_GAME: WagerGame<BetRow> = {
  ...BET_TABLE,
  vendorOf: () => HOUSE_VENDOR,
  paid: { state: "cashed", word: "win" },
  refunded: { state: "voided", isPayout: false },
};

/** Why the bet that exists on this flight differs from this one; null if it does not. */
function differenceFrom(existing: BetRow, given: GivenBet): Refusal | null {
  if (existing.id !== given.id) return refusal("already_bet");
  // A bet without a target may have got the highest that the brand pays.
  const isSameTarget = given.autoCashOut === null || existing.auto_cash_out === given.autoCashOut;
  return hasStake(existing, given.stake) && isSameTarget ? null : refusal("id_reused");
}

function storedAnswer(bet: Result<BetRow, Refusal>): Result<StoredBet, Refusal> {
  return bet.ok ? ok(storedBet(bet.value)) : bet;
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

/**
 * What a bet is paid at, in hundredths: where its cash-out was first requested, in time, or else
 * the target that its flight reached; null if it named none or was not taken so far. Nobody knows
 * for certain how far a voided flight came: it takes a bet no further than was requested.
 */
function owedTo(bet: BetRow, flight: FlightRow): number | null {
  if (bet.asked_hundredths !== null) return bet.asked_hundredths;
  const target = bet.auto_cash_out;
  if (target === null || target > flight.crash_at) return null;
  return flight.phase === "voided" ? null : target;
}

function storedBet(bet: BetRow): StoredBet {
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

/**
 * The id under which everybody sees a bet. Its own is unique only with its account, so a player who
 * read that could bet under it and be shown in its place. An account has one bet per flight.
 */
function shownAs({ round_id, account_id }: BetRow): Id<"bet"> {
  return mintId("bet", 0, createHash("sha256").update(`${round_id} ${account_id}`).digest());
}

function liveBet(bet: BetRow): LiveBet {
  const { shownAs: betId, stake, payout, cashedOutAt } = storedBet(bet);
  return {
    betId,
    account: bet.masked_account,
    stake: toWire(stake),
    cashedOutAt,
    payout: bet.state === "voided" ? toWire(stake) : cashedOutAt === null ? null : toWire(payout),
  };
}
