import type { PayoutState } from "@perya/contract/cashier";
import { type Refusal, refusal } from "@perya/contract/refusal";
import type { Clock, Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Merchant } from "../brand/brand.ts";
import {
  type Act,
  mayActAlone,
  recordAction,
  unlessRevoked,
  wordCounts,
} from "../operators/operators.ts";
import { bankKeyOf, unlessNumberTaken } from "./bank-number.ts";
import type { Cashier } from "./cashier.ts";
import {
  dropPayout,
  findPayout,
  listHeldWithdrawals,
  listStuckPayouts,
  listWaitingPayouts,
  lockPayout,
  type ManualPayout,
  noteChangeTold,
  type PayoutChange,
  takeOver,
  writePayout,
} from "./manual-payouts.store.ts";
import { MANUAL } from "./manual-provider.ts";
import type { OperatorPage } from "./payments.store.ts";
import { type Answer, loneBounds } from "./payments.ts";
import { ARRIVES_MS } from "./withdrawal-gate.ts";
import type { WithdrawalRow } from "./withdrawals.store.ts";
import type { Withdrawals } from "./withdrawals.ts";

type Verdict = Result<PayoutChange | "unchanged", Refusal>;

/** The state of a pay-out after one operator's word, while somebody else must say the same. */
const MARKED = { paid: "marked", failed: "marked_failed", released: "marked_released" } as const;
export type PayoutOutcome = keyof typeof MARKED;
const WAITING: ReadonlySet<PayoutState> = new Set(Object.values(MARKED));
/** In the queue, and nobody's. */
const RELEASED = { state: "queued", claimed_by: null, marked_by: null } as const;

/**
 * What operators do to withdrawals, each for the brand that they belong to: they let held ones out
 * or give them back, and pay those that go out by hand. An operator's word is written down first,
 * with who gave it; the cashier then acts on it, and its sweep does so in case this process ends in
 * between. Every call may be sent twice.
 */
export class OperatorWithdrawals {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #withdrawals: Withdrawals;
  /** The codes of the providers that are configured. */
  readonly #wired: readonly string[];

  constructor(pool: pg.Pool, clock: Clock, cashier: Pick<Cashier, "withdrawals" | "providers">) {
    this.#pool = pool;
    this.#clock = clock;
    this.#withdrawals = cashier.withdrawals;
    this.#wired = cashier.providers.map(({ code }) => code);
  }

  isWired(provider: string): boolean {
    return this.#wired.includes(provider);
  }

  held(merchant: Merchant, page: OperatorPage) {
    return listHeldWithdrawals(this.#pool, merchant.id, page);
  }

  /**
   * Lets a held withdrawal go out, if its provider is configured. Beyond what one operator may let
   * out alone it is "first_approved" until a second one says so.
   */
  async approve(merchant: Merchant, act: Act, id: string): Promise<Answer> {
    const me = act.operator.id;
    const before = await this.#withdrawals.findOf(merchant, id);
    if (before === null) return refuse(refusal("not_found"));
    // Nobody would send it, and one that is let out can no longer be rejected.
    if (before.state === "held" && !this.isWired(before.provider)) {
      return refuse(refusal("provider_not_wired"));
    }
    const isMine = before.state === "held" && before.first_approver === me;
    if (isMine && (await wordCounts(this.#pool, { operatorId: me, subject: id }))) {
      return refuse(refusal("second_person_needed"));
    }
    const approved = await unlessRevoked(async () => ok(await this.#withdrawals.approve(id, act)));
    if (!approved.ok) return approved;
    const row = await this.#withdrawals.findOf(merchant, id);
    if (row === null || row.state === "rejected") return refuse(refusal("wrong_state"));
    if (row.state !== "held") return ok({ id, state: row.state });
    if (row.first_approver === me) return ok({ id, state: "first_approved" });
    // It is still held, and the refusal names why.
    return refuse(refusal(barOf(row) ?? "wrong_state"));
  }

  /** Gives a held withdrawal back; sent twice, it answers the same. */
  async reject(merchant: Merchant, act: Act, id: string, reason: string): Promise<Answer> {
    if ((await this.#withdrawals.findOf(merchant, id)) === null) {
      return refuse(refusal("not_found"));
    }
    const given = await unlessRevoked(async () =>
      ok(await this.#withdrawals.reject(id, { act, reason })),
    );
    if (!given.ok) return given;
    const row = await this.#withdrawals.findOf(merchant, id);
    return row?.state === "rejected"
      ? ok({ id, state: "rejected" })
      : refuse(refusal("wrong_state"));
  }

  waitingPayouts(merchant: Merchant, page: OperatorPage) {
    return listWaitingPayouts(this.#pool, merchant.id, page);
  }

  stuckPayouts(merchant: Merchant, page: OperatorPage) {
    const given = { wired: this.#wired, now: this.#clock.now() };
    return listStuckPayouts(this.#pool, merchant.id, page, given);
  }

  /**
   * Takes a pay-out over from a provider that is gone, or that has not ended it for as long as a
   * call may take to arrive. It is claimed and ends as one by hand, but nobody pays it: its holder
   * says what the provider's books show.
   */
  async takeOver(merchant: Merchant, act: Act, id: string): Promise<Answer> {
    const before = await this.#withdrawals.findOf(merchant, id);
    if (before === null) return refuse(refusal("not_found"));
    const take = async (client: pg.ClientBase) => {
      const now = this.#clock.now();
      const given = { wired: this.#wired, now };
      if (!(await takeOver(client, id, act.operator.id, given))) return;
      const detail = { provider: before.provider, state: before.state };
      await recordAction(client, act, { action: "payout.take_over", subject: id, detail }, now);
    };
    const said = await unlessRevoked(async () => ok(await withTransaction(this.#pool, take)));
    if (!said.ok) return said;
    const payout = await findPayout(this.#pool, id);
    if (payout?.state === "claimed" && payout.claimed_by === act.operator.id) {
      return ok({ id, state: payout.state });
    }
    if (payout !== null) {
      return refuse(refusal(payout.state === "claimed" ? "claimed_by_another" : "wrong_state"));
    }
    // It may have ended since it was read.
    const after = await this.#withdrawals.findOf(merchant, id);
    const isOnItsWay = after?.state === "approved" || after?.state === "sent";
    const isEarly = isOnItsWay && before.provider !== MANUAL;
    return refuse(refusal(isEarly ? "payout_under_way" : "wrong_state"));
  }

  /**
   * The last step before a person pays: if the player was blocked meanwhile, or their account was
   * changed, the pay-out leaves the queue for those who decide about withdrawals.
   */
  async claim(merchant: Merchant, act: Act, id: string): Promise<Answer> {
    const me = act.operator.id;
    const decide = async (payout: ManualPayout, client: pg.ClientBase): Promise<Verdict> => {
      if (payout.state === "queued") {
        if (!(await this.#withdrawals.takeBack(client, id))) {
          return ok({ state: "claimed", claimed_by: me });
        }
        await dropPayout(client, id);
        return refuse(refusal("member_blocked"));
      }
      if (payout.claimed_by !== me) return refuse(refusal("claimed_by_another"));
      return payout.state === "claimed" ? ok("unchanged") : refuse(refusal("wrong_state"));
    };
    const claimed = await this.#change(merchant, act, id, "payout.claim", {}, decide);
    if (claimed.ok || !["not_found", "member_blocked"].includes(claimed.error.code)) return claimed;
    // A caller who asks again, or comes second, also reads why it is not there.
    const row = await this.#withdrawals.findOf(merchant, id);
    const bar = row?.state === "held" ? barOf(row) : null;
    return bar === null ? claimed : refuse(refusal(bar));
  }

  /**
   * Says that nobody paid it: by its claimer, or by one who may confirm, since the claimer may have
   * gone home. A false report leads to a second payment, or to a refund beside the payment. So a
   * second operator confirms it above the limits, and always for a second report on the same
   * pay-out. The claimer may adopt what somebody else said for them.
   */
  release(merchant: Merchant, act: Act, id: string): Promise<Answer> {
    const { id: me, permissions } = act.operator;
    return this.#change(merchant, act, id, "payout.release", {}, async (payout, client) => {
      const { state, claimed_by: claimer, marked_by: marker } = payout;
      if (state === "queued") return ok("unchanged");
      const mark = { state: MARKED.released, marked_by: me };
      if (state === MARKED.released && marker === me) return this.#sayAgain(client, payout, mark);
      const isOwn = claimer === me;
      if (state !== "claimed" && !(state === MARKED.released && isOwn)) {
        return refuse(refusal("wrong_state"));
      }
      if (!isOwn && !permissions.includes("payouts.confirm")) {
        return refuse(refusal("claimed_by_another"));
      }
      const isFirst = payout.earlier_claims.length === 0;
      const alone = isFirst && (await this.#endsAlone(client, merchant, act, payout));
      return ok(alone ? RELEASED : mark);
    });
  }

  /**
   * Paid out under the bank's reference; beyond what one may pay alone it waits for four eyes. If
   * the player's account was changed since it was let out, the first report is refused with
   * `account_changed`. An operator who has not paid yet releases the pay-out; one who has paid
   * repeats the report.
   */
  async markPaid(merchant: Merchant, act: Act, id: string, bankReference: string): Promise<Answer> {
    const me = act.operator.id;
    const bankKey = bankKeyOf(bankReference);
    const decide = async (payout: ManualPayout, client: pg.ClientBase): Promise<Verdict> => {
      const marked = payout.state === "marked" || payout.state === "paid";
      if (marked && payout.marked_by === me && payout.bank_key === bankKey) {
        return this.#sayAgain(client, payout, { marked_by: me });
      }
      const refused = notClaimedBy(me, payout) ?? this.#underWay(payout);
      if (refused !== null) return refuse(refused);
      const isByHand = payout.taken_over_at === null;
      if (isByHand && (await noteChangeTold(client, id))) {
        return refuse(refusal("account_changed"));
      }
      const state = (await this.#endsAlone(client, merchant, act, payout)) ? "paid" : MARKED.paid;
      return ok({ state, bank_reference: bankReference, bank_key: bankKey, marked_by: me });
    };
    return unlessNumberTaken(() =>
      this.#change(merchant, act, id, "payout.paid", { bankReference }, decide),
    );
  }

  /** Marks a pay-out as impossible. If the same operator has paid it, a second one must confirm. */
  markFailed(merchant: Merchant, act: Act, id: string, reason: string): Promise<Answer> {
    return this.#change(merchant, act, id, "payout.failed", { reason }, async (payout, client) => {
      const me = act.operator.id;
      const marked = payout.state === MARKED.failed || payout.state === "failed";
      if (marked && payout.claimed_by === me) {
        return this.#sayAgain(client, payout, { reason, marked_by: me });
      }
      const refused = notClaimedBy(me, payout) ?? this.#underWay(payout);
      if (refused !== null) return refuse(refused);
      const alone = await this.#endsAlone(client, merchant, act, payout);
      return ok({ state: alone ? "failed" : MARKED.failed, reason, marked_by: me });
    });
  }

  /**
   * The second person's word, which names what they found: it may be marked anew meanwhile. If the
   * mark's word no longer counts, this is the first one, and somebody else confirms it.
   */
  confirmPayout(merchant: Merchant, act: Act, id: string, outcome: PayoutOutcome): Promise<Answer> {
    const me = act.operator.id;
    const decide = async (payout: ManualPayout, client: pg.ClientBase): Promise<Verdict> => {
      if (outcome === "released" && payout.state === RELEASED.state) return ok("unchanged");
      if (payout.state === outcome && payout.confirmed_by === me) return ok("unchanged");
      const state = MARKED[outcome];
      if (payout.state !== state) return refuse(refusal("wrong_state"));
      // Somebody else may have said so of a pay-out that they paid.
      if (payout.claimed_by === me) return refuse(refusal("second_person_needed"));
      if (!(await this.#markCounts(client, payout))) return ok({ state, marked_by: me });
      if (payout.marked_by === me) return refuse(refusal("second_person_needed"));
      return ok(outcome === "released" ? RELEASED : { state: outcome, confirmed_by: me });
    };
    return this.#change(merchant, act, id, "payout.confirm", { outcome }, decide);
  }

  /** The mark was wrong: the claimer has it again. */
  returnPayout(merchant: Merchant, act: Act, id: string, reason: string): Promise<Answer> {
    return this.#change(merchant, act, id, "payout.return", { reason }, (payout) => {
      if (!WAITING.has(payout.state)) return refuse(refusal("wrong_state"));
      if (payout.marked_by === act.operator.id) return refuse(refusal("second_person_needed"));
      const unmarked = { bank_reference: null, bank_key: null, marked_by: null, reason: null };
      return ok({ state: "claimed", ...unmarked });
    });
  }

  /** Whether one operator's word on a claimed pay-out is enough. */
  #endsAlone(client: pg.ClientBase, merchant: Merchant, act: Act, payout: ManualPayout) {
    const { withdrawal_id: subject, member_id: memberId, amount_minor: amountMinor } = payout;
    const paid = { subject, memberId, amountMinor };
    const bounds = loneBounds(merchant, "withdrawal");
    return mayActAlone(client, act.operator, paid, bounds, this.#clock);
  }

  /** For one taken over: an earlier call may still arrive at its provider, which would take it. */
  #underWay(payout: ManualPayout): Refusal | null {
    const endsFrom = endsFromOf(payout);
    return endsFrom !== null && this.#clock.now() < endsFrom ? refusal("payout_under_way") : null;
  }

  /** Under the pay-out's lock, for one that waits for the second word. */
  async #markCounts(client: pg.ClientBase, payout: ManualPayout): Promise<boolean> {
    const { withdrawal_id: subject, marked_by: by } = payout;
    return by !== null && (await wordCounts(client, { operatorId: by, subject }));
  }

  /** A repeated word stays as it is; if the mark no longer counts, it is said anew. */
  async #sayAgain(
    client: pg.ClientBase,
    payout: ManualPayout,
    mark: PayoutChange,
  ): Promise<Verdict> {
    const isOver = !WAITING.has(payout.state);
    if (isOver || (await this.#markCounts(client, payout))) return ok("unchanged");
    return ok(mark);
  }

  /** One operator's word on a pay-out, under its lock; then the cashier acts on it. */
  async #change(
    merchant: Merchant,
    act: Act,
    id: string,
    action: string,
    detail: Readonly<Record<string, string>>,
    decide: (payout: ManualPayout, client: pg.ClientBase) => Verdict | Promise<Verdict>,
  ): Promise<Answer> {
    const change = async (client: pg.ClientBase): Promise<Result<PayoutState, Refusal>> => {
      const payout = await lockPayout(client, merchant.id, id);
      if (payout === null) return refuse(refusal("not_found"));
      const verdict = await decide(payout, client);
      if (!verdict.ok) return verdict;
      if (verdict.value === "unchanged") return ok(payout.state);
      const at = this.#clock.now();
      await writePayout(client, payout, verdict.value, at);
      await recordAction(client, act, { action, subject: id, detail }, at);
      return ok(verdict.value.state ?? payout.state);
    };
    const changed = await unlessRevoked(() => withTransaction(this.#pool, change));
    if (!changed.ok) {
      if (changed.error.code === "member_blocked") await this.#withdrawals.tellKeptBack(id);
      return changed;
    }
    if (changed.value === "paid" || changed.value === "failed") {
      await this.#withdrawals.settlePayout(id);
    }
    return ok({ id, state: changed.value });
  }
}

/** Why a withdrawal was kept back after it was let out, or before its second check. */
function barOf({ wait_reasons: reasons }: WithdrawalRow) {
  return reasons.find((one) => one === "member_blocked" || one === "account_changed") ?? null;
}

/**
 * From when on people may say how a pay-out ended that they took over; null if they may at once,
 * because its provider was never called.
 */
export function endsFromOf({ taken_over_at, tried_at }: ManualPayout): Instant | null {
  if (taken_over_at === null || tried_at === null) return null;
  return tried_at.getTime() + ARRIVES_MS;
}

function notClaimedBy(me: string, payout: ManualPayout): Refusal | null {
  if (payout.state !== "claimed") return refusal("wrong_state");
  return payout.claimed_by === me ? null : refusal("claimed_by_another");
}
