import type { Refusal } from "@perya/contract/refusal";
import type { Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import { AbuseCounts } from "../defence/abuse-counts.ts";
import type { OwnerMails } from "../defence/owner-mails.ts";
import type { OwnerProof } from "../factors/owner-proof.ts";
import { lockMember, type MemberRow, writePassword } from "../members/members.store.ts";
import type { PasswordWork } from "../members/passwords.ts";
import type { Session } from "../sessions/session.ts";
import { endSessionsOf } from "../sessions/sessions.store.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { RESET_LINK_MS } from "./reset-mails.ts";

/** Requests whether a member's used links and codes set the password. */
const AGAIN_MAX = 5;

export interface NewPassword {
  readonly memberId: string;
  readonly passwordHash: string;
  /** The session that may stay; null for none. */
  readonly except: string | null;
}

/**
 * Sets the password, voids what was begun under an older one, and ends the member's sessions:
 * nobody who knew the old one may stay logged in, even if a later step fails. Answers which
 * sessions ended.
 */
export async function setPassword(
  client: pg.ClientBase,
  { memberId, passwordHash, except }: NewPassword,
  at: Instant,
): Promise<string[]> {
  await writePassword(client, { memberId, sessionId: except }, passwordHash, at);
  return endSessionsOf(client, memberId, except, at);
}

export interface PasswordSettingOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly passwords: PasswordWork;
  readonly sessions: Sessions;
  readonly ownerMails: Pick<OwnerMails, "tell">;
}

/** The proof by which a password is set, and the session, which stays; null for a visitor. */
interface Setting extends OwnerProof {
  readonly session: Session | null;
}

interface Told {
  readonly merchant: Merchant;
  readonly language: string;
  /** Null for the member's verified address. */
  readonly to: string | null;
}

export class PasswordSetting {
  readonly #options: PasswordSettingOptions;
  readonly #counts: AbuseCounts;

  constructor(options: PasswordSettingOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
  }

  /**
   * Takes the proof, sets the password and ends the other sessions, all or nothing, and mails the
   * owner. Refuses with `taken`, and does nothing, if another took the proof or set a password
   * meanwhile, or with `session_ended`.
   */
  async set(
    account: MemberRow,
    password: string,
    { take, taken, session }: Setting,
    { merchant, language, to }: Told,
  ): Promise<Result<void, Refusal>> {
    const { pool, clock, passwords, sessions, ownerMails } = this.#options;
    const passwordHash = await passwords.hash(password);
    const seen = account.password_changed_at?.getTime() ?? null;
    const set = await withTransaction(pool, async (client): Promise<Result<string[], Refusal>> => {
      const changedAt = await lockMember(client, account.id);
      const still = session === null ? ok(undefined) : await sessions.lockOpen(client, session);
      if (!still.ok) return still;
      // If the password was changed by now, the old one and its proofs are no longer valid.
      if (changedAt !== seen || !(await take(client))) return refuse(taken);
      const next = { memberId: account.id, passwordHash, except: session?.id ?? null };
      const signedOut = await setPassword(client, next, clock.now());
      const owned = { merchant, memberId: account.id, language };
      await ownerMails.tell(client, owned, { what: "password" }, to);
      return ok(signedOut);
    });
    if (!set.ok) return set;
    for (const id of set.value) sessions.forget(id);
    return ok(undefined);
  }

  /**
   * Whether one may ask again if a used link or code has set the password. Only a few times: a
   * person who finds a used link must not guess by it what its owner chose.
   */
  async mayAskAgain(merchant: Merchant, memberId: string): Promise<boolean> {
    const limit = { subject: `reset:again:${memberId}`, max: AGAIN_MAX, windowMs: RESET_LINK_MS };
    return (await this.#counts.spend(merchant.id, [limit])).ok;
  }
}
