import { createHmac } from "node:crypto";
import { VENDOR_PAGE } from "@perya/contract/launch-terms";
import { present } from "@perya/kernel/assert";
import { SECOND_MS } from "@perya/kernel/instant";
import { currencyOf, type Money, type MoneyWire, money, timesMinor } from "@perya/kernel/money";
import { type ConnectionTerms, signAsVendor } from "../modules/vendors/vendors.ts";
import { hashOfToken, mintToken } from "../platform/bearer-token.ts";
import { SIGNATURE_HEADER } from "../platform/http/signature.ts";
import { addJob } from "../platform/jobs.ts";
import { withTransaction } from "../platform/postgres/pool.ts";
import type { ModuleParts } from "../platform/server-module.ts";
import {
  findRound,
  findTable,
  insertRound,
  insertTable,
  latestRounds,
  moveRound,
  type RoundRow,
  readVendorGames,
  type SimulatedGame,
  type TableRow,
} from "./simulator.store.ts";
import { drawSlot, payoutOf } from "./wheel.ts";

export const END_ROUND = "simulator_end_round";

/** A round that is still betting after this was left behind by its process. */
const LEFT_BEHIND_MS = 20 * SECOND_MS;
const ANSWER_TIMEOUT_MS = 5 * SECOND_MS;
/** How often a call is sent before the round is left to the job. */
const TRIES = 3;
const HISTORY = 8;
/** Stakes on offer, in smallest stakes of the game. */
const STAKES = [1n, 2n, 5n, 10n, 20n, 50n] as const;

export interface VendorSimulatorOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly secret: string;
  /** The brand whose catalogue says which games each simulated vendor has. */
  readonly merchantId: string;
  readonly vendors: readonly string[];
  /** Where the operator's wallet calls are: our own server, from the inside. */
  readonly callBase: () => string;
  /** Another origin of this server's vendor pages; null: the players'. */
  readonly pageOrigin?: string | null;
  readonly send?: typeof fetch;
}

export interface Seat {
  readonly language: string;
  /** The game that is played; null in the lobby. */
  readonly game: SimulatedGame | null;
  /** The vendor's games, if the lobby was opened. */
  readonly games: readonly SimulatedGame[];
  readonly stakes: readonly Money[];
  readonly balance: Money;
  readonly rounds: readonly ShownRound[];
}

export interface ShownRound {
  readonly id: string;
  readonly slot: number;
  readonly stake: Money;
  readonly payout: Money;
  readonly state: RoundRow["state"];
  readonly refusal: string | null;
}

export interface Spin {
  readonly roundId: string;
  readonly gameId: string;
  readonly stakeMinor: bigint;
}

/**
 * Replaces outside vendors: its own books and pages, and no way to a player's money but the signed
 * wallet calls over HTTP. A round is drawn before its bet is sent. Calls that are not answered are
 * sent again. A bet whose answer never came is rolled back, and so is one that was refused after a
 * call of it was not answered. A win is sent until it is taken, by a job that was added with the
 * round.
 */
export class VendorSimulator {
  readonly #options: VendorSimulatorOptions;
  readonly #send: typeof fetch;

  constructor(options: VendorSimulatorOptions) {
    this.#options = options;
    this.#send = options.send ?? fetch;
  }

  connections(): ConnectionTerms[] {
    const { vendors, pageOrigin } = this.#options;
    return vendors.map((vendor) => ({
      ...{ vendor, protocol: "perya", secret: this.#secretOf(vendor) },
      launchUrl: `${pageOrigin ?? ""}/sandbox/vendor/${vendor}/play`,
    }));
  }

  /**
   * Opens a launch, once.
   * @returns the key of the seat, which the page sends with each request; null for an unknown or
   *   used token
   */
  async open(vendor: string, token: string): Promise<string | null> {
    const { pool, clock, entropy, merchantId, vendors } = this.#options;
    if (!vendors.includes(vendor)) return null;
    const opened = await this.#call(vendor, "plays", { token });
    if (!opened.ok) return null;
    const { play, gameId, currency, language } = opened.value;
    const games = await readVendorGames(pool, merchantId, vendor);
    const lobby = games.some((game) => game.game_id === gameId && game.is_game_h5 === VENDOR_PAGE);
    const { token: key, hash } = mintToken(entropy);
    const table = {
      ...{ vendor, play: String(play), game_id: String(gameId), lobby },
      ...{ currency: String(currency), language: String(language) },
    };
    await insertTable(pool, hash, table, clock.now());
    return key;
  }

  /** @param gameId one of the vendor's, else the one that was launched; null shows the lobby */
  async seat(key: string, gameId: string | null): Promise<Seat | null> {
    const { pool, merchantId } = this.#options;
    const table = await findTable(pool, hashOfToken(key));
    if (table === null) return null;
    const [games, rounds, balance] = await Promise.all([
      readVendorGames(pool, merchantId, table.vendor),
      latestRounds(pool, table, HISTORY),
      this.#balance(table),
    ]);
    const wanted = table.lobby ? gameId : table.game_id;
    const game = games.find((one) => one.game_id === wanted) ?? null;
    const currency = currencyOf(table.currency);
    return {
      language: table.language,
      game,
      games: table.lobby ? games : [],
      stakes: game === null ? [] : stakesOf(game).map((minor) => money(minor, currency)),
      balance,
      rounds: rounds.map(shown),
    };
  }

  /**
   * Plays a round to its end; the same id again answers the stored round. Only the call that stored
   * the round sends its bet: no other knows whether a call of it is still unanswered.
   */
  async spin(key: string, spin: Spin): Promise<ShownRound | null> {
    const { pool, clock, entropy, merchantId } = this.#options;
    const table = await findTable(pool, hashOfToken(key));
    if (table === null) return null;
    const games = await readVendorGames(pool, merchantId, table.vendor);
    const game = games.find((one) => one.game_id === spin.gameId);
    if (game === undefined || !(table.lobby || game.game_id === table.game_id)) return null;
    if (!stakesOf(game).includes(spin.stakeMinor)) return null;
    const slot = drawSlot(entropy);
    const round: RoundRow = {
      ...{ vendor: table.vendor, play: table.play, id: spin.roundId, game_id: spin.gameId },
      ...{ currency: table.currency, stake_minor: spin.stakeMinor, slot },
      payout_minor: payoutOf(slot, spin.stakeMinor),
      ...{ state: "betting" as const, refusal: null },
    };
    const isNew = await withTransaction(pool, async (client) => {
      if (!(await insertRound(client, round, clock.now()))) return false;
      const { vendor, play, id } = round;
      const name = `${END_ROUND}:${vendor}:${play}:${id}`;
      const payload = { vendor, play, id };
      const due = { runAt: null, afterMs: LEFT_BEHIND_MS };
      await addJob(client, { task: END_ROUND, payload, key: name, ...due });
      return true;
    });
    if (isNew) await this.#bet(round);
    const after = present(await findRound(pool, round), "the round that was written");
    await this.#settle(after).catch((error: unknown) => {
      // The job goes on with it.
      if (!(error instanceof Unanswered)) throw error;
    });
    return shown(present(await findRound(pool, round), "the round that was played"));
  }

  /** The END_ROUND task: thrown errors make it run again, later and later. */
  async end(payload: unknown): Promise<void> {
    const round = await findRound(this.#options.pool, keyOf(payload));
    if (round === null) return;
    if (round.state === "betting") {
      // It is unknown whether the bet was taken: it is given back, or kept from being taken.
      await moveRound(this.#options.pool, round, "betting", "cancelling");
    }
    const existing = await findRound(this.#options.pool, round);
    if (existing !== null) await this.#settle(existing);
  }

  async #bet(round: RoundRow): Promise<void> {
    const { pool } = this.#options;
    const wins = round.payout_minor > 0n;
    try {
      const taken = await this.#call(round.vendor, "bet", {
        ...transactionOf(round, "bet"),
        gameId: round.game_id,
        amount: wire(round.stake_minor, round.currency),
        closesRound: !wins,
      });
      if (taken.ok) await moveRound(pool, round, "betting", wins ? "paying" : "done");
      // An unanswered call may still be taken, for whatever reason its repeat was refused.
      else if (taken.isInDoubt) await moveRound(pool, round, "betting", "cancelling");
      else await moveRound(pool, round, "betting", "refused", taken.code);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      await moveRound(pool, round, "betting", "cancelling");
    }
  }

  /** @throws Unanswered if the operator could not be reached */
  async #settle(round: RoundRow): Promise<void> {
    const { pool } = this.#options;
    const betTransactionId = transactionOf(round, "bet").transactionId;
    if (round.state === "paying") {
      const paid = await this.#call(round.vendor, "win", {
        ...transactionOf(round, "win"),
        betTransactionId,
        amount: wire(round.payout_minor, round.currency),
        closesRound: true,
      });
      if (!paid.ok) throw new Error(`a win was refused: ${paid.code}`);
      await moveRound(pool, round, "paying", "done");
    }
    if (round.state === "cancelling") {
      const back = await this.#call(round.vendor, "rollback", {
        ...transactionOf(round, "rollback"),
        betTransactionId,
        amount: wire(round.stake_minor, round.currency),
      });
      if (!back.ok) throw new Error(`a rollback was refused: ${back.code}`);
      await moveRound(pool, round, "cancelling", "voided");
    }
  }

  async #balance(table: TableRow): Promise<Money> {
    const told = await this.#call(table.vendor, "balance", { play: table.play });
    if (!told.ok) throw new Error(`the balance was refused: ${told.code}`);
    const { minor } = told.value.balance as MoneyWire; // as the contract declares it
    return money(BigInt(minor), currencyOf(table.currency));
  }

  /** One signed call, sent again while it is not answered. */
  async #call(vendor: string, call: string, body: object): Promise<Answer> {
    const path = `/api/v1/vendors/${vendor}/${call}`;
    const text = JSON.stringify(body);
    for (let tries = 1; ; tries++) {
      const answer = await this.#sendOnce(vendor, path, text);
      if (answer?.ok === false) return { ...answer, isInDoubt: tries > 1 };
      if (answer !== null) return answer;
      if (tries === TRIES) throw new Unanswered(`${call} of ${vendor} was not answered`);
    }
  }

  /** Null if nobody knows whether the call was taken. */
  async #sendOnce(vendor: string, path: string, text: string): Promise<Answered | null> {
    const { clock, callBase } = this.#options;
    const signature = signAsVendor(this.#secretOf(vendor), path, text, clock.now());
    try {
      const response = await this.#send(callBase() + path, {
        method: "POST",
        headers: { "content-type": "application/json", [SIGNATURE_HEADER]: signature },
        body: text,
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      const json: unknown = await response.json();
      if (response.ok) return { ok: true, value: fieldsOf(Reflect.get(Object(json), "value")) };
      if (response.status >= 500 && !REFUSED.has(String(fieldsOf(json).code))) return null;
      return { ok: false, code: String(fieldsOf(json).code) };
    } catch {
      return null;
    }
  }

  /** What a vendor and the operator agreed on. */
  #secretOf(vendor: string): string {
    return createHmac("sha256", this.#options.secret).update(vendor).digest("base64url");
  }
}

type Taken = { readonly ok: true; readonly value: Readonly<Record<string, unknown>> };
type Refused = { readonly ok: false; readonly code: string };
type Answered = Taken | Refused;
/** `isInDoubt`: an earlier identical call went unanswered, which the refusal leaves open. */
type Answer = Taken | (Refused & { readonly isInDoubt: boolean });

/** The one refusal with a status of the 500s that is the operator's decision and no failure. */
const REFUSED: ReadonlySet<string> = new Set(["maintenance"]);

class Unanswered extends Error {
  override name = "Unanswered";
}

/** With the play in the ids: a browser mints a round's own, and could take another play's. */
function transactionOf(round: RoundRow, what: "bet" | "win" | "rollback") {
  const roundId = `${round.play}:${round.id}`;
  return { play: round.play, roundId, transactionId: `${roundId}:${what}` };
}

function stakesOf(game: SimulatedGame): bigint[] {
  return STAKES.map((times) => timesMinor(game.min_bet_minor, times));
}

function shown(round: RoundRow): ShownRound {
  const currency = currencyOf(round.currency);
  return {
    id: round.id,
    slot: round.slot,
    stake: money(round.stake_minor, currency),
    payout: money(round.payout_minor, currency),
    state: round.state,
    refusal: round.refusal,
  };
}

function wire(minor: bigint, currency: string) {
  return { minor: minor.toString(), currency };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function keyOf(payload: unknown): Pick<RoundRow, "vendor" | "play" | "id"> {
  const { vendor, play, id } = fieldsOf(payload);
  return { vendor: String(vendor), play: String(play), id: String(id) };
}
