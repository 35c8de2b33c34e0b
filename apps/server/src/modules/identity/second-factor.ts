import { type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Clock, type Entropy, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { hashOfToken, mintToken } from "../../platform/bearer-token.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { AbuseCounts } from "./abuse-counts.ts";
import { findMember, type MemberRow } from "./identity.store.ts";
import { mustTake, type TakeProof } from "./owner-proof.ts";
import {
  forgetPending,
  insertPending,
  spendPendingTry,
  sweepPending,
} from "./second-factor.store.ts";
import type { SessionMethod } from "./session.ts";
import { stillHas } from "./sessions.ts";
import type { Totp } from "./totp.ts";

const PENDING_MS = 5 * MINUTE_MS;
const PENDING_TRIES = 5;
/** Who has the password could begin anew after every five tries, so a member's are bounded too. */
const WRONG_MAX = 10;
const WRONG_WINDOW_MS = 15 * MINUTE_MS;

/** A login whose first factor was right. */
export interface PendingLogin {
  readonly pending: string;
  readonly expiresAt: Instant;
}

/** How a code for a held login was found to be. */
export interface JudgedCode {
  /** As it was before the code was judged. */
  readonly member: MemberRow;
  readonly method: SessionMethod;
  /** Takes the code and ends the holding, in the transaction of the session; null is wrong. */
  readonly take: TakeProof | null;
}

export interface SecondFactorOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly totp: Totp;
}

/** What stands between a right password and a session, for members who want it so. */
export class SecondFactor {
  readonly #options: SecondFactorOptions;
  readonly #counts: AbuseCounts;

  constructor(options: SecondFactorOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
  }

  needed(memberId: string): Promise<boolean> {
    return this.#options.totp.isOn(memberId);
  }

  /**
   * Holds a login until its second factor comes, and takes what proved the first.
   * @throws PasswordChanged as `Sessions.start` does, and ProofTaken
   */
  async hold(member: MemberRow, method: SessionMethod, take: TakeProof): Promise<PendingLogin> {
    const { pool, clock, entropy } = this.#options;
    const { token, hash } = mintToken(entropy);
    const expiresAt = clock.now() + PENDING_MS;
    const held = { tokenHash: hash, merchantId: member.merchant_id, memberId: member.id };
    await withTransaction(pool, async (client) => {
      await stillHas(client, member);
      await mustTake(client, take);
      await insertPending(client, { ...held, method, tries: PENDING_TRIES, expiresAt });
    });
    return { pending: token, expiresAt };
  }

  /**
   * Judges a code for a held login. Refuses with `link_spent` for a login that is not held (any
   * more), or with `rate_limited`.
   */
  async judge(
    merchantId: string,
    given: { readonly pending: string; readonly code: string },
  ): Promise<Result<JudgedCode, Refusal>> {
    const { pool, clock, totp } = this.#options;
    const hash = hashOfToken(given.pending);
    const held = await spendPendingTry(pool, merchantId, hash, clock.now());
    if (held === null) return refuse(refusal("link_spent"));
    const { member_id: memberId, method } = held;
    const found = await findMember(pool, merchantId, memberId);
    const member = present(found, "the member of a held login");
    const limit = { subject: `second:${memberId}`, max: WRONG_MAX, windowMs: WRONG_WINDOW_MS };
    const retryAt = await this.#counts.spend(merchantId, [limit]);
    if (retryAt !== null) return refuse(refusal("rate_limited", { retryAt }));
    const takeCode = await totp.judge(memberId, given.code);
    if (takeCode === null) return ok({ member, method, take: null });
    await this.#counts.giveBack(merchantId, [limit.subject]);
    const take: TakeProof = async (db) => (await takeCode(db)) && (await forgetPending(db, hash));
    return ok({ member, method, take });
  }

  /** Run by a job. */
  async sweep(): Promise<void> {
    await sweepPending(this.#options.pool, this.#options.clock.now());
  }
}
