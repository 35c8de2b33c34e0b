import { isDeepStrictEqual } from "node:util";
import type { PayoutState } from "@perya/contract/cashier";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Clock, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type { Money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { isUniqueViolation } from "../../platform/postgres/violations.ts";
import { callerOfType, findMemberByName, lockMember, type Merchant } from "../identity/identity.ts";
import { accountOf } from "../ledger/ledger.ts";
import {
  type Act,
  type LoneBounds,
  lastWord,
  mayActAlone,
  recordAction,
  unlessRevoked,
  wordCounts,
} from "../operators/operators.ts";
import type { Cashier } from "./cashier.ts";
import { type DepositRow, depositRows, insertDeposit } from "./deposits.store.ts";
import {
  decideDeposit,
  dropPayout,
  findManualDeposits,
  findPayout,
  findReceipt,
  listHeldWithdrawals,
  listStuckPayouts,
  listWaitingDeposits,
  listWaitingPayouts,
  lockOpenDeposit,
  lockPayout,
  type ManualDeposit,
  type ManualPayout,
  noteChangeTold,
  type OperatorPage,
  type PayoutChange,
  type Received,
  takeOver,
  writeCount,
  writePayout,
} from "./manual.store.ts";
import { MANUAL } from "./manual-provider.ts";
import { claimPaymentId } from "./payments.store.ts";
import { findProvider, isSamePayment } from "./payments.ts";
import { ARRIVES_MS } from "./withdrawal-gate.ts";
import type { WithdrawalRow } from "./withdrawals.store.ts";

export interface Settled {
  readonly id: string;
  readonly state: string;
}

type Verdict = Result<PayoutChange | "unchanged", Refusal>;

/** The state of a pay-out after one operator's word, while somebody else must say the same. */
const MARKED = { paid: "marked", failed: "marked_failed", released: "marked_released" } as const;
export type PayoutOutcome = keyof typeof MARKED;
const WAITING: ReadonlySet<PayoutState> = new Set(Object.values(MARKED));
/** In the queue, and nobody's. */
const RELEASED = { state: "queued", claimed_by: null, marked_by: null } as const;

/** Not written before the second word; written by it; or there already. */
type RestoreStep = "first" | "written" | "unchanged";

type Decision =
  | { readonly received: Received; readonly reason: null }
  | { readonly received: null; readonly reason: string };

/**
 * What operators do to payments, each for the brand that they belong to. An operator's word is
 * written down first, with who gave it; the cashier then acts on it, and its sweep does so in case
 * this process ends in between. Every call may be sent twice.
 */
export class OperatorCashier {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #cashier: Cashier;

  constructor(pool: pg.Pool, clock: Clock, cashier: Cashier) {
    this.#pool = pool;
    this.#clock = clock;
    this.#cashier = cashier;
  }

  waitingDeposits(merchant: Merchant, page: OperatorPage) {
    return listWaitingDeposits(this.#pool, merchant.id, page);
  }

  heldWithdrawals(merchant: Merchant, page: OperatorPage) {
    return listHeldWithdrawals(this.#pool, merchant.id, page);
  }

  isWired(provider: string): boolean {
    return findProvider(this.#cashier.providers, provider) !== null;
  }

  /**
   * Lets a held withdrawal go out, if its provider is configured. Beyond what one operator may let
   * out alone it is "first_approved" until a second one says so.
   */
  async approve(merchant: Merchant, act: Act, id: string): Promise<Result<Settled, Refusal>> {
    const me = act.operator.id;
    const before = await this.#cashier.withdrawals.findOf(merchant, id);
    if (before === null) return refuse(refusal("not_found"));
    // Nobody would send it, and one that is let out can no longer be rejected.
    if (before.state === "held" && !this.isWired(before.provider)) {
      return refuse(refusal("provider_not_wired"));
    }
    const isMine = before.state === "held" && before.first_approver === me;
    if (isMine && (await wordCounts(this.#pool, { operatorId: me, subject: id }))) {
      return refuse(refusal("second_person_needed"));
    }
    const approved = await unlessRevoked(async () =>
      ok(await this.#cashier.withdrawals.approve(id, act)),
    );
    if (!approved.ok) return approved;
    const row = await this.#cashier.withdrawals.findOf(merchant, id);
    if (row === null || row.state === "rejected") return refuse(refusal("wrong_state"));
    if (row.state !== "held") return ok({ id, state: row.state });
    if (row.first_approver === me) return ok({ id, state: "first_approved" });
    // It is still held, and the refusal names why.
    return refuse(refusal(barOf(row) ?? "wrong_state"));
  }

  /** Gives a held withdrawal back; sent twice, it answers the same. */
  async reject(
    merchant: Merchant,
    act: Act,
    id: string,
    reason: string,
  ): Promise<Result<Settled, Refusal>> {
    if ((await this.#cashier.withdrawals.findOf(merchant, id)) === null) {
      return refuse(refusal("not_found"));
    }
    const given = await unlessRevoked(async () =>
      ok(await this.#cashier.withdrawals.reject(id, { act, reason })),
    );
    if (!given.ok) return given;
    const row = await this.#cashier.withdrawals.findOf(merchant, id);
    return row?.state === "rejected"
      ? ok({ id, state: "rejected" })
      : refuse(refusal("wrong_state"));
  }

  waitingPayouts(merchant: Merchant, page: OperatorPage) {
    return listWaitingPayouts(this.#pool, merchant.id, page);
  }

  stuckPayouts(merchant: Merchant, page: OperatorPage) {
    const given = {
      wired: this.#cashier.providers.map(({ code }) => code),
      now: this.#clock.now(),
    };
    return listStuckPayouts(this.#pool, merchant.id, page, given);
  }

  /**
   * Takes a pay-out over from a provider that is gone, or that has not ended it for as long as a
   * call may take to arrive. It is claimed and ends as one by hand, but nobody pays it: its holder
   * says what the provider's books show.
   */
  async takeOver(merchant: Merchant, act: Act, id: string): Promise<Result<Settled, Refusal>> {
    const before = await this.#cashier.withdrawals.findOf(merchant, id);
    if (before === null) return refuse(refusal("not_found"));
    const take = async (client: pg.ClientBase) => {
      const now = this.#clock.now();
      const isTaken = await takeOver(client, id, act.operator.id, {
        wired: this.#cashier.providers.map(({ code }) => code),
        now,
      });
      if (!isTaken) return;
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
    const after = await this.#cashier.withdrawals.findOf(merchant, id);
    const isOnItsWay = after?.state === "approved" || after?.state === "sent";
    const isEarly = isOnItsWay && before.provider !== MANUAL;
    return refuse(refusal(isEarly ? "payout_under_way" : "wrong_state"));
  }

  async receipt(merchant: Merchant, id: string): Promise<Result<Buffer, Refusal>> {
    const deposit = await this.#depositOf(merchant, id);
    const found = deposit === null ? null : await findReceipt(this.#pool, id);
    return found === null ? refuse(refusal("not_found")) : ok(found.image);
  }

  /**
   * The money came, in any amount, under a number of the house account's own statement that is
   * valid once. Beyond what one operator may let in alone it is "counted" until a second one says
   * the same amount and number.
   */
  async confirmDeposit(
    merchant: Merchant,
    act: Act,
    id: string,
    received: Money,
    bankReference: string,
  ): Promise<Result<Settled, Refusal>> {
    const deposit = await this.#depositOf(merchant, id);
    if (deposit === null) return refuse(refusal("not_found"));
    if (received.currency !== deposit.currency) {
      return refuse(fieldRefusal("received.currency", "foreign_currency"));
    }
    const bankKey = bankKeyOf(bankReference);
    try {
      return await this.#decideDeposit(merchant, act, deposit, {
        received: { minor: received.minor, bankReference, bankKey },
        reason: null,
      });
    } catch (error) {
      if (isUniqueViolation(error)) return refuse(fieldRefusal("bankReference", "taken"));
      throw error;
    }
  }

  /** The money did not come; final, so that a player who did pay opens another deposit. */
  async refuseDeposit(
    merchant: Merchant,
    act: Act,
    id: string,
    reason: string,
  ): Promise<Result<Settled, Refusal>> {
    const deposit = await this.#depositOf(merchant, id);
    if (deposit === null) return refuse(refusal("not_found"));
    return this.#decideDeposit(merchant, act, deposit, { received: null, reason });
  }

  /**
   * Writes a deposit again that a restore of the database has lost, under the id by which its
   * outside provider has it. That moves nothing: the provider is asked, as about any deposit, and
   * what it says came is credited. An operator who names another player sends a stranger's money
   * there, so it is "first_restored", and not written, until a second operator names the same, even
   * for a small sum. One that exists answers as it is. `not_found`: the brand has no such player.
   */
  async restoreDeposit(
    merchant: Merchant,
    act: Act,
    id: string,
    given: { readonly username: string; readonly method: string; readonly amount: Money },
  ): Promise<Result<Settled, Refusal>> {
    const member = await findMemberByName(this.#pool, merchant.id, given.username);
    if (member === null || callerOfType(member.type) === "trial") {
      return refuse(refusal("not_found"));
    }
    if (given.amount.currency !== merchant.currency) {
      return refuse(fieldRefusal("amount.currency", "foreign_currency"));
    }
    const { id: memberId, username } = member;
    const account = accountOf(memberId, merchant.currency);
    const { minor } = given.amount;
    const detail = { member: memberId, username, method: given.method, amount: `${minor}` };
    const done = { action: "deposit.restore", subject: id, detail };
    const restore = async (client: pg.ClientBase): Promise<Result<RestoreStep, Refusal>> => {
      // Two who name the same player at the same moment see each other's word.
      await lockMember(client, memberId);
      const existing = await depositRows.findById(client, id);
      if (existing !== null) {
        const same = isSamePayment(existing, account, given);
        return same ? ok("unchanged") : refuse(refusal("id_reused"));
      }
      const provider = this.#askedFor(merchant, given.method);
      if (!provider.ok) return provider;
      const said = await lastWord(client, merchant.id, done);
      const isSaid = said !== null && isDeepStrictEqual(said.detail, detail);
      if (isSaid && said.operatorId === act.operator.id) return ok("first");
      // Another player's of the same moment, which the earlier read could not see.
      if (isSaid && !(await claimPaymentId(client, id, account))) {
        return refuse(refusal("id_reused"));
      }
      const createdAt = this.#clock.now();
      await recordAction(client, act, done, createdAt);
      if (!isSaid) return ok("first");
      await insertDeposit(client, {
        ...{ account, id, merchantId: merchant.id, memberId },
        ...{ method: given.method, provider: provider.value, amountMinor: minor },
        ...{ state: "pending", createdAt },
        expiresAt: createdAt + merchant.settings.cashier.depositMinutes * MINUTE_MS,
      });
      return ok("written");
    };
    const restored = await unlessRevoked(() => withTransaction(this.#pool, restore));
    if (!restored.ok) return restored;
    if (restored.value === "first") return ok({ id, state: "first_restored" });
    const row = present(await depositRows.findById(this.#pool, id), "the restored deposit");
    if (restored.value === "written") this.#cashier.deposits.tellAwaiting(row);
    // Also for one that exists: its provider may have been silent for as long as it was asked.
    if (row.state !== "paid") await this.#cashier.deposits.ask(row);
    return ok({ id, state: row.state });
  }

  #askedFor({ settings }: Merchant, code: string): Result<string, Refusal> {
    const method = settings.cashier.methods.find(
      (one) => one.kind === "deposit" && one.code === code,
    );
    const notAllowed = refuse(fieldRefusal("method", "not_allowed"));
    if (method === undefined || method.provider === MANUAL) return notAllowed;
    const provider = findProvider(this.#cashier.providers, method.provider);
    if (provider === null) return refuse(refusal("provider_not_wired"));
    return provider.isOutside ? ok(provider.code) : notAllowed;
  }

  /**
   * The last step before a person pays: if the player was blocked meanwhile, or their account was
   * changed, the pay-out leaves the queue for those who decide about withdrawals.
   */
  async claim(merchant: Merchant, act: Act, id: string): Promise<Result<Settled, Refusal>> {
    const me = act.operator.id;
    const decide = async (payout: ManualPayout, client: pg.ClientBase): Promise<Verdict> => {
      if (payout.state === "queued") {
        if (!(await this.#cashier.withdrawals.takeBack(client, id))) {
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
    const row = await this.#cashier.withdrawals.findOf(merchant, id);
    const bar = row?.state === "held" ? barOf(row) : null;
    return bar === null ? claimed : refuse(refusal(bar));
  }

  /**
   * Says that nobody paid it: by its claimer, or by one who may confirm, since the claimer may have
   * gone home. A false word has it paid twice, or given back as well; so beyond what one may say
   * alone, and for a second time on the same pay-out, it waits for four eyes. The claimer may adopt
   * what somebody else said for them.
   */
  release(merchant: Merchant, act: Act, id: string): Promise<Result<Settled, Refusal>> {
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
   * the player's account was changed since it was let out, it is refused once with
   * `account_changed`: an operator who has not paid yet gives it back; one who has says so again.
   */
  async markPaid(
    merchant: Merchant,
    act: Act,
    id: string,
    bankReference: string,
  ): Promise<Result<Settled, Refusal>> {
    const me = act.operator.id;
    const bankKey = bankKeyOf(bankReference);
    try {
      const detail = { bankReference };
      return await this.#change(
        merchant,
        act,
        id,
        "payout.paid",
        detail,
        async (payout, client) => {
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
          return ok({
            state: (await this.#endsAlone(client, merchant, act, payout)) ? "paid" : MARKED.paid,
            bank_reference: bankReference,
            bank_key: bankKey,
            marked_by: me,
          });
        },
      );
    } catch (error) {
      if (isUniqueViolation(error)) return refuse(fieldRefusal("bankReference", "taken"));
      throw error;
    }
  }

  /** Marks a pay-out as impossible. If the same operator has paid it, a second one must confirm. */
  markFailed(
    merchant: Merchant,
    act: Act,
    id: string,
    reason: string,
  ): Promise<Result<Settled, Refusal>> {
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
  confirmPayout(
    merchant: Merchant,
    act: Act,
    id: string,
    outcome: PayoutOutcome,
  ): Promise<Result<Settled, Refusal>> {
    const me = act.operator.id;
    return this.#change(
      merchant,
      act,
      id,
      "payout.confirm",
      { outcome },
      async (payout, client) => {
        if (outcome === "released" && payout.state === RELEASED.state) return ok("unchanged");
        if (payout.state === outcome && payout.confirmed_by === me) return ok("unchanged");
        const state = MARKED[outcome];
        if (payout.state !== state) return refuse(refusal("wrong_state"));
        // Somebody else may have said so of a pay-out that they paid.
        if (payout.claimed_by === me) return refuse(refusal("second_person_needed"));
        if (!(await this.#markCounts(client, payout))) return ok({ state, marked_by: me });
        if (payout.marked_by === me) return refuse(refusal("second_person_needed"));
        return ok(outcome === "released" ? RELEASED : { state: outcome, confirmed_by: me });
      },
    );
  }

  /** The mark was wrong: the claimer has it again. */
  returnPayout(
    merchant: Merchant,
    act: Act,
    id: string,
    reason: string,
  ): Promise<Result<Settled, Refusal>> {
    return this.#change(merchant, act, id, "payout.return", { reason }, (payout) => {
      const refused = notMarkedForAnother(act.operator.id, payout, Object.values(MARKED));
      const unmarked = { bank_reference: null, bank_key: null, marked_by: null, reason: null };
      return refused === null ? ok({ state: "claimed", ...unmarked }) : refuse(refused);
    });
  }

  async #depositOf(merchant: Merchant, id: string): Promise<DepositRow | null> {
    const row = await depositRows.findById(this.#pool, id);
    return row?.merchant_id === merchant.id && row.provider === MANUAL ? row : null;
  }

  async #decideDeposit(
    merchant: Merchant,
    act: Act,
    deposit: DepositRow,
    decision: Decision,
  ): Promise<Result<Settled, Refusal>> {
    const { id, method, member_id: memberId } = deposit;
    const { received, reason } = decision;
    const detail = received === null ? { reason } : foundOf(deposit, received);
    const me = act.operator.id;
    const bounds = boundsOf(merchant, merchant.settings.cashier.depositFourEyesAboveMinor);
    const decide = async (client: pg.ClientBase) => {
      const open = await lockOpenDeposit(client, id);
      if (open === null) return null;
      // Nobody looks for money that no player says was sent.
      if (received !== null && open.sent_at === null) return "unclaimed";
      const at = this.#clock.now();
      const record = (action: string) => {
        const seen = { ...detail, payerReference: open.payer_reference };
        return recordAction(client, act, { action, subject: id, detail: seen }, at);
      };
      if (received !== null) {
        const { minor: amountMinor, bankKey } = received;
        const by = open.counted_by;
        const same = open.counted_minor === amountMinor && open.bank_key === bankKey;
        const isSaid =
          same && by !== null && (await wordCounts(client, { operatorId: by, subject: id }));
        const isSecond = isSaid && by !== me;
        const letIn = { subject: id, memberId, amountMinor };
        if (!isSecond && !(await mayActAlone(client, act.operator, letIn, bounds, this.#clock))) {
          if (isSaid) return "counted";
          await writeCount(client, id, { ...received, method, by: me });
          await record("deposit.count");
          return "counted";
        }
      }
      await decideDeposit(client, id, { received, reason, method, by: me }, at);
      await record(received === null ? "deposit.refuse" : "deposit.confirm");
      return null;
    };
    const said = await unlessRevoked(async () => ok(await withTransaction(this.#pool, decide)));
    if (!said.ok) return said;
    if (said.value === "unclaimed") return refuse(refusal("wrong_state"));
    if (said.value === "counted") return ok({ id, state: "counted" });
    const stored = (await findManualDeposits(this.#pool, [id])).get(id);
    if (stored === undefined || !isSame(stored, decision)) return refuse(refusal("wrong_state"));
    await this.#cashier.deposits.ask(deposit);
    const state = (await depositRows.findById(this.#pool, id))?.state ?? deposit.state;
    return ok({ id, state });
  }

  /** Whether one operator's word on a claimed pay-out is enough. */
  #endsAlone(client: pg.ClientBase, merchant: Merchant, act: Act, payout: ManualPayout) {
    const { withdrawal_id: subject, member_id: memberId, amount_minor: amountMinor } = payout;
    const bounds = boundsOf(merchant, merchant.settings.cashier.payoutFourEyesAboveMinor);
    const paid = { subject, memberId, amountMinor };
    return mayActAlone(client, act.operator, paid, bounds, this.#clock);
  }

  /**
   * For one that was taken over: an earlier call may still arrive at its provider, which would take
   * it.
   */
  #underWay(payout: ManualPayout): Refusal | null {
    const endsFrom = endsFromOf(payout);
    return endsFrom !== null && this.#clock.now() < endsFrom ? refusal("payout_under_way") : null;
  }

  /** Under the pay-out's lock, for one that waits for the second word. */
  async #markCounts(
    client: pg.ClientBase,
    { withdrawal_id: subject, marked_by: by }: ManualPayout,
  ) {
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
  ): Promise<Result<Settled, Refusal>> {
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
      if (changed.error.code === "member_blocked") await this.#cashier.withdrawals.tellKeptBack(id);
      return changed;
    }
    if (changed.value === "paid" || changed.value === "failed") {
      await this.#cashier.withdrawals.settlePayout(id);
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

function notMarkedForAnother(
  me: string,
  payout: ManualPayout,
  states: readonly PayoutState[],
): Refusal | null {
  if (!states.includes(payout.state)) return refusal("wrong_state");
  return payout.marked_by === me ? refusal("second_person_needed") : null;
}

function isSame(stored: ManualDeposit, { received, reason }: Decision): boolean {
  return (
    stored.decision === (received === null ? "refused" : "confirmed") &&
    stored.received_minor === (received?.minor ?? null) &&
    stored.bank_key === (received?.bankKey ?? null) &&
    stored.reason === reason
  );
}

/** As the record of an operator's word stores it. */
function foundOf({ amount_minor: asked }: DepositRow, { minor, bankReference }: Received) {
  return { asked: asked.toString(), received: minor.toString(), bankReference };
}

function boundsOf({ settings }: Merchant, playerMinor: bigint): LoneBounds {
  return { playerMinor, dayMinor: settings.operatorDayFourEyesAboveMinor };
}

/** So many digits are a transfer's number by themselves, whatever words surround them. */
const NUMBER = /^[A-Z]*(?<digits>[0-9]{10,})[A-Z]*$/;

/** A bank's number in the form that we compare: without signs, spaces and words around it. */
function bankKeyOf(reference: string): string {
  const plain = reference.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return NUMBER.exec(plain)?.groups?.digits ?? plain;
}
