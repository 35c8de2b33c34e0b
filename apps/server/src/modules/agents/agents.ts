import type { ContractKind } from "@perya/contract/agents";
import { fieldRefusal, limitRefusal, type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { businessDay, type Clock, DAY_MS, dayAfter, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Merchant } from "../brand/brand.ts";
import { callerOfType } from "../identity/identity.ts";
import { accountOf } from "../ledger/ledger.ts";
import {
  type Agent,
  type Contract,
  countTeam,
  decideContract,
  endHolding,
  findContract,
  findDownline,
  findHolding,
  findUplineType,
  insertContract,
  listContracts,
  listPending,
  listTeam,
  lockContract,
  type Side,
  type TeamCounts,
} from "./agents.store.ts";
import {
  beyondBrand,
  beyondOwn,
  type DividendPeriod,
  type GivenTerms,
  isSameTerms,
  readTerms,
  type Terms,
} from "./contract-terms.ts";

export { findContract } from "./agents.store.ts";

/** Types to whom a contract may be offered; the house's own agents have none (games §6). */
const CONTRACT_TYPES: readonly number[] = [1, 2];
const LIST_MAX = 50;
/** A session touches its row once a minute; this long after the last touch, its player has left. */
const ONLINE_MS = 5 * MINUTE_MS;
const SPAN_MAX = 366;

export interface GivenOffer extends GivenTerms {
  readonly id: string;
  readonly username: string;
}

/** Contracts that wait for an agent's answer, by kind; null for none. */
export interface Requirements {
  readonly daily: boolean;
  readonly hourly: boolean;
  readonly dividend: DividendPeriod | null;
}

/**
 * Teams and what their agents promise each other. A team is everybody whom a member invited, whom
 * those invited, and so on, within one brand. A contract is offered by an agent to one right below:
 * pending → accepted | declined | withdrawn; accepted, it holds from the brand's next day until
 * another replaces it.
 */
export class Agents {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;

  constructor(pool: pg.Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  async requirements(who: Agent): Promise<Requirements> {
    const pending = await listPending(this.#pool, who);
    const of = (kind: ContractKind) => pending.find((one) => one.kind === kind);
    return {
      daily: of("daily") !== undefined,
      hourly: of("hourly") !== undefined,
      dividend: of("dividend")?.period ?? null,
    };
  }

  /**
   * Those of a kind that were offered to an agent: those that wait or hold first, then the newest.
   */
  contracts(merchant: Merchant, who: Agent, kind: ContractKind): Promise<Contract[]> {
    return listContracts(this.#pool, who, kind, this.#today(merchant), LIST_MAX);
  }

  /**
   * Offers a contract to an agent right below, once under its id. Refuses, naming the field, terms
   * that `readTerms` faults, that exceed the brand's or, if another agent is above, the offerer's
   * own contract of the kind (`kind` if they have none); with `user_missing` a name that nobody
   * right below has, or a blocked agent; `too_many_open` while one of the kind waits, and
   * `id_reused`.
   */
  async offer(
    merchant: Merchant,
    upline: Agent,
    given: GivenOffer,
  ): Promise<Result<Contract, Refusal>> {
    const read = readTerms(merchant, given);
    if (!read.ok) return refuse(refusal("invalid_input", { fields: read.error }));
    const terms = read.value;
    const downline = await findDownline(this.#pool, upline, given.username);
    const before = await findContract(this.#pool, upline, "upline", given.id);
    if (before !== null) return offeredBefore(before, terms, downline?.id);
    if (downline === null || downline.blocked) {
      const fields = [{ field: "username", code: "not_allowed" as const }];
      return refuse(refusal("user_missing", { fields }));
    }
    if (!CONTRACT_TYPES.includes(downline.type)) {
      return refuse(fieldRefusal("username", "not_allowed"));
    }
    const beyond = await this.#beyond(merchant, upline, terms);
    if (beyond !== null) return refuse(beyond);
    const contract = { ...terms, id: given.id, downlineId: downline.id };
    const added = await insertContract(this.#pool, upline, contract, this.#clock.now());
    const offered = await findContract(this.#pool, upline, "upline", given.id);
    if (added) return ok(present(offered, "the contract that was just offered"));
    return offered === null
      ? refuse(refusal("too_many_open"))
      : offeredBefore(offered, terms, downline.id);
  }

  /** Takes an offer back; `not_found`, or `wrong_state` once it was decided. */
  withdraw(merchant: Merchant, upline: Agent, id: string): Promise<Result<Contract, Refusal>> {
    return this.#decide(merchant, upline, "upline", id, "withdrawn");
  }

  /** Holds from the brand's next day on; `not_found`, or `wrong_state` if it no longer waits. */
  accept(merchant: Merchant, who: Agent, id: string): Promise<Result<Contract, Refusal>> {
    return this.#decide(merchant, who, "downline", id, "accepted");
  }

  decline(merchant: Merchant, who: Agent, id: string): Promise<Result<Contract, Refusal>> {
    return this.#decide(merchant, who, "downline", id, "declined");
  }

  /**
   * What everybody below an agent did in the brand's days from one to another; who is online is as
   * of now. Refuses, naming `endDate`, days that run backwards or are too many.
   */
  async teamCounts(
    merchant: Merchant,
    who: Agent,
    days: { readonly from: string; readonly to: string },
  ): Promise<Result<TeamCounts, Refusal>> {
    const { from, to } = days;
    // Days in this form sort by time.
    if (to < from) return refuse(limitRefusal("endDate", "too_small", from));
    if (Date.parse(to) - Date.parse(from) >= SPAN_MAX * DAY_MS) {
      return refuse(limitRefusal("endDate", "too_big", lastOf(from)));
    }
    const team = await listTeam(this.#pool, who);
    const accounts = team.map((id) => accountOf(id, merchant.currency));
    const now = this.#clock.now();
    const moment = { now, seenSince: now - ONLINE_MS };
    return ok(
      await countTeam(this.#pool, team, accounts, { from, to, zone: merchant.zone }, moment),
    );
  }

  /** A decision that was made already is answered as it is. */
  #decide(
    merchant: Merchant,
    who: Agent,
    side: Side,
    id: string,
    state: "accepted" | "declined" | "withdrawn",
  ): Promise<Result<Contract, Refusal>> {
    return withTransaction(this.#pool, async (client) => {
      const contract = await lockContract(client, who, side, id);
      if (contract === null) return refuse(refusal("not_found"));
      if (contract.state === state) return ok(contract);
      if (contract.state !== "pending") return refuse(refusal("wrong_state"));
      const startsOn = state === "accepted" ? dayAfter(this.#today(merchant)) : null;
      // Two of a kind never hold, not even within a transaction.
      if (startsOn !== null) await endHolding(client, who, contract.kind, startsOn);
      const now = this.#clock.now();
      await decideContract(client, merchant.id, contract, state, now, startsOn);
      return ok({ ...contract, state, decidedAt: now, startsOn });
    });
  }

  /** An agent below another gives no more than they get; a line's first, what the brand allows. */
  async #beyond(merchant: Merchant, upline: Agent, terms: Terms): Promise<Refusal | null> {
    const fields = beyondBrand(terms, merchant);
    if (fields.length > 0) return refusal("invalid_input", { fields });
    const above = await findUplineType(this.#pool, upline);
    if (above === null || callerOfType(above) !== "agent") return null;
    const own = await findHolding(this.#pool, upline, terms.kind);
    if (own === null) return fieldRefusal("kind", "not_allowed");
    fields.push(...beyondOwn(terms, own));
    return fields.length === 0 ? null : refusal("invalid_input", { fields });
  }

  #today(merchant: Merchant): string {
    return businessDay(this.#clock.now(), merchant.zone);
  }
}

function offeredBefore(
  before: Contract,
  terms: Terms,
  downlineId: string | undefined,
): Result<Contract, Refusal> {
  const same = before.downlineId === downlineId && isSameTerms(before, terms);
  return same ? ok(before) : refuse(refusal("id_reused"));
}

function lastOf(from: string): string {
  return businessDay(Date.parse(from) + (SPAN_MAX - 1) * DAY_MS, "UTC");
}
