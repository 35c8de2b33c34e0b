import type { ExternalProvider } from "@perya/contract/external-login";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { mintToken } from "../../../platform/bearer-token.ts";
import { type Db, withTransaction } from "../../../platform/postgres/pool.ts";
import { constraintOf } from "../../../platform/postgres/violations.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { Registrations } from "../accounts/registration.ts";
import {
  type RegistrationFields,
  requiredOutside,
  takesMembers,
} from "../accounts/registration-form.ts";
import type { TakeProof } from "../factors/owner-proof.ts";
import type { PendingLogin } from "../factors/second-factor.ts";
import type { Logins } from "../logins/logins.ts";
import { doorFault, MEMBER_TYPE } from "../members/member-type.ts";
import { findMember, isEmailVerified, type MemberRow } from "../members/members.store.ts";
import type { Device, LoggedIn } from "../sessions/sessions.ts";
import {
  type ExternalFlows,
  FAILED,
  type GivenFlow,
  keyOf,
  LOGIN,
  REGISTRATION,
} from "./external-flows.ts";
import {
  type ExternalAccount,
  findExternalMember,
  insertExternalMember,
  insertProof,
  type ProvenIdentity,
  takeProof,
} from "./external-login.store.ts";

export const TICKET_MS = 20 * MINUTE_MS;

export interface ExternalLoginsOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly flows: Pick<ExternalFlows, "findProof">;
  readonly registrations: Pick<Registrations, "registerOutside">;
  readonly logins: Pick<Logins, "finishLogin">;
}

/** A login of somebody who is not a member yet, and what the form must ask to make them one. */
export interface AwaitedRegistration {
  readonly ticket: string;
  readonly expiresAt: Instant;
  readonly provider: ExternalProvider;
  readonly email: string | null;
  readonly requires: ReturnType<typeof requiredOutside>;
}

export class ExternalLogins {
  readonly #options: ExternalLoginsOptions;

  constructor(options: ExternalLoginsOptions) {
    this.#options = options;
  }

  /**
   * The session of the member whose account it is, or a registration ticket if the account has no
   * member yet. Refuses with `external_login_failed`, with what `finishLogin` says, or, before a
   * form is asked for, with `feature_off`, `not_agent_account` and `email_taken`.
   */
  async finish(
    merchant: Merchant,
    given: GivenFlow,
    device: Device,
  ): Promise<Result<LoggedIn | PendingLogin | AwaitedRegistration, Refusal>> {
    const { clock, flows, logins } = this.#options;
    const found = await flows.findProof(merchant, given, LOGIN);
    if (found === null) return refuse(FAILED);
    const { key, proof } = found;
    const take: TakeProof = async (db) => (await takeProof(db, key, clock.now())) !== null;
    const account = { merchantId: merchant.id, ...proof };
    const member = await this.#memberOf(account);
    if (member === null) return this.#ticket(merchant, proof, given, device, take);
    return logins.finishLogin(merchant, member, device, proof.provider, {
      take: async (db) => (await opens(db, account, member)) && (await take(db)),
      taken: FAILED,
    });
  }

  /**
   * Makes a member of the person for whom the ticket was issued, and logs them in. Refuses with
   * `external_login_failed` for a ticket that is used up, another browser's or too old, with what
   * `registerOutside` says, after which the ticket is still valid, or as `finish` does.
   */
  async register(
    merchant: Merchant,
    given: GivenFlow,
    form: RegistrationFields,
    device: Device,
  ): Promise<Result<LoggedIn | PendingLogin, Refusal>> {
    const { pool, clock, flows, registrations, logins } = this.#options;
    const shown = await flows.findProof(merchant, given, REGISTRATION);
    if (shown === null) return refuse(FAILED);
    const { key, proof } = shown;
    const account = { merchantId: merchant.id, ...proof };
    let made: Result<{ readonly deviceToken: string }, Refusal> = refuse(FAILED);
    if ((await this.#memberOf(account)) === null) {
      const closed = doorFault(merchant, MEMBER_TYPE, device.host);
      if (closed !== null) return refuse(closed);
      made = await unlessOvertaken(() =>
        registrations.registerOutside(
          merchant,
          form,
          {
            ...proof,
            also: async (client, memberId) => {
              const ours = await takeProof(client, key, clock.now());
              if (ours === null) throw new TicketSpent();
              await insertExternalMember(client, account, memberId, clock.now());
            },
          },
          device,
        ),
      );
    }
    const found = await this.#memberOf(account);
    if (!made.ok && found === null) return made;
    // If another ticket of the same account was first, this one is used up by the login alone,
    // whatever was wrong with the form. If it was this very ticket, nothing is left to use up.
    if (!made.ok && (await takeProof(pool, key, clock.now())) === null) return refuse(FAILED);
    const member = present(found, "the member of an account outside");
    const known = made.ok ? { ...device, token: made.value.deviceToken } : device;
    return logins.finishLogin(merchant, member, known, proof.provider, {
      take: (db) => opens(db, account, member),
      taken: FAILED,
    });
  }

  async #memberOf(account: ExternalAccount): Promise<MemberRow | null> {
    const { pool } = this.#options;
    const id = await findExternalMember(pool, account);
    return id === null ? null : findMember(pool, account.merchantId, id);
  }

  /**
   * An address that another member has verified makes no member: the provider would then decide
   * whose account it is. The owner logs in as before and adds the external account.
   */
  async #ticket(
    merchant: Merchant,
    proof: ProvenIdentity,
    given: GivenFlow,
    device: Device,
    take: TakeProof,
  ): Promise<Result<AwaitedRegistration, Refusal>> {
    const { pool, clock, entropy } = this.#options;
    if (!takesMembers(merchant)) return refuse(refusal("feature_off"));
    const closed = doorFault(merchant, MEMBER_TYPE, device.host);
    if (closed !== null) return refuse(closed);
    const { provider, email, emailVerified } = proof;
    if (email !== null && emailVerified && (await isEmailVerified(pool, merchant.id, email))) {
      return refuse(refusal("email_taken"));
    }
    const ticket = mintToken(entropy);
    const expiresAt = clock.now() + TICKET_MS;
    const key = keyOf(merchant, { ...given, flow: ticket.token }, REGISTRATION);
    const taken = await withTransaction(pool, async (client) => {
      if (!(await take(client))) return false;
      await insertProof(client, present(key, "the browser of a proof"), proof, expiresAt);
      return true;
    });
    if (!taken) return refuse(FAILED);
    const requires = requiredOutside(merchant);
    return ok({ ticket: ticket.token, expiresAt, provider, email, requires });
  }
}

/** Whether the account is still the member's; checked under their lock by what it begins. */
async function opens(db: Db, account: ExternalAccount, member: MemberRow): Promise<boolean> {
  return (await findExternalMember(db, account)) === member.id;
}

/** Undoes the registration for a ticket that another request took at the same moment. */
class TicketSpent extends Error {}

/** Undoes and refuses if another registration of the account was first. */
async function unlessOvertaken<T>(
  register: () => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  try {
    return await register();
  } catch (error) {
    const isTaken = constraintOf(error) === "external_identities_pkey";
    const overtaken = error instanceof TicketSpent || isTaken;
    if (overtaken) return refuse(FAILED);
    throw error;
  }
}
