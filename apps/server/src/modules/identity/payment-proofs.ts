import { createHash } from "node:crypto";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { type Clock, DAY_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { Merchant } from "../brand/brand.ts";
import { AbuseCounts } from "./abuse-counts.ts";
import { findAccount } from "./account.store.ts";
import type { Answered, Passkeys, Site } from "./passkeys.ts";
import type { PasswordWork } from "./passwords.ts";
import {
  hasProof,
  type ProofKey,
  saveProof,
  sweepProofs,
  takeProof,
  takeProofRow,
} from "./payment-proofs.store.ts";
import type { Session } from "./session.ts";

/** How long a proof waits for its withdrawal. */
const PROOF_MS = 5 * MINUTE_MS;
/** Six digits are a million guesses, so a member's wrong ones are few, and few a day. */
const WRONG_MAX = 5;
const WRONG_WINDOW_MS = 15 * MINUTE_MS;
const WRONG_A_DAY = 15;

/** What is paid out, where and by what: a proof for one is none for another. */
export interface PaymentWish {
  readonly method: string;
  readonly destination: string;
  readonly amount: { readonly minor: string; readonly currency: string };
}

/** What the cashier writes with the withdrawal, in one step of the ledger. */
export interface ProofEffect {
  readonly statement: typeof takeProof;
  readonly row: ReturnType<typeof takeProofRow>;
}

export interface PaymentProofsOptions {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly passwords: PasswordWork;
  readonly passkeys: Pick<Passkeys, "paysBy">;
}

/**
 * A payment password, or a passkey, for what leaves the house. The proof is the session's and of
 * one wish; its withdrawal takes it in the step that sets the money aside, so that one proof never
 * pays twice, and a withdrawal that is asked for again needs no second one.
 */
export class PaymentProofs {
  readonly #options: PaymentProofsOptions;
  readonly #counts: AbuseCounts;

  constructor(options: PaymentProofsOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
  }

  /** Whether the brand asks this member for a proof. */
  async isNeeded(merchant: Merchant, session: Session): Promise<boolean> {
    const { paymentPassword } = merchant.settings.cashier;
    if (paymentPassword !== "if_set") return paymentPassword === "always";
    return (await this.#hashOf(merchant, session)) !== null;
  }

  /**
   * Notes that the session's member wants this. Refuses with `payment_password_wrong` (also where
   * none is set, after the same work), `rate_limited` or `passkey_refused`.
   */
  async prove(
    merchant: Merchant,
    session: Session,
    wish: PaymentWish,
    given: { readonly paymentPassword: string } | { readonly site: Site; readonly by: Answered },
  ): Promise<Result<{ expiresAt: Instant }, Refusal>> {
    const { pool, clock, passkeys } = this.#options;
    if ("by" in given) {
      const signed = await passkeys.paysBy(merchant, session, given.site, given.by);
      if (!signed) return refuse(refusal("passkey_refused"));
    } else {
      const right = await this.tryPassword(merchant, session, given.paymentPassword);
      if (!right.ok) return right;
    }
    const expiresAt = clock.now() + PROOF_MS;
    await saveProof(pool, keyOf(session, wish), session, expiresAt);
    return ok({ expiresAt });
  }

  /** One guess of the payment password, counted before it is judged; refuses as `prove`. */
  async tryPassword(
    merchant: Merchant,
    session: Session,
    paymentPassword: string,
  ): Promise<Result<void, Refusal>> {
    const { memberId } = session;
    const limits = [
      { subject: `payment:${memberId}`, max: WRONG_MAX, windowMs: WRONG_WINDOW_MS },
      { subject: `payment:day:${memberId}`, max: WRONG_A_DAY, windowMs: DAY_MS },
    ];
    const retryAt = await this.#counts.spend(merchant.id, limits);
    if (retryAt !== null) return refuse(refusal("rate_limited", { retryAt }));
    const stored = await this.#hashOf(merchant, session);
    if (!(await this.#options.passwords.matches(stored, paymentPassword))) {
      return refuse(refusal("payment_password_wrong"));
    }
    const subjects = limits.map(({ subject }) => subject);
    await this.#counts.giveBack(merchant.id, subjects);
    return ok(undefined);
  }

  /**
   * What a withdrawal takes of its proof; null where none is asked for. Refuses with
   * `payment_proof_needed`.
   */
  async effectFor(
    merchant: Merchant,
    session: Session,
    wish: PaymentWish & { readonly id: string },
  ): Promise<Result<ProofEffect | null, Refusal>> {
    if (!(await this.isNeeded(merchant, session))) return ok(null);
    const { pool, clock } = this.#options;
    const key = keyOf(session, wish);
    if (!(await hasProof(pool, key, wish.id, clock.now()))) {
      return refuse(refusal("payment_proof_needed"));
    }
    return ok({ statement: takeProof, row: takeProofRow(key, wish.id) });
  }

  /** Run by a job. */
  async sweep(): Promise<void> {
    await sweepProofs(this.#options.pool, this.#options.clock.now());
  }

  async #hashOf(merchant: Merchant, session: Session): Promise<string | null> {
    const account = await findAccount(this.#options.pool, merchant.id, session.memberId);
    return present(account, "the member of a session").payment_password_hash;
  }
}

function keyOf(session: Session, { method, destination, amount }: PaymentWish): ProofKey {
  const { minor, currency } = amount;
  const wish = JSON.stringify(["withdrawal", method, destination, minor, currency]);
  return { sessionId: session.id, wishHash: createHash("sha256").update(wish).digest() };
}
