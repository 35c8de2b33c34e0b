import { type Refusal, refusal } from "@perya/contract/refusal";
import { assert } from "@perya/kernel/assert";
import type { Clock } from "@perya/kernel/instant";
import { isCurrency } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Merchant } from "../brand/brand.ts";
import { type Account, EffectMissed, type Ledger } from "../ledger/ledger.ts";
import { type Act, actionEffect, mayActAlone, recordAction } from "../operators/operators.ts";
import { countGame } from "./game-returns.store.ts";
import {
  decideHeldWin,
  findHeldWin,
  type HeldPosition,
  type HeldWinRow,
  markHeldWin,
  unpayWin,
  waitingHeldWins,
} from "./held-wins.store.ts";
import { counterOf, heldKeyOf } from "./vendor-keys.ts";

type Settled = Pick<HeldWinRow, "id" | "state">;

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
    page: { readonly after: HeldPosition | null; readonly limit: number },
  ): Promise<HeldWinRow[]> {
    return waitingHeldWins(this.#pool, merchant.id, page);
  }

  /** Lets the win go; beyond what one operator may let go alone it waits for four eyes. */
  async release(merchant: Merchant, act: Act, id: string): Promise<Result<Settled, Refusal>> {
    const win = await findHeldWin(this.#pool, merchant.id, id);
    if (win === null) return refuse(refusal("not_found"));
    const me = act.operator.id;
    if (win.state === "released" && [win.marked_by, win.decided_by].includes(me)) return ok(win);
    if (win.state === "marked" && win.marked_by === me) return ok(win);
    if (win.state !== "held") return refuse(refusal("wrong_state"));
    const said = await this.#takeRelease(merchant, act, win);
    if (said === "alone") return this.#decide(act, win, "released", null);
    return said === "marked" ? ok({ id, state: "marked" }) : refuse(refusal("wrong_state"));
  }

  /**
   * Counts the win against what the operator lets go alone, or marks it. The money moves after
   * that: where somebody else decides at this moment it stays counted, which asks for a second
   * person sooner, and never later.
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
      if (!(await markHeldWin(client, id, act.operator.id))) return "decided";
      const done = { action: "win.release", subject: id };
      await recordAction(client, act, done, this.#clock.now());
      return "marked";
    });
  }

  async confirm(merchant: Merchant, act: Act, id: string): Promise<Result<Settled, Refusal>> {
    const win = await findHeldWin(this.#pool, merchant.id, id);
    if (win === null) return refuse(refusal("not_found"));
    const me = act.operator.id;
    if (win.state === "released" && win.decided_by === me) return ok(win);
    if (win.state !== "marked") return refuse(refusal("wrong_state"));
    if (win.marked_by === me) return refuse(refusal("second_person_needed"));
    return this.#decide(act, win, "released", null);
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
    return this.#decide(act, win, "refused", reason);
  }

  /** The hold's end, the win's state and the record of who did it, in one transaction. */
  async #decide(
    act: Act,
    win: HeldWinRow,
    state: "released" | "refused",
    reason: string | null,
  ): Promise<Result<Settled, Refusal>> {
    const { id, vendor, transaction_id: transactionId, round_id: ref } = win;
    const at = this.#clock.now();
    const account = accountOfWin(win);
    const row = { id, state, from_state: win.state, decided_by: act.operator.id, reason, at };
    const verb = state === "refused" ? "refuse" : win.state === "marked" ? "confirm" : "release";
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
      const stands = await findHeldWin(this.#pool, win.merchant_id, id);
      const mine = stands?.decided_by === act.operator.id;
      return mine ? ok({ id, state }) : refuse(refusal("wrong_state"));
    } catch (error) {
      // Somebody else decided it at this moment.
      if (error instanceof EffectMissed) return refuse(refusal("wrong_state"));
      throw error;
    }
  }
}

function accountOfWin({ lane, account_id: id, currency }: HeldWinRow): Account {
  assert(isCurrency(currency), "a win's currency is a known one");
  return { lane, id, currency };
}
