import type { ExternalProvider } from "@perya/contract/external-login";
import { type Refusal, refusal } from "@perya/contract/refusal";
import type { Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import { isUniqueViolation } from "../../../platform/postgres/violations.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { OwnerMails } from "../defence/owner-mails.ts";
import { lockMember } from "../members/members.store.ts";
import { ownerIn, type Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { BegunLogin, ExternalFlows, GivenFlow } from "./external-flows.ts";
import {
  type ExternalAccount,
  findExternalMember,
  insertExternalMember,
  type KeptAccount,
  listExternalAccounts,
  removeExternalAccount,
} from "./external-login.store.ts";

export interface ExternalAccountsOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly sessions: Sessions;
  readonly flows: Pick<ExternalFlows, "begin" | "takeProof" | "offered">;
  readonly ownerMails: Pick<OwnerMails, "tell">;
}

export interface LinkedAccount {
  readonly provider: ExternalProvider;
  readonly linkedAt: Instant;
  /** False while the member has no other way in that nobody can take from them. */
  readonly removable: boolean;
}

/** Accounts with Google and Facebook that a member adds to their own account and removes again. */
export class ExternalAccounts {
  readonly #options: ExternalAccountsOptions;

  constructor(options: ExternalAccountsOptions) {
    this.#options = options;
  }

  async list(merchant: Merchant, session: Session): Promise<LinkedAccount[]> {
    const { pool } = this.#options;
    const { hasPassword, accounts } = await listExternalAccounts(pool, session.memberId);
    return accounts.map(({ provider, linkedAt }) => {
      const removable = hasPassword || this.#opensBeside(merchant, accounts, provider);
      return { provider, linkedAt, removable };
    });
  }

  /**
   * The address at which the member shows that the account is theirs. Refuses with
   * `fresh_login_needed`, with `wrong_state` if they have one at this provider, or as
   * `ExternalFlows.begin` does.
   */
  async begin(
    merchant: Merchant,
    session: Session,
    provider: ExternalProvider,
    origin: string,
  ): Promise<Result<BegunLogin, Refusal>> {
    const { pool, sessions, flows } = this.#options;
    if (!(await sessions.isFresh(session.id))) return refuse(refusal("fresh_login_needed"));
    const { accounts } = await listExternalAccounts(pool, session.memberId);
    if (accounts.some((one) => one.provider === provider)) return refuse(refusal("wrong_state"));
    return flows.begin(merchant, provider, origin, ownerIn(session));
  }

  /**
   * Adds the account that a flow of this session proved, and mails the owner. The session was fresh
   * when the flow began; whatever makes it less fresh voids the flow and its proof. Refuses with
   * `external_login_failed`, `external_taken` if the account opens another member's, or
   * `wrong_state` as `begin` does.
   */
  async finish(
    merchant: Merchant,
    session: Session,
    given: GivenFlow,
    language: string,
  ): Promise<Result<{ provider: ExternalProvider }, Refusal>> {
    const { pool, clock, flows, ownerMails } = this.#options;
    const { memberId } = session;
    const use = { purpose: "link", ...ownerIn(session) } as const;
    let account: ExternalAccount | null = null;
    try {
      await withTransaction(pool, async (client) => {
        await lockMember(client, memberId);
        const proof = await flows.takeProof(client, merchant, given, use);
        account = proof && { merchantId: merchant.id, ...proof };
        if (account === null) return;
        await insertExternalMember(client, account, memberId, clock.now());
        const { provider } = account;
        const news = { what: "externalAccount", provider, added: true } as const;
        await ownerMails.tell(client, { merchant, memberId, language }, news);
      });
    } catch (error) {
      const owner = account && (await findExternalMember(pool, account));
      if (owner !== null && owner !== memberId) return refuse(refusal("external_taken"));
      if (isUniqueViolation(error)) return refuse(refusal("wrong_state"));
      throw error;
    }
    if (account === null) return refuse(refusal("external_login_failed"));
    const { provider } = account;
    return ok({ provider });
  }

  /**
   * Removes an account and mails the owner. Refuses with `fresh_login_needed`, `not_found`, or
   * `last_way_in` for the member's only way in. A passkey does not count as another way in, since
   * the member may remove it next, nor does a number, since the brand may stop sending codes.
   */
  async remove(
    merchant: Merchant,
    session: Session,
    provider: ExternalProvider,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const { clock, sessions, ownerMails } = this.#options;
    if (!(await sessions.isFresh(session.id))) return refuse(refusal("fresh_login_needed"));
    const { memberId } = session;
    return sessions.whileFresh(session, async (client) => {
      // If two accounts are removed at the same moment, one stays.
      const { hasPassword, accounts } = await listExternalAccounts(client, memberId);
      if (!accounts.some((one) => one.provider === provider)) return refuse(refusal("not_found"));
      if (!hasPassword && !this.#opensBeside(merchant, accounts, provider)) {
        return refuse(refusal("last_way_in"));
      }
      await removeExternalAccount(client, ownerIn(session), provider, clock.now());
      const news = { what: "externalAccount", provider, added: false } as const;
      await ownerMails.tell(client, { merchant, memberId, language }, news);
      return ok(undefined);
    });
  }

  #opensBeside(merchant: Merchant, accounts: readonly KeptAccount[], provider: ExternalProvider) {
    const offered = this.#options.flows.offered(merchant);
    return accounts.some((one) => one.provider !== provider && offered.includes(one.provider));
  }
}
