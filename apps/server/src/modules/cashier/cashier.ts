import { isDeepStrictEqual } from "node:util";
import { fieldRefusal, limitRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { assert, present } from "@perya/kernel/assert";
import { type Clock, MINUTE_MS } from "@perya/kernel/instant";
import { formatMoney, type Money, money, toWire } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { z } from "zod";
import { addJob, type NewJob, type Task } from "../../platform/jobs.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import { originsOf } from "../brand/brand.ts";
import {
  type DeviceName,
  lockMember,
  type Merchant,
  type OwnerMails,
  type PaymentProofs,
  type ProofEffect,
  type Session,
  sessionIsOpen,
} from "../identity/identity.ts";
import {
  type Account,
  accountOf,
  type BookCheck,
  type Effect,
  EffectMissed,
  type Ledger,
  type Receipt,
} from "../ledger/ledger.ts";
import {
  type Act,
  actionEffect,
  mayActAlone,
  recordAction,
  wordCounts,
} from "../operators/operators.ts";
import {
  type DepositRow,
  depositBook,
  depositRows,
  expireDeposits,
  hasPaidDeposit,
  insertDeposit,
  moveDeposit,
  payDeposit,
  setPayUrl,
} from "./deposits.store.ts";
import { MANUAL } from "./manual-provider.ts";
import {
  claimPaymentId,
  claimPaymentIds,
  countOpen,
  findPaymentEvent,
  insertPaymentEvent,
  type ListPage,
} from "./payments.store.ts";
import { accountOfRow, isSamePayment } from "./payments.ts";
import {
  type KnownPayment,
  type Method,
  type PaymentEvent,
  type PaymentKind,
  type PaymentProvider,
  ProviderRefused,
  ProviderUnavailable,
} from "./provider.ts";
import { keepBack, passToProvider } from "./withdrawal-gate.ts";
import { judgeWithdrawal } from "./withdrawal-rule.ts";
import {
  addJobs,
  endWithdrawal,
  insertWithdrawal,
  isFirstThere,
  listDestinations,
  lockApprovals,
  lockHeldWithdrawal,
  maskDestination,
  moveWithdrawal,
  noteApprovers,
  noteWait,
  type PayoutAccount,
  readApprovalFacts,
  type WithdrawalRow,
  withdrawalBook,
  withdrawalRows,
} from "./withdrawals.store.ts";

export type { PaymentProvider } from "./provider.ts";

export const cashierBooks: readonly BookCheck[] = [depositBook, withdrawalBook];

export const REVIEW_WITHDRAWAL = "cashier_review_withdrawal";
/** Jobs call outside providers, in two queues, so that neither kind waits for all of the other. */
const CALLS = ["send", "ask"] as const;
const EXPIRED_AT_ONCE = 200;
/** More than ever expire in a minute; a run must end all the same. */
const EXPIRED_PAGES_MAX = 500;
/** Money that is due to a player, and players still at the pay page, come before these. */
const LEFT_PRIORITY = 10;
type HoldCommand = Parameters<Ledger["hold"]>[0];

export interface CashierOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly ledger: Ledger;
  /** Those configured in this installation; a brand's other methods are closed. */
  readonly providers: readonly PaymentProvider[];
  readonly merchantById: (id: string) => Promise<Merchant | null>;
  readonly paymentProofs: Pick<PaymentProofs, "isNeeded" | "effectFor">;
  readonly ownerMails: Pick<OwnerMails, "jobFor">;
  /** The installation's, for brands that set no addresses of their own. */
  readonly publicUrl: string;
  /** Called after commit, for the player's own screens. */
  readonly onChange: (memberId: string, change: CashierChange) => void;
  /** Called for what only a person can put right, such as a provider that contradicts itself. */
  readonly onAlarm: (what: string, about: Readonly<Record<string, unknown>>) => void;
}

export interface CashierChange {
  readonly type: "deposit" | "withdrawal";
  readonly id: string;
  readonly state: string;
}

/**
 * Deposits and withdrawals as state machines over the ledger.
 *
 * Deposit: created → pending → paid | failed, or created/pending → expired; one that is paid by
 * hand goes from expired to pending when its player says so. Money moves once, on the provider's
 * signed word, in the same transaction as the state; a payment that comes after expiry or failure
 * still counts, since the player did pay. The amount that came is credited, even if it is less or
 * more than was requested.
 *
 * Withdrawal: held (the money is set aside at once) → approved → sent → paid | failed, or held →
 * rejected. Paid posts the hold; rejected and failed void it. If the player is blocked, or changes
 * what proves who they are, before the money left, it is held again, for an operator. One that
 * operators took over from its provider is theirs to end, whatever the provider says.
 */
export class Cashier {
  readonly #options: CashierOptions;
  readonly #pool: pg.Pool;
  readonly #clock: Clock;

  constructor(options: CashierOptions) {
    this.#options = options;
    this.#pool = options.pool;
    this.#clock = options.clock;
  }

  async deposit(
    merchant: Merchant,
    session: Session,
    given: { readonly id: string; readonly method: string; readonly amount: Money },
  ): Promise<Result<DepositRow, Refusal>> {
    const account = accountOf(session.memberId, session.currency);
    const amountMinor = given.amount.minor;
    // Providers know a payment by this id alone, so an id in use elsewhere is taken.
    const existing = await depositRows.findById(this.#pool, given.id);
    if (existing !== null) return this.#sameDeposit(merchant, account, existing, given);
    // Money that came could be neither staked nor withdrawn.
    if (session.blocked) return refuse(refusal("member_blocked"));
    const method = this.#methodFor(merchant, session, "deposit", given);
    if (!method.ok) return method;
    const { depositMinutes, openMax } = merchant.settings.cashier;
    const createdAt = this.#clock.now();
    const asked = { sessionId: session.id, exceptId: given.id, at: createdAt };
    const opened = await withTransaction(this.#pool, async (client) => {
      // Counted under the lock, so that two at the same moment count each other.
      await lockMember(client, session.memberId);
      const open = await countOpen(client, account, "deposits", asked);
      if (open >= openMax) return "too_many_open";
      // Another player's of the same moment, which the earlier read could not see.
      if (!(await claimPaymentId(client, given.id, account))) return "id_reused";
      await insertDeposit(client, {
        account,
        id: given.id,
        merchantId: merchant.id,
        memberId: session.memberId,
        sessionId: session.id,
        method: given.method,
        provider: method.value.provider,
        amountMinor,
        state: "created",
        createdAt,
        expiresAt: createdAt + depositMinutes * MINUTE_MS,
      });
      return "opened";
    });
    if (opened !== "opened") return refuse(refusal(opened));
    const row = present(await depositRows.find(this.#pool, account, given.id), "the new deposit");
    return this.#sameDeposit(merchant, account, row, given);
  }

  /**
   * Sets the money aside and asks for a review, all in one transaction, in which the session must
   * still be open (`session_ended`). A repetition answers the withdrawal as it is. `by` names the
   * player's browser. The owner gets a mail about the first one to a destination.
   */
  async withdraw(
    merchant: Merchant,
    session: Session,
    given: {
      readonly id: string;
      readonly method: string;
      readonly destination: string;
      readonly amount: Money;
    },
    by: DeviceName & { readonly language: string },
  ): Promise<Result<WithdrawalRow, Refusal>> {
    const account = accountOf(session.memberId, session.currency);
    const amountMinor = given.amount.minor;
    const existing = await withdrawalRows.findById(this.#pool, given.id);
    if (existing !== null) return sameWithdrawal(existing, account, given);
    if (session.blocked) return refuse(refusal("member_blocked"));
    const method = this.#methodFor(merchant, session, "withdrawal", given);
    if (!method.ok) return method;
    const { openMax } = merchant.settings.cashier;
    // The insertion counts again, exactly; this count spares the others of its batch a second try.
    const asked = { sessionId: session.id, exceptId: given.id, at: this.#clock.now() };
    if ((await countOpen(this.#pool, account, "withdrawals", asked)) >= openMax) {
      return refuse(refusal("too_many_open"));
    }
    // Read first: a change of the account after the check of its proofs is later than this.
    const at = this.#clock.now();
    const proof = await this.#options.paymentProofs.effectFor(merchant, session, given);
    if (!proof.ok) return proof;
    const row = {
      lane: account.lane,
      account_id: account.id,
      id: given.id,
      merchant_id: merchant.id,
      member_id: session.memberId,
      session_id: session.id,
      method: given.method,
      provider: method.value.provider,
      destination: given.destination,
      device: by.device,
      network: by.network,
      currency: account.currency,
      amount_minor: amountMinor.toString(),
      open_max: openMax,
      at,
    };
    const job = {
      task: REVIEW_WITHDRAWAL,
      payload: { id: given.id },
      key: `${REVIEW_WITHDRAWAL}:${given.id}`,
      runAt: null,
    };
    const warning = await this.#warningOf({ merchant, session, language: by.language }, given, at);
    const command: HoldCommand = {
      account,
      key: holdKey(given.id),
      amount: amountMinor,
      counterAccount: `payment:${method.value.provider}`,
      kind: "hold",
      ref: given.id,
      at,
      effects: [
        { statement: sessionIsOpen, row: { session_id: session.id } },
        ...(proof.value === null ? [] : [proof.value]),
        { statement: claimPaymentIds, row: { id: given.id, account_id: account.id } },
        { statement: insertWithdrawal, row },
        { statement: addJobs, row: job },
        ...(warning === null ? [] : [{ statement: addJobs, row: { ...warning } }]),
      ],
    };
    const held = await this.#hold(command, proof.value);
    if (!held.ok) return held;
    const stored = await withdrawalRows.find(this.#pool, account, given.id);
    const withdrawal = present(stored, "the new withdrawal");
    if (held.value.repeated) return sameWithdrawal(withdrawal, account, given);
    this.#tellWithdrawal(withdrawal);
    return ok(withdrawal);
  }

  deposits(session: Session, page: ListPage): Promise<DepositRow[]> {
    return depositRows.list(this.#pool, accountOf(session.memberId, session.currency), page);
  }

  findDeposit(session: Session, id: string): Promise<DepositRow | null> {
    return depositRows.find(this.#pool, accountOf(session.memberId, session.currency), id);
  }

  withdrawals(session: Session, page: ListPage): Promise<WithdrawalRow[]> {
    return withdrawalRows.list(this.#pool, accountOf(session.memberId, session.currency), page);
  }

  findWithdrawal(session: Session, id: string): Promise<WithdrawalRow | null> {
    return withdrawalRows.find(this.#pool, accountOf(session.memberId, session.currency), id);
  }

  hasPaidIn(session: Session): Promise<boolean> {
    return hasPaidDeposit(this.#pool, accountOf(session.memberId, session.currency));
  }

  payoutAccountsOf(session: Session): Promise<PayoutAccount[]> {
    return listDestinations(this.#pool, accountOf(session.memberId, session.currency));
  }

  async findWithdrawalOf(merchant: { readonly id: string }, id: string) {
    const row = await withdrawalRows.findById(this.#pool, id);
    return row?.merchant_id === merchant.id ? row : null;
  }

  /**
   * Does the next step of a withdrawal: the brand's rule lets it out or leaves it to an operator;
   * one that was let out is sent; the provider is asked about one that was sent. Runs as a job and
   * from the sweep, and waits for no outside provider: jobs of their own call those.
   */
  async review(id: string): Promise<void> {
    const row = await withdrawalRows.findById(this.#pool, id);
    if (row === null) return;
    const provider = this.#payerOf(row);
    if (provider === null) {
      const about = { id, provider: row.provider, state: row.state };
      this.#options.onAlarm("a withdrawal waits for a provider that is not wired", about);
      return;
    }
    if (row.state === "held") {
      const letOut = await this.#judge(row);
      if (letOut && !provider.isOutside) await this.#send({ ...row, state: "approved" });
    } else if (!hasEnded(row)) {
      if (provider.isOutside) await addJob(this.#pool, this.#callFor("withdrawal", row));
      else await this.#settle(row);
    }
  }

  /**
   * Asks the provider about an open deposit, in case its call-back is lost; a job asks an outside
   * one.
   */
  async askDeposit(row: DepositRow): Promise<void> {
    if (this.provider(row.provider)?.isOutside !== true) await this.#askDeposit(row);
    else await addJob(this.#pool, this.#callFor("deposit", row));
  }

  /**
   * The tasks that wait for an outside provider. Each provider has its own, so that a slow one
   * delays only those who pay by it.
   */
  get providerTasks(): Readonly<Record<string, Task>> {
    const outside = this.#options.providers.filter((provider) => provider.isOutside);
    const names = outside.flatMap(({ code }) => CALLS.map((call) => taskOf(code, call)));
    return Object.fromEntries(names.map((name) => [name, (payload) => this.#call(payload)]));
  }

  /**
   * Lets a held withdrawal go out; false if it is not held. The job that comes with the approval
   * sends it in case this process ends, or the provider does not answer, before it is sent. An
   * operator's act is recorded with it. Beyond what one operator may let out alone it is false for
   * the first of two, for any way of payment, and however often that one repeats it. It is also
   * false once if `keepBack` keeps it and nobody could read so: from then on the reasons name it,
   * and the next approval counts.
   * @throws EffectMissed if the operator was revoked meanwhile
   */
  async approve(id: string, act: Act): Promise<boolean> {
    const row = await withdrawalRows.findById(this.#pool, id);
    if (row === null) return false;
    const moved = await withTransaction(this.#pool, async (client) => {
      if (await keepBack(client, row, ["held"], this.#clock.now())) return false;
      if (!(await this.#isEnough(client, row, act))) return false;
      return this.#letOut(client, row);
    });
    if (!moved) return false;
    this.#tellWithdrawal({ ...row, state: "approved" });
    // Nobody at an operator's screen waits for an outside provider either.
    if (this.provider(row.provider)?.isOutside !== true) {
      await this.#sendOrLeave({ ...row, state: "approved" });
    }
    return true;
  }

  /**
   * Gives a held withdrawal back to the player; false if it is no longer held.
   * @throws EffectMissed if the operator was revoked meanwhile
   */
  async reject(
    id: string,
    { act, reason }: { readonly act: Act; readonly reason: string },
  ): Promise<boolean> {
    const row = await withdrawalRows.findById(this.#pool, id);
    if (row === null || row.state !== "held") return false;
    const done = { action: "withdrawal.reject", subject: id, detail: { reason } };
    const effects = [actionEffect(act, done, this.#clock.now())];
    return this.#end(row, "rejected", { reason, effects });
  }

  /**
   * Takes a pay-out that may no longer go out (see `keepBack`) back from those who pay by hand;
   * false if it may. Within a transaction, after which `tellKeptBack` tells the player.
   */
  takeBack(client: pg.ClientBase, id: string): Promise<boolean> {
    return keepBack(client, { id }, ["approved", "sent"], this.#clock.now());
  }

  async tellKeptBack(id: string): Promise<void> {
    const row = await withdrawalRows.findById(this.#pool, id);
    if (row !== null) this.#tellWithdrawal(row);
  }

  async settlePayout(id: string): Promise<void> {
    const row = await withdrawalRows.findById(this.#pool, id);
    if (row?.state === "approved" || row?.state === "sent") await this.#askPayout(row);
  }

  /**
   * Whether a deposit may be open: one that expired counts anew. Nothing else of the player's opens
   * until the transaction ends, so that many at the same moment count each other.
   */
  async hasRoomFor(client: pg.ClientBase, merchant: Merchant, row: DepositRow): Promise<boolean> {
    await lockMember(client, row.member_id);
    const account = accountOfRow(row);
    const deposit = await depositRows.find(client, account, row.id);
    if (deposit?.state !== "expired") return true;
    const asked = { sessionId: deposit.session_id, exceptId: row.id, at: this.#clock.now() };
    const open = await countOpen(client, account, "deposits", asked);
    return open < merchant.settings.cashier.openMax;
  }

  /**
   * A deposit of which the player says that it was paid waits for a person, however long. Runs
   * together with the player's evidence, after `hasRoomFor`; `tellAwaiting` tells it after the
   * commit.
   */
  async awaitOperator(client: pg.ClientBase, row: DepositRow): Promise<void> {
    await moveDeposit(client, row, "pending", ["created", "expired"], this.#clock.now());
  }

  tellAwaiting(row: DepositRow): void {
    this.#tellDeposit(row, "pending");
  }

  needsProof(merchant: Merchant, session: Session): Promise<boolean> {
    return this.#options.paymentProofs.isNeeded(merchant, session);
  }

  methods(merchant: Merchant): Method[] {
    return merchant.settings.cashier.methods.filter(
      (method) => this.provider(method.provider)?.serves(merchant, method) === true,
    );
  }

  /**
   * A provider's call-back, after its signature was checked. Idempotent by event id: a repeat is
   * accepted and moves nothing, the same id with another body is refused.
   */
  async receive(provider: PaymentProvider, event: PaymentEvent): Promise<Result<true, Refusal>> {
    const seen = await findPaymentEvent(this.#pool, provider.code, event.eventId);
    if (seen !== null) {
      return isDeepStrictEqual(seen, bodyOf(event)) ? ok(true) : refuse(refusal("id_reused"));
    }
    const done =
      event.kind === "deposit"
        ? await this.#receiveDeposit(provider, event)
        : await this.#receivePayout(provider, event);
    if (!done.ok) return done;
    // Written last: if a process dies before this, the idempotent work is done once more.
    const now = this.#clock.now();
    await insertPaymentEvent(this.#pool, provider.code, event.eventId, bodyOf(event), now);
    return ok(true);
  }

  provider(code: string): PaymentProvider | null {
    return this.#options.providers.find((provider) => provider.code === code) ?? null;
  }

  get wired(): string[] {
    return this.#options.providers.map(({ code }) => code);
  }

  /** Who says how a pay-out ends: its provider, or the people who took it over. */
  #payerOf({ provider, taken_over_at }: WithdrawalRow): PaymentProvider | null {
    return this.provider(taken_over_at === null ? provider : MANUAL);
  }

  /** A job runs this: it closes expired pages without a payment, until none is left. */
  async expire(): Promise<void> {
    for (let pages = 0; pages < EXPIRED_PAGES_MAX; pages++) {
      const expired = await expireDeposits(this.#pool, this.#clock.now(), EXPIRED_AT_ONCE);
      for (const row of expired) this.#tellDeposit(row, "expired");
      if (expired.length < EXPIRED_AT_ONCE) return;
    }
  }

  /** One of the brand's open methods, for an amount that it takes. */
  #methodFor(
    merchant: Merchant,
    session: Session,
    kind: PaymentKind,
    given: { readonly method: string; readonly amount: Money },
  ): Result<Method, Refusal> {
    const open = this.methods(merchant);
    if (open.length === 0) return refuse(refusal("cashier_closed"));
    const method = open.find((one) => one.kind === kind && one.code === given.method);
    return method === undefined
      ? refuse(fieldRefusal("method", "not_allowed"))
      : withinLimits(method, session, given);
  }

  /** The rule decides under a lock, so that many at once count each other; true: let out. */
  async #judge(row: WithdrawalRow): Promise<boolean> {
    const merchant = await this.#merchantOf(row);
    const letOut = await withTransaction(this.#pool, async (client) => {
      await lockApprovals(client, merchant.id);
      // Read under the lock: an earlier instant would miss what was let out meanwhile.
      const now = this.#clock.now();
      const facts = await readApprovalFacts(client, row, now);
      if (facts === null) return false;
      const verdict = judgeWithdrawal(row.amount_minor, facts, merchant.settings.cashier, now);
      if (verdict.reasons.length === 0) return this.#letOut(client, row);
      await noteWait(client, row, verdict);
      return false;
    });
    if (letOut) this.#tellWithdrawal({ ...row, state: "approved" });
    return letOut;
  }

  /**
   * An operator's word on a held withdrawal: whether it goes out by it, alone or as the second. It
   * is the first one again if the one before it no longer counts.
   */
  async #isEnough(client: pg.ClientBase, known: WithdrawalRow, act: Act) {
    const { id, merchant_id } = known;
    const row = await lockHeldWithdrawal(client, known);
    if (row === null) return false;
    const me = act.operator.id;
    const said = row.first_approver;
    const first =
      said !== null && (await wordCounts(client, { operatorId: said, subject: id })) ? said : null;
    if (first === me) return false;
    const isSecond = first !== null;
    const { settings } = await this.#merchantOf({ merchant_id });
    const bounds = {
      playerMinor: settings.cashier.payoutFourEyesAboveMinor,
      dayMinor: settings.operatorDayFourEyesAboveMinor,
    };
    const asked = { subject: id, memberId: row.member_id, amountMinor: row.amount_minor };
    const isEnough =
      isSecond || (await mayActAlone(client, act.operator, asked, bounds, this.#clock));
    await noteApprovers(client, id, first ?? me, isSecond ? me : null);
    const action = isSecond ? "withdrawal.confirm" : "withdrawal.approve";
    const done = { action, subject: id, detail: { reasons: row.wait_reasons } };
    await recordAction(client, act, done, this.#clock.now());
    return isEnough;
  }

  async #letOut(client: pg.ClientBase, row: WithdrawalRow): Promise<boolean> {
    const at = this.#clock.now();
    if (!(await moveWithdrawal(client, row, "held", "approved", at))) return false;
    const approved = { ...row, state: "approved" } as const;
    const key = `${REVIEW_WITHDRAWAL}:${row.id}:approved`;
    const job =
      this.provider(row.provider)?.isOutside === true
        ? this.#callFor("withdrawal", approved)
        : { task: REVIEW_WITHDRAWAL, payload: { id: row.id }, key, runAt: null };
    await addJob(client, job);
    return true;
  }

  #callFor(kind: PaymentKind, row: DepositRow | WithdrawalRow): NewJob {
    const task = taskOf(row.provider, row.state === "approved" ? "send" : "ask");
    const payload: z.infer<typeof callPayload> = { kind, id: row.id };
    const key = `cashier_call:${kind}:${row.id}`;
    const isLeft = kind === "deposit" && (row.state === "expired" || row.state === "failed");
    const priority = isLeft ? LEFT_PRIORITY : 0;
    return { task, payload, key, runAt: null, keepsPlace: true, priority };
  }

  /** The next step of a payment at its outside provider, from its present state. */
  async #call(payload: unknown): Promise<void> {
    const { kind, id } = callPayload.parse(payload);
    if (kind === "deposit") {
      const row = await depositRows.findById(this.#pool, id);
      if (row !== null && row.state !== "paid") await this.#askDeposit(row);
    } else {
      const row = await withdrawalRows.findById(this.#pool, id);
      if (row !== null) await this.#settle(row);
    }
  }

  async #merchantOf({ merchant_id }: { readonly merchant_id: string }): Promise<Merchant> {
    return present(await this.#options.merchantById(merchant_id), "the brand of a payment");
  }

  async #sameDeposit(
    merchant: Merchant,
    account: Account,
    existing: DepositRow,
    given: { readonly method: string; readonly amount: Money },
  ): Promise<Result<DepositRow, Refusal>> {
    if (!isSamePayment(existing, account, given)) return refuse(refusal("id_reused"));
    return this.#withPayUrl(merchant, account, existing);
  }

  async #withPayUrl(
    merchant: Merchant,
    account: Account,
    row: DepositRow,
  ): Promise<Result<DepositRow, Refusal>> {
    // One whose address was lost on the way is pending at the provider, and still to be paid.
    const isOpen = row.state === "created" || row.state === "pending";
    if (row.pay_url !== null || !isOpen) return ok(row);
    const provider = this.provider(row.provider);
    if (provider === null) return refuse(refusal("cashier_closed"));
    const [origin] = originsOf(merchant, this.#options.publicUrl);
    try {
      const opened = await provider.openDeposit({
        id: row.id,
        merchant,
        method: row.method,
        amount: money(row.amount_minor, account.currency),
        origin,
        returnUrl: `${origin}/m/voucherCenter?deposit=${row.id}`,
      });
      await setPayUrl(this.#pool, account, row.id, opened.reference, opened.payUrl);
      return ok({ ...row, pay_url: opened.payUrl });
    } catch (error) {
      if (error instanceof ProviderUnavailable) return refuse(refusal("provider_unavailable"));
      if (!(error instanceof ProviderRefused)) throw error;
      // Refused for good: a repetition finds the deposit in this state, and so does this answer.
      const at = this.#clock.now();
      if (await moveDeposit(this.#pool, row, "failed", ["created", "pending"], at)) {
        this.#tellDeposit(row, "failed");
      }
      return ok(
        present(await depositRows.find(this.#pool, account, row.id), "a deposit that failed"),
      );
    }
  }

  async #receiveDeposit(
    provider: PaymentProvider,
    event: PaymentEvent,
  ): Promise<Result<true, Refusal>> {
    const row = await depositRows.findById(this.#pool, event.reference);
    if (row === null || row.provider !== provider.code) return refuse(refusal("not_found"));
    return this.#applyDeposit(row, event);
  }

  async #applyDeposit(row: DepositRow, event: PaymentEvent): Promise<Result<true, Refusal>> {
    if (event.amount.currency !== row.currency) {
      return refuse(fieldRefusal("amount.currency", "foreign_currency"));
    }
    if (event.status === "paid") return this.#credit(row, event.amount.minor);
    const at = this.#clock.now();
    const from =
      event.status === "pending"
        ? (["created"] as const)
        : (["created", "pending", "expired"] as const);
    if (await moveDeposit(this.#pool, row, event.status, from, at, event.reason)) {
      this.#tellDeposit(row, event.status);
      return ok(true);
    }
    // A late "pending" says nothing new. A paid one cannot fail: the money is there.
    const now = event.status === "failed" ? await depositRows.findById(this.#pool, row.id) : null;
    if (now?.state !== "paid") return ok(true);
    this.#options.onAlarm("a deposit that was paid is told to have failed", { id: row.id });
    return refuse(refusal("wrong_state"));
  }

  /** Credits what came; a second message that names another amount is refused. */
  async #credit(row: DepositRow, receivedMinor: bigint): Promise<Result<true, Refusal>> {
    const at = this.#clock.now();
    const { lane, account_id, id } = row;
    const paid = { lane, account_id, id, received_minor: receivedMinor.toString(), at };
    const credited = await this.#options.ledger.credit({
      account: accountOfRow(row),
      key: `deposit:${row.id}`,
      amount: receivedMinor,
      counterAccount: `payment:${row.provider}`,
      kind: "deposit",
      ref: row.id,
      at,
      effects: [{ statement: payDeposit, row: paid }],
    });
    if (!credited.ok && credited.error.code === "key_reused") {
      this.#options.onAlarm("a deposit was told to be paid with two amounts", {
        id,
        receivedMinor,
      });
      return refuse(refusal("wrong_state"));
    }
    assert(credited.ok, `the credit of deposit ${row.id}`);
    if (!credited.value.repeated) this.#tellDeposit(row, "paid");
    return ok(true);
  }

  async #receivePayout(
    provider: PaymentProvider,
    event: PaymentEvent,
  ): Promise<Result<true, Refusal>> {
    const row = await withdrawalRows.findById(this.#pool, event.reference);
    if (row === null || row.provider !== provider.code) return refuse(refusal("not_found"));
    return this.#applyPayout(row, event, provider);
  }

  async #applyPayout(
    row: WithdrawalRow,
    event: PaymentEvent,
    teller: PaymentProvider,
  ): Promise<Result<true, Refusal>> {
    const differs = amountFault(row, event);
    if (differs !== null) return refuse(differs);
    if (event.status === "pending") return ok(true);
    const to = event.status === "paid" ? "paid" : "failed";
    if (row.state === to) return ok(true);
    const byPeople = teller.code === MANUAL;
    const isTheirs = row.taken_over_at !== null && !byPeople;
    const { reason = null } = event;
    if (!isTheirs && (await this.#end(row, to, { reason, byPeople }))) return ok(true);
    const what =
      isTheirs && !hasEnded(row)
        ? "a provider tells how a pay-out ended that operators took over"
        : "a pay-out was told to end otherwise than it did";
    this.#options.onAlarm(what, { id: row.id, to });
    return refuse(refusal("wrong_state"));
  }

  /** Hands the pay-out to the provider, which is idempotent by our id. */
  async #send(row: WithdrawalRow): Promise<void> {
    const provider = this.provider(row.provider);
    if (provider === null) return;
    const isLetOut = row.state === "approved";
    const letOutAt = this.#clock.now();
    if (!(await passToProvider(this.#pool, row, letOutAt))) {
      if (isLetOut) await this.#keepBack(provider, row);
      return;
    }
    const merchant = await this.#merchantOf(row);
    const [origin] = originsOf(merchant, this.#options.publicUrl);
    const { id, method, destination } = row;
    const amount = money(row.amount_minor, accountOfRow(row).currency);
    try {
      await provider.sendPayout({ id, merchant, method, destination, amount, origin, letOutAt });
    } catch (error) {
      if (!(error instanceof ProviderRefused)) throw error;
      await this.#end(row, "failed");
      return;
    }
    await this.#noteSent(row);
  }

  async #noteSent(row: WithdrawalRow): Promise<void> {
    const moved = await moveWithdrawal(this.#pool, row, "approved", "sent", this.#clock.now());
    if (moved) this.#tellWithdrawal({ ...row, state: "sent" });
  }

  /**
   * A withdrawal whose player was blocked or changed their account goes back to an operator, unless
   * the provider has it: one that was sent, even in a try whose answer was lost, stays sent.
   */
  async #keepBack(provider: PaymentProvider, row: WithdrawalRow): Promise<void> {
    if ((await provider.ask("withdrawal", row.id)) !== null) {
      await this.#noteSent(row);
      return;
    }
    const kept = await keepBack(this.#pool, row, ["approved"], this.#clock.now(), false);
    if (kept) this.#tellWithdrawal({ ...row, state: "held" });
  }

  /** As `#send`; if the provider does not take it now, the job sends it later. */
  async #sendOrLeave(row: WithdrawalRow): Promise<void> {
    try {
      await this.#send(row);
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
    }
  }

  /** The next step of one that was let out; one that operators took over is not sent again. */
  async #settle(row: WithdrawalRow): Promise<void> {
    const isTheirs = row.taken_over_at !== null;
    if (row.state === "approved" && !isTheirs) await this.#send(row);
    else if (row.state === "approved" || row.state === "sent") await this.#askPayout(row);
  }

  async #askDeposit(row: DepositRow): Promise<void> {
    const known = (await this.provider(row.provider)?.ask("deposit", row.id)) ?? null;
    if (known === null) return;
    await this.#applyDeposit(row, eventOf("deposit", row.id, known, this.#clock.now()));
  }

  /** For a pay-out whose call-back may be lost; one that the provider lost is sent again. */
  async #askPayout(row: WithdrawalRow): Promise<void> {
    const payer = this.#payerOf(row);
    if (payer === null) return;
    const known = await payer.ask("withdrawal", row.id);
    if (known === null) await this.#send(row);
    else {
      const event = eventOf("withdrawal", row.id, known, this.#clock.now());
      await this.#applyPayout(row, event, payer);
    }
  }

  async #hold(command: HoldCommand, proof: ProofEffect | null): Promise<Result<Receipt, Refusal>> {
    try {
      const held = await this.#options.ledger.hold(command);
      if (held.ok) return held;
      const code = held.error.code === "key_reused" ? "id_reused" : "insufficient_funds";
      return refuse(refusal(code));
    } catch (error) {
      if (!(error instanceof EffectMissed)) throw error;
      // The session ended here, or in another process, while this waited for its turn.
      if (error.statement === sessionIsOpen.name) return refuse(refusal("session_ended"));
      // Another player's of the same moment, which the earlier read could not see.
      if (error.statement === claimPaymentIds.name) return refuse(refusal("id_reused"));
      // One of two that came at once has taken the proof, or the last free place.
      const proofTaken = error.statement === proof?.statement.name;
      return refuse(refusal(proofTaken ? "payment_proof_needed" : "too_many_open"));
    }
  }

  /** Posts or voids the hold together with the state; false if it had ended otherwise. */
  async #end(
    row: WithdrawalRow,
    to: "paid" | "failed" | "rejected",
    given: {
      readonly reason?: string | null;
      readonly effects?: readonly Effect[];
      /** Operators say so, and not a provider. */
      readonly byPeople?: boolean;
    } = {},
  ): Promise<boolean> {
    const { reason = null, effects = [], byPeople: by_people = false } = given;
    const at = this.#clock.now();
    const { lane, account_id, id } = row;
    const command = {
      account: accountOfRow(row),
      key: `withdrawal:${id}:${to}`,
      resolves: holdKey(id),
      amount: row.amount_minor,
      counterAccount: `payment:${row.provider}`,
      ref: id,
      at,
      effects: [
        {
          statement: endWithdrawal,
          row: { lane, account_id, id, reason, by_people, state: to, step: { state: to, at } },
        },
        ...effects,
      ],
    };
    try {
      const ended =
        to === "paid"
          ? await this.#options.ledger.post({ ...command, kind: "withdrawal" })
          : await this.#options.ledger.void({ ...command, kind: "void" });
      if (!ended.ok) return false;
      if (!ended.value.repeated) this.#tellWithdrawal({ ...row, state: to });
      return true;
    } catch (error) {
      if (error instanceof EffectMissed && error.statement === endWithdrawal.name) return false;
      throw error;
    }
  }

  /** The mail to the owner about the first withdrawal to a destination; null for any other. */
  async #warningOf(
    by: { readonly merchant: Merchant; readonly session: Session; readonly language: string },
    given: { readonly id: string; readonly destination: string; readonly amount: Money },
    at: number,
  ): Promise<NewJob | null> {
    const { memberId, currency } = by.session;
    const amount = formatMoney(money(given.amount.minor, currency));
    const destination = maskDestination(given.destination);
    const news = { what: "newDestination", destination, amount } as const;
    const { lane, id: account_id } = accountOf(memberId, currency);
    const first = { lane, account_id, destination: given.destination, at, id: given.id };
    if (!(await isFirstThere(this.#pool, first))) return null;
    const owned = { merchant: by.merchant, memberId, language: by.language };
    // Keyed by the withdrawal itself: other numbers end alike.
    return withTransaction(this.#pool, (client) =>
      this.#options.ownerMails.jobFor(client, owned, news, null, given.id),
    );
  }

  #tellDeposit(row: DepositRow, state: string): void {
    this.#options.onChange(row.member_id, { type: "deposit", id: row.id, state });
  }

  #tellWithdrawal(row: WithdrawalRow): void {
    this.#options.onChange(row.member_id, { type: "withdrawal", id: row.id, state: row.state });
  }
}

const callPayload = z.object({ kind: z.enum(["deposit", "withdrawal"]), id: z.string() });

function taskOf(provider: string, call: (typeof CALLS)[number]): string {
  return `cashier_${call}:${provider}`;
}

function hasEnded({ state }: WithdrawalRow): boolean {
  return state === "paid" || state === "failed" || state === "rejected";
}

function holdKey(id: string): string {
  return `withdrawal:${id}:hold`;
}

/** A provider's answer to a question, as if it were its own call-back. */
function eventOf(kind: PaymentKind, id: string, known: KnownPayment, at: number): PaymentEvent {
  return { ...known, eventId: `asked:${id}:${known.status}`, kind, reference: id, at };
}

function withinLimits(
  method: Method,
  session: Session,
  given: { readonly amount: Money },
): Result<Method, Refusal> {
  if (given.amount.currency !== session.currency) {
    return refuse(fieldRefusal("amount.currency", "foreign_currency"));
  }
  const minor = given.amount.minor;
  const { minMinor, maxMinor } = method;
  if (minor < minMinor) {
    return refuse(limitRefusal("amount.minor", "too_small", `${minMinor}`, session.currency));
  }
  if (minor > maxMinor) {
    return refuse(limitRefusal("amount.minor", "too_big", `${maxMinor}`, session.currency));
  }
  return ok(method);
}

function sameWithdrawal(
  existing: WithdrawalRow,
  account: Account,
  given: { readonly method: string; readonly destination: string; readonly amount: Money },
): Result<WithdrawalRow, Refusal> {
  const isSame =
    isSamePayment(existing, account, given) && existing.destination === given.destination;
  return isSame ? ok(existing) : refuse(refusal("id_reused"));
}

function amountFault(
  row: { readonly amount_minor: bigint; readonly currency: string },
  event: PaymentEvent,
): Refusal | null {
  if (event.amount.currency !== row.currency) {
    return fieldRefusal("amount.currency", "foreign_currency");
  }
  return event.amount.minor === row.amount_minor ? null : fieldRefusal("amount.minor", "mismatch");
}

function bodyOf(event: PaymentEvent) {
  return { ...event, amount: toWire(event.amount) };
}
