import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { assert, present } from "@perya/kernel/assert";
import { type Clock, MINUTE_MS } from "@perya/kernel/instant";
import { type Money, money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { addJob } from "../../platform/jobs.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { type Merchant, originsOf } from "../brand/brand.ts";
import { lockMember, type Session } from "../identity/identity.ts";
import { type Account, accountOf } from "../ledger/ledger.ts";
import {
  type DepositRow,
  depositRows,
  expireDeposits,
  hasPaidDeposit,
  insertDeposit,
  moveDeposit,
  payDeposit,
  setPayUrl,
} from "./deposits.store.ts";
import { claimPaymentId, countOpen, type ListPage } from "./payments.store.ts";
import {
  accountOfRow,
  callFor,
  eventOf,
  findProvider,
  isSamePayment,
  methodFor,
  type PaymentOptions,
} from "./payments.ts";
import {
  type PaymentEvent,
  type PaymentProvider,
  ProviderRefused,
  ProviderUnavailable,
} from "./provider.ts";

const EXPIRED_AT_ONCE = 200;
/** More than ever expire in a minute; a run must end all the same. */
const EXPIRED_PAGES_MAX = 500;

/**
 * Deposits as a state machine over the ledger: created → pending → paid | failed, or
 * created/pending → expired; one that is paid by hand goes from expired to pending when its player
 * says so. Money moves once, on the provider's signed word, in the same transaction as the state; a
 * payment that comes after expiry or failure still counts, since the player did pay. The amount
 * that came is credited, even if it is less or more than was requested.
 */
export class Deposits {
  readonly #options: PaymentOptions;
  readonly #pool: pg.Pool;
  readonly #clock: Clock;

  constructor(options: PaymentOptions) {
    this.#options = options;
    this.#pool = options.pool;
    this.#clock = options.clock;
  }

  async open(
    merchant: Merchant,
    session: Session,
    given: { readonly id: string; readonly method: string; readonly amount: Money },
  ): Promise<Result<DepositRow, Refusal>> {
    const account = accountOf(session.memberId, session.currency);
    // Providers know a payment by this id alone, so an id in use elsewhere is taken.
    const existing = await depositRows.findById(this.#pool, given.id);
    if (existing !== null) return this.#answer(merchant, account, existing, given);
    // Money that came could be neither staked nor withdrawn.
    if (session.blocked) return refuse(refusal("member_blocked"));
    const method = methodFor(this.#options.providers, merchant, session, "deposit", given);
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
        ...{ account, id: given.id, merchantId: merchant.id, memberId: session.memberId },
        ...{ sessionId: session.id, method: given.method, provider: method.value.provider },
        ...{ amountMinor: given.amount.minor, state: "created", createdAt },
        expiresAt: createdAt + depositMinutes * MINUTE_MS,
      });
      return "opened";
    });
    if (opened !== "opened") return refuse(refusal(opened));
    const row = present(await depositRows.find(this.#pool, account, given.id), "the new deposit");
    return this.#answer(merchant, account, row, given);
  }

  list(session: Session, page: ListPage): Promise<DepositRow[]> {
    return depositRows.list(this.#pool, accountOf(session.memberId, session.currency), page);
  }

  find(session: Session, id: string): Promise<DepositRow | null> {
    return depositRows.find(this.#pool, accountOf(session.memberId, session.currency), id);
  }

  hasPaidIn(session: Session): Promise<boolean> {
    return hasPaidDeposit(this.#pool, accountOf(session.memberId, session.currency));
  }

  /**
   * Asks the provider about an open deposit, in case its call-back is lost; a job asks an outside
   * one.
   */
  async ask(row: DepositRow): Promise<void> {
    if (this.#providerOf(row)?.isOutside !== true) await this.#askNow(row);
    else await addJob(this.#pool, callFor("deposit", row));
  }

  /** Asks the outside provider about a deposit that is not paid; its job runs this. */
  async callProvider(id: string): Promise<void> {
    const row = await depositRows.findById(this.#pool, id);
    if (row !== null && row.state !== "paid") await this.#askNow(row);
  }

  /** Applies a provider's call-back about one of its deposits. */
  async receive(provider: PaymentProvider, event: PaymentEvent): Promise<Result<true, Refusal>> {
    const row = await depositRows.findById(this.#pool, event.reference);
    if (row === null || row.provider !== provider.code) return refuse(refusal("not_found"));
    return this.#apply(row, event);
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
    this.#tell(row, "pending");
  }

  /** A job runs this: it closes expired pages without a payment, until none is left. */
  async expire(): Promise<void> {
    for (let pages = 0; pages < EXPIRED_PAGES_MAX; pages++) {
      const expired = await expireDeposits(this.#pool, this.#clock.now(), EXPIRED_AT_ONCE);
      for (const row of expired) this.#tell(row, "expired");
      if (expired.length < EXPIRED_AT_ONCE) return;
    }
  }

  /** Answers the deposit under a request's id, with the address at which its player pays. */
  async #answer(
    merchant: Merchant,
    account: Account,
    row: DepositRow,
    given: { readonly method: string; readonly amount: Money },
  ): Promise<Result<DepositRow, Refusal>> {
    if (!isSamePayment(row, account, given)) return refuse(refusal("id_reused"));
    // One whose address was lost on the way is pending at the provider, and still to be paid.
    const isOpen = row.state === "created" || row.state === "pending";
    if (row.pay_url !== null || !isOpen) return ok(row);
    const provider = this.#providerOf(row);
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
      await setPayUrl(this.#pool, row, opened);
      return ok({ ...row, pay_url: opened.payUrl });
    } catch (error) {
      if (error instanceof ProviderUnavailable) return refuse(refusal("provider_unavailable"));
      if (!(error instanceof ProviderRefused)) throw error;
      // Refused for good: a repetition finds the deposit in this state, and so does this answer.
      const at = this.#clock.now();
      if (await moveDeposit(this.#pool, row, "failed", ["created", "pending"], at)) {
        this.#tell(row, "failed");
      }
      const now = await depositRows.find(this.#pool, account, row.id);
      return ok(present(now, "a deposit that failed"));
    }
  }

  async #apply(row: DepositRow, event: PaymentEvent): Promise<Result<true, Refusal>> {
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
      this.#tell(row, event.status);
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
      ...{ account: accountOfRow(row), key: `deposit:${id}`, kind: "deposit", ref: id, at },
      amount: receivedMinor,
      counterAccount: `payment:${row.provider}`,
      effects: [{ statement: payDeposit, row: paid }],
    });
    if (!credited.ok && credited.error.code === "key_reused") {
      const about = { id, receivedMinor };
      this.#options.onAlarm("a deposit was told to be paid with two amounts", about);
      return refuse(refusal("wrong_state"));
    }
    assert(credited.ok, `the credit of deposit ${row.id}`);
    if (!credited.value.repeated) this.#tell(row, "paid");
    return ok(true);
  }

  async #askNow(row: DepositRow): Promise<void> {
    const known = (await this.#providerOf(row)?.ask("deposit", row.id)) ?? null;
    if (known === null) return;
    await this.#apply(row, eventOf("deposit", row.id, known, this.#clock.now()));
  }

  #providerOf(row: DepositRow): PaymentProvider | null {
    return findProvider(this.#options.providers, row.provider);
  }

  #tell(row: DepositRow, state: string): void {
    this.#options.onChange(row.member_id, { type: "deposit", id: row.id, state });
  }
}
