import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import type { Clock } from "@perya/kernel/instant";
import { formatMoney, type Money, money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { addJob, type NewJob } from "../../platform/jobs.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { type Merchant, originsOf } from "../brand/brand.ts";
import {
  type DeviceName,
  type OwnerMails,
  type PaymentProofs,
  type ProofEffect,
  type Session,
  sessionIsOpen,
} from "../identity/identity.ts";
import {
  type Account,
  accountOf,
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
import { MANUAL } from "./manual-provider.ts";
import { claimPaymentIds, countOpen, type ListPage } from "./payments.store.ts";
import {
  accountOfRow,
  callFor,
  eventOf,
  findProvider,
  isSamePayment,
  loneBounds,
  methodFor,
  type PaymentOptions,
} from "./payments.ts";
import {
  type PaymentEvent,
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
  withdrawalRows,
} from "./withdrawals.store.ts";

export const REVIEW_WITHDRAWAL = "cashier_review_withdrawal";
type HoldCommand = Parameters<Ledger["hold"]>[0];

export interface WithdrawalOptions extends PaymentOptions {
  readonly merchantById: (id: string) => Promise<Merchant | null>;
  readonly paymentProofs: Pick<PaymentProofs, "isNeeded" | "effectFor">;
  readonly ownerMails: Pick<OwnerMails, "jobFor">;
}

/**
 * Withdrawals as a state machine over the ledger: held (the money is set aside at once) → approved
 * → sent → paid | failed, or held → rejected. Paid posts the hold; rejected and failed void it. If
 * the player is blocked, or changes what proves who they are, before the money left, it is held
 * again, for an operator. One that operators took over from its provider is theirs to end, whatever
 * the provider says.
 */
export class Withdrawals {
  readonly #options: WithdrawalOptions;
  readonly #pool: pg.Pool;
  readonly #clock: Clock;

  constructor(options: WithdrawalOptions) {
    this.#options = options;
    this.#pool = options.pool;
    this.#clock = options.clock;
  }

  /**
   * Sets the money aside and asks for a review, all in one transaction, in which the session must
   * still be open (`session_ended`). A repetition answers the withdrawal as it is. `by` names the
   * player's browser. The owner gets a mail about the first one to a destination.
   */
  async request(
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
    const method = methodFor(this.#options.providers, merchant, session, "withdrawal", given);
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
    const { id, destination } = given;
    const { provider } = method.value;
    const row = {
      ...{ lane: account.lane, account_id: account.id, currency: account.currency, id, at },
      ...{ merchant_id: merchant.id, member_id: session.memberId, session_id: session.id },
      ...{ method: given.method, provider, destination, device: by.device, network: by.network },
      ...{ amount_minor: amountMinor.toString(), open_max: openMax },
    };
    const warning = await this.#warningOf({ merchant, session, language: by.language }, given, at);
    const command: HoldCommand = {
      ...{ account, key: holdKey(id), amount: amountMinor, kind: "hold", ref: id, at },
      counterAccount: `payment:${provider}`,
      effects: [
        { statement: sessionIsOpen, row: { session_id: session.id } },
        ...(proof.value === null ? [] : [proof.value]),
        { statement: claimPaymentIds, row: { id, account_id: account.id } },
        { statement: insertWithdrawal, row },
        { statement: addJobs, row: { ...reviewJob(id) } },
        ...(warning === null ? [] : [{ statement: addJobs, row: { ...warning } }]),
      ],
    };
    const held = await this.#hold(command, proof.value);
    if (!held.ok) return held;
    const stored = await withdrawalRows.find(this.#pool, account, id);
    const withdrawal = present(stored, "the new withdrawal");
    if (held.value.repeated) return sameWithdrawal(withdrawal, account, given);
    this.#tell(withdrawal);
    return ok(withdrawal);
  }

  list(session: Session, page: ListPage): Promise<WithdrawalRow[]> {
    return withdrawalRows.list(this.#pool, accountOf(session.memberId, session.currency), page);
  }

  find(session: Session, id: string): Promise<WithdrawalRow | null> {
    return withdrawalRows.find(this.#pool, accountOf(session.memberId, session.currency), id);
  }

  async findOf(merchant: { readonly id: string }, id: string) {
    const row = await withdrawalRows.findById(this.#pool, id);
    return row?.merchant_id === merchant.id ? row : null;
  }

  payoutAccountsOf(session: Session): Promise<PayoutAccount[]> {
    return listDestinations(this.#pool, accountOf(session.memberId, session.currency));
  }

  needsProof(merchant: Merchant, session: Session): Promise<boolean> {
    return this.#options.paymentProofs.isNeeded(merchant, session);
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
      if (provider.isOutside) await addJob(this.#pool, callFor("withdrawal", row));
      else await this.#settle(row);
    }
  }

  /** Does the next step of a withdrawal at its outside provider; its job runs this. */
  async callProvider(id: string): Promise<void> {
    const row = await withdrawalRows.findById(this.#pool, id);
    if (row !== null) await this.#settle(row);
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
    this.#tell({ ...row, state: "approved" });
    // Nobody at an operator's screen waits for an outside provider either.
    if (this.#isOutside(row)) return true;
    try {
      await this.#send({ ...row, state: "approved" });
    } catch (error) {
      // If the provider does not take it now, the job sends it later.
      if (!(error instanceof ProviderUnavailable)) throw error;
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
    if (row !== null) this.#tell(row);
  }

  async settlePayout(id: string): Promise<void> {
    const row = await withdrawalRows.findById(this.#pool, id);
    if (row?.state === "approved" || row?.state === "sent") await this.#askPayout(row);
  }

  /** Applies a provider's call-back about one of its pay-outs. */
  async receive(provider: PaymentProvider, event: PaymentEvent): Promise<Result<true, Refusal>> {
    const row = await withdrawalRows.findById(this.#pool, event.reference);
    if (row === null || row.provider !== provider.code) return refuse(refusal("not_found"));
    return this.#apply(row, event, provider);
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
    if (letOut) this.#tell({ ...row, state: "approved" });
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
    const bounds = loneBounds(await this.#merchantOf({ merchant_id }), "withdrawal");
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
    const job = callFor("withdrawal", approved);
    await addJob(client, this.#isOutside(row) ? job : reviewJob(row.id, ":approved"));
    return true;
  }

  async #apply(
    row: WithdrawalRow,
    event: PaymentEvent,
    teller: PaymentProvider,
  ): Promise<Result<true, Refusal>> {
    if (event.amount.currency !== row.currency) {
      return refuse(fieldRefusal("amount.currency", "foreign_currency"));
    }
    if (event.amount.minor !== row.amount_minor) {
      return refuse(fieldRefusal("amount.minor", "mismatch"));
    }
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
    const provider = this.#providerOf(row);
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
    if (moved) this.#tell({ ...row, state: "sent" });
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
    if (kept) this.#tell({ ...row, state: "held" });
  }

  /** The next step of one that was let out; one that operators took over is not sent again. */
  async #settle(row: WithdrawalRow): Promise<void> {
    const isTheirs = row.taken_over_at !== null;
    if (row.state === "approved" && !isTheirs) await this.#send(row);
    else if (row.state === "approved" || row.state === "sent") await this.#askPayout(row);
  }

  /** For a pay-out whose call-back may be lost; one that the provider lost is sent again. */
  async #askPayout(row: WithdrawalRow): Promise<void> {
    const payer = this.#payerOf(row);
    if (payer === null) return;
    const known = await payer.ask("withdrawal", row.id);
    if (known === null) await this.#send(row);
    else {
      const event = eventOf("withdrawal", row.id, known, this.#clock.now());
      await this.#apply(row, event, payer);
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
      return refuse(refusal(refusedBy(error.statement, proof)));
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
    const step = { state: to, at };
    const end = { lane, account_id, id, reason, by_people, state: to, step };
    const command = {
      ...{ account: accountOfRow(row), key: `withdrawal:${id}:${to}`, resolves: holdKey(id) },
      ...{ amount: row.amount_minor, counterAccount: `payment:${row.provider}`, ref: id, at },
      effects: [{ statement: endWithdrawal, row: end }, ...effects],
    };
    try {
      const ended =
        to === "paid"
          ? await this.#options.ledger.post({ ...command, kind: "withdrawal" })
          : await this.#options.ledger.void({ ...command, kind: "void" });
      if (!ended.ok) return false;
      if (!ended.value.repeated) this.#tell({ ...row, state: to });
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

  /** Who says how a pay-out ends: its provider, or the people who took it over. */
  #payerOf(row: WithdrawalRow): PaymentProvider | null {
    return row.taken_over_at === null
      ? this.#providerOf(row)
      : findProvider(this.#options.providers, MANUAL);
  }

  #providerOf(row: WithdrawalRow): PaymentProvider | null {
    return findProvider(this.#options.providers, row.provider);
  }

  #isOutside(row: WithdrawalRow): boolean {
    return this.#providerOf(row)?.isOutside === true;
  }

  async #merchantOf({ merchant_id }: { readonly merchant_id: string }): Promise<Merchant> {
    return present(await this.#options.merchantById(merchant_id), "the brand of a payment");
  }

  #tell(row: WithdrawalRow): void {
    this.#options.onChange(row.member_id, { type: "withdrawal", id: row.id, state: row.state });
  }
}

function hasEnded({ state }: WithdrawalRow): boolean {
  return state === "paid" || state === "failed" || state === "rejected";
}

/** The two jobs have keys of their own, so that neither replaces the other. */
function reviewJob(id: string, after: "" | ":approved" = ""): NewJob {
  const key = `${REVIEW_WITHDRAWAL}:${id}${after}`;
  return { task: REVIEW_WITHDRAWAL, payload: { id }, key, runAt: null };
}

/** Why a hold was undone, by the statement whose effect was missed. */
function refusedBy(statement: string, proof: ProofEffect | null) {
  // The session ended here, or in another process, while this waited for its turn.
  if (statement === sessionIsOpen.name) return "session_ended";
  // Another player's of the same moment, which the earlier read could not see.
  if (statement === claimPaymentIds.name) return "id_reused";
  // One of two that came at once has taken the proof, or the last free place.
  return statement === proof?.statement.name ? "payment_proof_needed" : "too_many_open";
}

function holdKey(id: string): string {
  return `withdrawal:${id}:hold`;
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
