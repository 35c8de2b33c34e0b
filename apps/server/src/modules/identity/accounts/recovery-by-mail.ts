import type { BodyOf } from "@perya/contract/call";
import type { recoveryCalls } from "@perya/contract/recovery";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { HOUR_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { hashOfToken } from "../../../platform/bearer-token.ts";
import { addJob } from "../../../platform/jobs.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import {
  AbuseCounts,
  limitsOfAddress,
  limitsOfKnown,
  limitsOfMails,
  subjectOf,
} from "../defence/abuse-counts.ts";
import { KnownDevices } from "../defence/known-devices.ts";
import type { TakeProof } from "../factors/owner-proof.ts";
import { findMember, findMemberByName, type MemberRow } from "../members/members.store.ts";
import { newPasswordFaults } from "../members/new-password.ts";
import type { PasswordWork } from "../members/passwords.ts";
import { findMailLink, findUsedMailLink, useMailLink } from "./mail-links.store.ts";
import type { PasswordSetting } from "./password-setting.ts";
import { resetMailJob } from "./reset-mails.ts";

const ADDRESS_PER_HOUR = 20;

export interface RecoveryByMailOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  readonly passwords: PasswordWork;
  readonly setting: PasswordSetting;
  /** False if this installation sends no mail, so that recovery by mail is off. */
  readonly mailsAreSent: boolean;
}

interface Caller {
  readonly address: string;
  readonly language: string;
  /** From the phone's cookie (`deviceHashOf`); absent if it has none. */
  readonly deviceHash?: Buffer | null;
}

type GivenByLink = BodyOf<(typeof recoveryCalls)["POST /api/v1/auth/password-by-link"]>;

/**
 * A new password by a link in a mail. A stranger gets the same answer whether or not an account
 * exists, after the same work.
 */
export class RecoveryByMail {
  readonly #options: RecoveryByMailOptions;
  readonly #counts: AbuseCounts;
  readonly #devices: KnownDevices;

  constructor(options: RecoveryByMailOptions) {
    const { pool, clock, entropy } = options;
    this.#options = options;
    this.#counts = new AbuseCounts(pool, clock);
    this.#devices = new KnownDevices(pool, clock, entropy);
  }

  /**
   * Sends a link by a job if name and address belong together. The reply waits for nothing that
   * only a member has, and the mail that it announces survives this process. Refuses with
   * `feature_off` or `rate_limited`, which also count names that nobody has.
   */
  async forgot(
    merchant: Merchant,
    given: { readonly username: string; readonly email: string },
    { address, language, deviceHash = null }: Caller,
  ): Promise<Result<void, Refusal>> {
    const { clock, mailsAreSent } = this.#options;
    if (merchant.settings.recoveryByPhone || !mailsAreSent) return refuse(refusal("feature_off"));
    const { username, email } = given;
    const account = await findMemberByName(this.#options.pool, merchant.id, username);
    const known = await this.#devices.phoneOf(account?.id ?? null, deviceHash);
    const links = `reset:${subjectOf(username, email)}`;
    // Neither strangers who know a name and its address, nor others behind the same address, use up
    // what the owner may request on a phone of theirs.
    const limits =
      known === null
        ? [
            ...limitsOfMails(links, address),
            ...limitsOfAddress("reset:address", address, ADDRESS_PER_HOUR, HOUR_MS),
          ]
        : [
            ...limitsOfKnown(links, known),
            // For any text typed on it, since each made-up address would have a count of its own.
            { subject: `reset:phone:${known.by}`, max: ADDRESS_PER_HOUR, windowMs: HOUR_MS },
          ];
    const asked = {
      merchantId: merchant.id,
      username,
      email,
      address,
      known,
      language,
      at: clock.now(),
    };
    const counted = await this.#counts.spend(merchant.id, limits, (client) =>
      addJob(client, resetMailJob(asked)),
    );
    return counted.ok ? ok(undefined) : refuse(refusal("rate_limited", { retryAt: counted.error }));
  }

  /** The account of the link while it can be used; else `link_spent`. */
  async linkOwner(merchant: Merchant, token: string): Promise<Result<MemberRow, Refusal>> {
    const { pool, clock } = this.#options;
    const link = await findMailLink(pool, resetLink(merchant, token), clock.now());
    if (link === null) return refuse(refusal("link_spent"));
    const account = await findMember(pool, merchant.id, link.member_id);
    return ok(present(account, "the member of a link"));
  }

  /**
   * Sets a new password by a link and ends all sessions. A repetition is answered as done, for a
   * caller who lost the answer. Refuses with `link_spent`, field faults or `modify.new.old.same`;
   * after the last two the link is still valid.
   */
  async setByLink(
    merchant: Merchant,
    given: GivenByLink,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const set = await this.#setByUnusedLink(merchant, given, language);
    if (set.ok || set.error.code !== "link_spent") return set;
    return (await this.#wasSetByLink(merchant, given)) ? ok(undefined) : set;
  }

  async #setByUnusedLink(
    merchant: Merchant,
    given: GivenByLink,
    language: string,
  ): Promise<Result<void, Refusal>> {
    const { clock, passwords } = this.#options;
    const owner = await this.linkOwner(merchant, given.token);
    if (!owner.ok) return owner;
    const account = owner.value;
    const faults = newPasswordFaults(merchant, account.username, given);
    if (faults.length > 0) return refuse(refusal("invalid_input", { fields: faults }));
    if (await passwords.matches(account.password_hash, given.newPassword)) {
      return refuse(refusal("modify.new.old.same"));
    }
    const link = resetLink(merchant, given.token);
    const take: TakeProof = async (db) => (await useMailLink(db, link, clock.now())) !== null;
    // The address to which the link was sent, verified or not.
    const to = present(account.email, "the address of a reset link");
    const caller = { merchant, language, to };
    const by = { take, taken: refusal("link_spent"), session: null };
    return this.#options.setting.set(account, given.newPassword, by, caller);
  }

  /** Whether the link has set a password and the given one is in force. */
  async #wasSetByLink(merchant: Merchant, { token, newPassword }: GivenByLink): Promise<boolean> {
    const { pool, clock, passwords } = this.#options;
    const link = resetLink(merchant, token);
    const used = await findUsedMailLink(pool, link, clock.now());
    if (used === null) return false;
    if (!(await this.#options.setting.mayAskAgain(merchant, used.member_id))) return false;
    const account = await findMember(pool, merchant.id, used.member_id);
    return passwords.matches(account?.password_hash ?? null, newPassword);
  }
}

function resetLink(merchant: Merchant, token: string) {
  return { merchantId: merchant.id, purpose: "reset" as const, tokenHash: hashOfToken(token) };
}
