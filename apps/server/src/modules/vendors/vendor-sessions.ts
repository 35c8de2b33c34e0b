import { createHash } from "node:crypto";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { currencyOf, type Money, money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { hashOfToken, mintToken } from "../../platform/bearer-token.ts";
import type { FreePlayer } from "../../platform/http/free-play.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import { type Merchant, vendorRuleOf } from "../brand/brand.ts";
import { SESSION_IDLE_MS, type Session, TRIAL_TYPE } from "../identity/identity.ts";
import { accountOf, type Effect, EffectMissed } from "../ledger/ledger.ts";
import type { Launch } from "./vendor-connection.ts";
import {
  claimTransactions,
  findPlay,
  findTransactions,
  insertPlay,
  type PlayerRow,
  sweepPlays,
  type TransactionRow,
  takeToken,
} from "./vendor-sessions.store.ts";
import type { VendorWallet } from "./vendor-wallet.ts";
import { TRANSACTION_KEPT_DAYS } from "./vendors.store.ts";
import type { WalletAnswer, WalletCall } from "./wallet-calls.ts";

/** From the launch to the vendor's page; a slow phone needs a fraction of it. */
const TOKEN_MS = 2 * MINUTE_MS;
/** How long a play takes bets; the player launches the game anew after that. */
const BETS_MS = 12 * HOUR_MS;
/** Wins and rollbacks come late from vendors that were down, but never after this. */
const KEPT_MS = TRANSACTION_KEPT_DAYS * DAY_MS;

export interface VendorSessionsOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly wallet: VendorWallet;
  /** Where the player's browser opens a game of a vendor that is connected. */
  readonly playUrl: (vendor: string, launch: Launch) => Promise<string | null>;
  readonly brandOf: (merchantId: string) => Promise<Merchant>;
  readonly onAlarm: (what: string, about: Readonly<Record<string, unknown>>) => void;
  /** Counts a stake of free play; answers when there is room again, or null if there was. */
  readonly takeFreePlay: (player: FreePlayer) => Promise<Instant | null>;
  /** Why an account of this type may not bet on the game now; answers from memory. */
  readonly playRefusal: (bet: {
    readonly merchantId: string;
    readonly type: number;
    readonly vendor: string;
    /** The game that is bet on, and the one that the play was launched for. */
    readonly gameId: string;
    readonly launchedGameId: string;
  }) => Promise<Refusal | null>;
}

export interface VendorMove {
  readonly play: string;
  readonly roundId: string;
  readonly transactionId: string;
  readonly amount: Money;
  readonly betTransactionId?: string;
}

/** The answer to a bet, a win or a rollback. */
export interface Moved {
  /** What the player can stake now. */
  readonly balance: Money;
  /** The same call was booked before. */
  readonly repeated: boolean;
}

/**
 * Players at outside vendors: a launch makes a play and a token for it, the vendor opens the play
 * with the token, and names it whenever it moves money. From the moment that it books something, a
 * transaction id belongs to one player of the vendor and to every word of its call: a repeat
 * answers as before, and anything else under that id is refused (`id_reused`).
 */
export class VendorSessions {
  readonly #options: VendorSessionsOptions;

  constructor(options: VendorSessionsOptions) {
    this.#options = options;
  }

  /** @returns the address of the vendor's page, whose token is valid once and for two minutes */
  async launch(
    player: { readonly session: Session; readonly language: string },
    game: { readonly vendor: string; readonly gameId: string },
  ): Promise<string | null> {
    const { pool, clock, entropy, playUrl } = this.#options;
    const { session, language } = player;
    const { token, hash: tokenHash } = mintToken(entropy);
    const now = clock.now();
    const play = {
      id: mintId("play", now, entropy.bytes(16)),
      tokenHash,
      merchantId: session.merchantId,
      memberId: session.memberId,
      sessionId: session.id,
      vendor: game.vendor,
      gameId: game.gameId,
      currency: session.currency,
      language,
    };
    await insertPlay(pool, play, now);
    const { gameId } = game;
    return playUrl(game.vendor, { token, gameId, language, currency: session.currency });
  }

  async open(vendor: string, token: string) {
    const { pool, clock } = this.#options;
    const now = clock.now();
    const taken = await takeToken(pool, vendor, hashOfToken(token), now, now - TOKEN_MS);
    if (taken === null) return refuse(refusal("not_found"));
    if (taken === "spent") return refuse(refusal("link_spent"));
    const { id, game_id, language } = taken;
    return ok({ play: id, gameId: game_id, currency: currencyOf(taken.currency), language });
  }

  async balance(vendor: string, id: string): Promise<Result<Money, Refusal>> {
    const play = await this.#find(vendor, id);
    if (play === null) return refuse(refusal("not_found"));
    const wallet = await this.#options.wallet.balance(walletOf(play));
    const { available } = present(wallet, "the wallet of a player");
    return ok(money(available, currencyOf(play.currency)));
  }

  /**
   * Takes a stake. Refuses with `invalid_input` what no bet can be, as the other moves do: an adapter
   * need not check ids and amounts.
   */
  async bet(
    vendor: string,
    move: VendorMove & { readonly gameId: string; readonly closesRound: boolean },
  ) {
    const { clock, playRefusal, wallet } = this.#options;
    const fault = moveFault(move, 1n) ?? idFault("gameId", move.gameId);
    if (fault !== null) return refuse(fault);
    const play = await this.#find(vendor, move.play);
    if (play === null) return refuse(refusal("not_found"));
    const { merchant_id: merchantId, type } = play;
    const expired = clock.now() - play.created_at.getTime() > BETS_MS;
    const closed =
      !play.logged_in || expired
        ? refusal("session_ended")
        : ((await playRefusal({
            ...{ merchantId, type, vendor },
            ...{ gameId: move.gameId, launchedGameId: play.game_id },
          })) ?? (await this.#usedUp(play)));
    return this.#moved(play, "bet", move, (common) =>
      wallet.bet({
        ...common,
        merchantId,
        gameId: move.gameId,
        blocked: play.blocked,
        closed,
        closesRound: move.closesRound,
      }),
    );
  }

  /** Why free play takes no more stakes today, also from a vendor. */
  async #usedUp(play: PlayerRow): Promise<Refusal | null> {
    const { merchant_id: merchantId, member_id: memberId, address, type } = play;
    if (type !== TRIAL_TYPE || address === null) return null;
    const retryAt = await this.#options.takeFreePlay({ merchantId, memberId, address });
    return retryAt === null ? null : refusal("rate_limited", { retryAt });
  }

  async win(
    vendor: string,
    move: VendorMove & { readonly betTransactionId: string; readonly closesRound: boolean },
  ) {
    const fault = moveFault(move, 0n);
    if (fault !== null) return refuse(fault);
    const play = await this.#find(vendor, move.play);
    if (play === null) return refuse(refusal("not_found"));
    const { clock, entropy, wallet, brandOf, onAlarm } = this.#options;
    const { betTransactionId, closesRound } = move;
    if (move.amount.minor === 0n) {
      // It would have no effect.
      if (!closesRound) return refuse(fieldRefusal("amount.minor", "bad_format"));
      return this.#moved(play, "win", move, (common) =>
        wallet.endRound({ ...common, betTransactionId, closesRound }),
      );
    }
    const { id: merchantId, code: brand, zone, settings } = await brandOf(play.merchant_id);
    const bounds = {
      ...{ merchantId, memberId: play.member_id, zone },
      rule: vendorRuleOf(settings, vendor),
      heldWinId: () => mintId("heldWin", clock.now(), entropy.bytes(16)),
    };
    return this.#moved(play, "win", move, async (common) => {
      const moved = await wallet.winWithin({ ...common, betTransactionId, closesRound }, bounds);
      if (moved.ok && moved.value.held !== null) {
        const { id, reasons } = moved.value.held;
        const amountMinor = `${common.amount}`;
        const about = { id, brand, vendor, gameId: play.game_id, amountMinor, reasons };
        onAlarm("a vendor's win is held for an operator", about);
      }
      return moved;
    });
  }

  async rollback(vendor: string, move: VendorMove & { readonly betTransactionId: string }) {
    const fault = moveFault(move, 1n);
    if (fault !== null) return refuse(fault);
    const play = await this.#find(vendor, move.play);
    if (play === null) return refuse(refusal("not_found"));
    const { betTransactionId } = move;
    const { brandOf, wallet, onAlarm } = this.#options;
    const { settings } = await brandOf(play.merchant_id);
    const rule = vendorRuleOf(settings, vendor);
    return this.#moved(play, "rollback", move, async (common, claimOf) => {
      // It comes before its bet and takes the bet's id too, so that no other player can use that.
      const burialEffects = [claimOf(betTransactionId, NOTHING_SAID)];
      const given = { ...common, betTransactionId, rule, burialEffects };
      const moved = await wallet.rollback(given);
      const short = !moved.ok && moved.error.code === "insufficient_funds";
      if (short) {
        const { roundId, transactionId } = common;
        onAlarm("a win that its vendor takes back is spent", { vendor, roundId, transactionId });
      }
      return moved;
    });
  }

  sweep(): Promise<void> {
    const { pool, clock } = this.#options;
    return sweepPlays(pool, clock.now() - KEPT_MS);
  }

  #find(vendor: string, id: string): Promise<PlayerRow | null> {
    const now = this.#options.clock.now();
    return findPlay(this.#options.pool, vendor, id, now, now - SESSION_IDLE_MS);
  }

  async #moved(
    play: PlayerRow,
    call: "bet" | "win" | "rollback",
    said: VendorMove,
    move: (
      common: WalletCall,
      claimOf: (id: string, content: Buffer) => Effect,
    ) => Promise<Result<WalletAnswer, Refusal>>,
  ): Promise<Result<Moved, Refusal>> {
    const currency = currencyOf(play.currency);
    const { roundId, transactionId, amount, betTransactionId = transactionId } = said;
    if (amount.currency !== currency) {
      return refuse(fieldRefusal("amount.currency", "foreign_currency"));
    }
    const { pool, clock } = this.#options;
    const { vendor } = play;
    const account = walletOf(play);
    const content = contentOf(call, said);
    const look = async () => {
      const rows = await findTransactions(pool, vendor, [transactionId, betTransactionId]);
      return ownerOfId({ id: transactionId, account_id: account.id, content }, rows);
    };
    const before = await look();
    if (before === "other") return refuse(refusal("id_reused"));

    const at = clock.now();
    const claimOf = (id: string, kept: Buffer): Effect => {
      const row = { vendor, id, account_id: account.id, content: kept.toString("hex"), at };
      return { statement: claimTransactions, row };
    };
    const effects = [claimOf(transactionId, content)];
    const common = { account, vendor, roundId, transactionId, amount: amount.minor };
    try {
      const moved = await move({ ...common, effects }, claimOf);
      if (!moved.ok) return moved;
      const { available, repeated, buried } = moved.value;
      if (repeated && before === "none") {
        // It came in between, perhaps in other words; or another rollback came before this bet.
        const after = await look();
        const fault = after === "none" && buried ? "rolled_back" : "id_reused";
        if (after !== "same") return refuse(refusal(fault));
      }
      return ok({ balance: money(available, currency), repeated });
    } catch (error) {
      // Another player's call, or one that made no entry under this id, was quicker.
      const claimed = error instanceof EffectMissed && error.statement === claimTransactions.name;
      if (!claimed) throw error;
      return refuse(refusal("id_reused"));
    }
  }
}

/** Any protocol's ids: printable signs without blanks. */
const FOREIGN_ID = /^[\x21-\x7e]{1,100}$/;
/** Fifteen digits, as the contract takes. */
const AMOUNT_MAX_MINOR = 999_999_999_999_999n;

function moveFault(move: VendorMove, leastMinor: bigint): Refusal | null {
  const { roundId, transactionId, betTransactionId, amount } = move;
  if (amount.minor < leastMinor || amount.minor > AMOUNT_MAX_MINOR) {
    return fieldRefusal("amount.minor", "bad_format");
  }
  return (
    idFault("roundId", roundId) ??
    idFault("transactionId", transactionId) ??
    (betTransactionId === undefined ? null : idFault("betTransactionId", betTransactionId))
  );
}

function idFault(field: string, id: string): Refusal | null {
  return FOREIGN_ID.test(id) ? null : fieldRefusal(field, "bad_format");
}

/**
 * `same`: this call has booked the id. `other`: another call or another player has it, or has the
 * bet that the call names. `none`: it is free, as is that of a bet that was rolled back before it
 * came.
 */
function ownerOfId(
  { id, account_id, content }: TransactionRow & { readonly content: Buffer },
  rows: readonly TransactionRow[],
): "none" | "same" | "other" {
  if (rows.some((row) => row.account_id !== account_id)) return "other";
  const own = rows.find((row) => row.id === id);
  if (own === undefined || own.content?.equals(NOTHING_SAID) === true) return "none";
  return own.content === null || own.content.equals(content) ? "same" : "other";
}

/** The stored content of a bet that was rolled back before it came; no call's content is this. */
const NOTHING_SAID = Buffer.alloc(0);

/**
 * A digest of every field of a call, in any order. A field that the contract gains later is left
 * out if it has its default, since repeats of earlier calls have that default.
 */
function contentOf(call: string, { amount, ...said }: VendorMove): Buffer {
  const fields = { ...said, call, minor: amount.minor.toString(), in: amount.currency };
  const named = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(named)).digest();
}

function walletOf(play: PlayerRow) {
  return accountOf(play.member_id, currencyOf(play.currency));
}
