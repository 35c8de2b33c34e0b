import { type Refusal, refusal } from "@perya/contract/refusal";
import type { Clock } from "@perya/kernel/instant";
import { currencyOf } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { TimeAndId } from "../../platform/http/cursor.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Merchant } from "../brand/brand.ts";
import { type Account, EffectMissed, type Ledger } from "../ledger/ledger.ts";
import {
  type Act,
  actionEffect,
  isOfRevoked,
  mayActAlone,
  recordAction,
  unlessRevoked,
  wordCounts,
  wordEffect,
} from "../operators/operators.ts";
import { countGame } from "./game-returns.store.ts";
import {
  decideHeldWin,
  findHeldWin,
  type HeldWinRow,
  markHeldWin,
  unpayWin,
  waitingHeldWins,
} from "./held-wins.store.ts";
import { counterOf, heldKeyOf } from "./vendor-keys.ts";

type Settled = Pick<HeldWinRow, "id" | "state">;
type Verb = "release" | "confirm" | "refuse";

/** An operator's word on wins that wait: the money goes to the player, or back to the vendor. */
export class HeldWins {
  readonly #pool: pg.Pool;
  readonly #ledger: Ledger;
  readonly #clock: Clock;

  constructor(pool: pg.Pool, ledger: Ledger, clock: Clock) {
    this.#pool = pool;
    this.#ledger = ledger;
    this.#clock = clock;
  }

  waiting(
    merchant: Merchant,
    page: { readonly after: TimeAndId | null; readonly limit: number },
  ): Promise<HeldWinRow[]> {
    return waitingHeldWins(this.#pool, merchant.id, page);
  }

  /**
   * Releases the win; above what one operator may release alone it waits for four eyes. If a mark
   * no longer counts, it is released as if nobody had marked it.
   */
  async release(merchant: Merchant, act: Act, id: string): Promise<Result<Settled, Refusal>> {
    const win = await findHeldWin(this.#pool, merchant.id, id);
    if (win === null) return refuse(refusal("not_found"));
    const me = act.operator.id;
    if (win.state === "released" && [win.marked_by, win.decided_by].includes(me)) return ok(win);
    const counts = await this.#markCounts(win);
    if (counts && win.marked_by === me) return ok(win);
    if (counts || (win.state !== "held" && win.state !== "marked")) {
      return refuse(refusal("wrong_state"));
    }
    const said = await unlessRevoked(async () => ok(await this.#takeRelease(merchant, act, win)));
    if (!said.ok) return said;
    if (said.value === "alone") return this.#decide(act, win, "release", null);
    return said.value === "marked" ? ok({ id, state: "marked" }) : refuse(refusal("wrong_state"));
  }

  async #markCounts({ id, state, marked_by: by }: HeldWinRow): Promise<boolean> {
    if (state !== "marked" || by === null) return false;
    return wordCounts(this.#pool, { operatorId: by, subject: id });
  }

  /**
   * Counts the win against what the operator lets go alone, or marks it. The money moves after
   * that: if somebody else decides at this moment it stays counted, which asks for a second person
   * sooner, and never later.
   */
  #takeRelease(merchant: Merchant, act: Act, win: HeldWinRow) {
    const { id, member_id: memberId, amount_minor: amountMinor } = win;
    const { operatorDayFourEyesAboveMinor, vendorRules } = merchant.settings;
    const bounds = {
      playerMinor: vendorRules.releaseFourEyesAboveMinor,
      dayMinor: operatorDayFourEyesAboveMinor,
    };
    return withTransaction(this.#pool, async (client) => {
      const letGo = { subject: id, memberId, amountMinor };
      if (await mayActAlone(client, act.operator, letGo, bounds, this.#clock)) return "alone";
      return this.#mark(client, act, win, "win.release");
    });
  }

  async #mark(client: pg.ClientBase, act: Act, win: HeldWinRow, action: string) {
    if (!(await markHeldWin(client, win, act.operator.id))) return "decided";
    await recordAction(client, act, { action, subject: win.id }, this.#clock.now());
    return "marked";
  }

  /**
   * The second person's word; if the mark no longer counts, it is the first one, and somebody else
   * confirms it.
   */
  async confirm(merchant: Merchant, act: Act, id: string): Promise<Result<Settled, Refusal>> {
    const win = await findHeldWin(this.#pool, merchant.id, id);
    if (win === null) return refuse(refusal("not_found"));
    const me = act.operator.id;
    if (win.state === "released" && win.decided_by === me) return ok(win);
    if (win.state !== "marked") return refuse(refusal("wrong_state"));
    if (await this.#markCounts(win)) {
      if (win.marked_by === me) return refuse(refusal("second_person_needed"));
      return this.#decide(act, win, "confirm", null);
    }
    const mark = (client: pg.ClientBase) => this.#mark(client, act, win, "win.confirm");
    const said = await unlessRevoked(async () => ok(await withTransaction(this.#pool, mark)));
    if (!said.ok) return said;
    return said.value === "marked" ? ok({ id, state: "marked" }) : refuse(refusal("wrong_state"));
  }

  async refuse(
    merchant: Merchant,
    act: Act,
    id: string,
    reason: string,
  ): Promise<Result<Settled, Refusal>> {
    const win = await findHeldWin(this.#pool, merchant.id, id);
    if (win === null) return refuse(refusal("not_found"));
    if (win.state === "refused" && win.decided_by === act.operator.id) return ok(win);
    if (win.state !== "held" && win.state !== "marked") return refuse(refusal("wrong_state"));
    return this.#decide(act, win, "refuse", reason);
  }

  /** The hold's end, the win's state and the record of who did it, in one transaction. */
  #decide(act: Act, win: HeldWinRow, verb: Verb, reason: string | null) {
    return unlessRevoked(() => this.#end(act, win, verb, reason));
  }

  async #end(
    act: Act,
    win: HeldWinRow,
    verb: Verb,
    reason: string | null,
  ): Promise<Result<Settled, Refusal>> {
    const { id, vendor, transaction_id: transactionId, round_id: ref } = win;
    const at = this.#clock.now();
    const account = accountOfWin(win);
    const state = verb === "refuse" ? "refused" : "released";
    const from = { from_state: win.state, from_marker: win.marked_by, alone: verb === "release" };
    const row = { id, state, ...from, decided_by: act.operator.id, reason, at };
    const done = { action: `win.${verb}`, subject: id, detail: reason === null ? {} : { reason } };
    const command = {
      account,
      amount: win.amount_minor,
      counterAccount: counterOf(vendor),
      ref,
      at,
      resolves: heldKeyOf({ vendor, transactionId }),
    };
    const effects = [{ statement: decideHeldWin, row }, actionEffect(act, done, at)];
    if (verb === "confirm" && win.marked_by !== null) {
      effects.push(wordEffect({ operatorId: win.marked_by, subject: id }));
    }
    try {
      const ended =
        state === "released"
          ? await this.#ledger.void({
              ...command,
              key: `win-release:${vendor}:${transactionId}`,
              kind: "win-release",
              effects,
            })
          : await this.#ledger.post({
              ...command,
              key: `win-refusal:${vendor}:${transactionId}`,
              kind: "win-reversal",
              effects: [
                ...effects,
                { statement: unpayWin, row: { id } },
                countGame({ account, vendor, roundId: ref }, { paid: -win.amount_minor }, at),
              ],
            });
      if (!ended.ok) return refuse(refusal("wrong_state"));
      if (!ended.value.repeated) return ok({ id, state });
      const stored = await findHeldWin(this.#pool, win.merchant_id, id);
      const mine = stored?.decided_by === act.operator.id;
      return mine ? ok({ id, state }) : refuse(refusal("wrong_state"));
    } catch (error) {
      if (isOfRevoked(error) || !(error instanceof EffectMissed)) throw error;
      // Somebody else decided it at this moment, or the first operator was revoked.
      return refuse(refusal("wrong_state"));
    }
  }
}

function accountOfWin({ lane, account_id: id, currency }: HeldWinRow): Account {
  return { lane, id, currency: currencyOf(currency) };
}
