import { isDeepStrictEqual } from "node:util";
import { fieldRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Clock, MINUTE_MS } from "@perya/kernel/instant";
import type { Money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Merchant } from "../brand/brand.ts";
import { callerOfType, findMemberByName, lockMember } from "../identity/identity.ts";
import { accountOf } from "../ledger/ledger.ts";
import {
  type Act,
  lastWord,
  mayActAlone,
  recordAction,
  unlessRevoked,
  wordCounts,
} from "../operators/operators.ts";
import { bankKeyOf, unlessNumberTaken } from "./bank-number.ts";
import type { Cashier } from "./cashier.ts";
import { type DepositRow, depositRows, insertDeposit } from "./deposits.store.ts";
import type { Deposits } from "./deposits.ts";
import {
  decideDeposit,
  findManualDeposits,
  findReceipt,
  listWaitingDeposits,
  lockOpenDeposit,
  type ManualDeposit,
  type Received,
  writeCount,
} from "./manual-deposits.store.ts";
import { MANUAL } from "./manual-provider.ts";
import { claimPaymentId, type OperatorPage } from "./payments.store.ts";
import { type Answer, findProvider, isSamePayment, loneBounds } from "./payments.ts";
import type { PaymentProvider } from "./provider.ts";

/** Not written before the second word; written by it; or there already. */
type RestoreStep = "first" | "written" | "unchanged";

type Decision =
  | { readonly received: Received; readonly reason: null }
  | { readonly received: null; readonly reason: string };

/**
 * What operators do to deposits, each for the brand that they belong to. An operator's word is
 * written down first, with who gave it; the cashier then acts on it, and its sweep does so in case
 * this process ends in between. Every call may be sent twice.
 */
export class OperatorDeposits {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #deposits: Deposits;
  readonly #providers: readonly PaymentProvider[];

  constructor(pool: pg.Pool, clock: Clock, cashier: Pick<Cashier, "deposits" | "providers">) {
    this.#pool = pool;
    this.#clock = clock;
    this.#deposits = cashier.deposits;
    this.#providers = cashier.providers;
  }

  waiting(merchant: Merchant, page: OperatorPage) {
    return listWaitingDeposits(this.#pool, merchant.id, page);
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
  async confirm(
    merchant: Merchant,
    act: Act,
    id: string,
    received: Money,
    bankReference: string,
  ): Promise<Answer> {
    const deposit = await this.#depositOf(merchant, id);
    if (deposit === null) return refuse(refusal("not_found"));
    if (received.currency !== deposit.currency) {
      return refuse(fieldRefusal("received.currency", "foreign_currency"));
    }
    const found = { minor: received.minor, bankReference, bankKey: bankKeyOf(bankReference) };
    const decision = { received: found, reason: null };
    return unlessNumberTaken(() => this.#decide(merchant, act, deposit, decision));
  }

  /** The money did not come; final, so that a player who did pay opens another deposit. */
  async refuse(merchant: Merchant, act: Act, id: string, reason: string): Promise<Answer> {
    const deposit = await this.#depositOf(merchant, id);
    if (deposit === null) return refuse(refusal("not_found"));
    return this.#decide(merchant, act, deposit, { received: null, reason });
  }

  /**
   * Writes a deposit again that a restore of the database has lost, under the id by which its
   * outside provider has it. That moves nothing: the provider is asked, as about any deposit, and
   * what it says came is credited. An operator who names another player sends a stranger's money
   * there, so it is "first_restored", and not written, until a second operator names the same, even
   * for a small sum. One that exists answers as it is. `not_found`: the brand has no such player.
   */
  async restore(
    merchant: Merchant,
    act: Act,
    id: string,
    given: { readonly username: string; readonly method: string; readonly amount: Money },
  ): Promise<Answer> {
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
    const write = async (client: pg.ClientBase): Promise<Result<RestoreStep, Refusal>> => {
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
    const restored = await unlessRevoked(() => withTransaction(this.#pool, write));
    if (!restored.ok) return restored;
    if (restored.value === "first") return ok({ id, state: "first_restored" });
    const row = present(await depositRows.findById(this.#pool, id), "the restored deposit");
    if (restored.value === "written") this.#deposits.tellAwaiting(row);
    // Also for one that exists: its provider may have been silent for as long as it was asked.
    if (row.state !== "paid") await this.#deposits.ask(row);
    return ok({ id, state: row.state });
  }

  #askedFor({ settings }: Merchant, code: string): Result<string, Refusal> {
    const method = settings.cashier.methods.find(
      (one) => one.kind === "deposit" && one.code === code,
    );
    const notAllowed = refuse(fieldRefusal("method", "not_allowed"));
    if (method === undefined || method.provider === MANUAL) return notAllowed;
    const provider = findProvider(this.#providers, method.provider);
    if (provider === null) return refuse(refusal("provider_not_wired"));
    return provider.isOutside ? ok(provider.code) : notAllowed;
  }

  async #depositOf(merchant: Merchant, id: string): Promise<DepositRow | null> {
    const row = await depositRows.findById(this.#pool, id);
    return row?.merchant_id === merchant.id && row.provider === MANUAL ? row : null;
  }

  async #decide(
    merchant: Merchant,
    act: Act,
    deposit: DepositRow,
    decision: Decision,
  ): Promise<Answer> {
    const { id, method, member_id: memberId } = deposit;
    const { received, reason } = decision;
    const detail = received === null ? { reason } : foundOf(deposit, received);
    const me = act.operator.id;
    const bounds = loneBounds(merchant, "deposit");
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
    await this.#deposits.ask(deposit);
    const state = (await depositRows.findById(this.#pool, id))?.state ?? deposit.state;
    return ok({ id, state });
  }
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
