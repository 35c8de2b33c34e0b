import { createHash } from "node:crypto";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type { Money } from "@perya/kernel/money";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { type Db, withTransaction } from "../../../platform/postgres/pool.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { Merchant } from "../../brand/brand.ts";
import { AbuseCounts } from "../defence/abuse-counts.ts";
import { RESET_WAIT_MS } from "../defence/owner-news.ts";
import { awaitChange, lockMember, ownAccount } from "../members/members.store.ts";
import type { PasswordWork } from "../members/passwords.ts";
import type { Session } from "../sessions/session.ts";
import { type TakeProof, tryOwnerProof } from "./owner-proof.ts";
import type { Answered, Passkeys } from "./passkeys.ts";
import {
  hasProof,
  type ProofKey,
  saveProof,
  takeProof,
  takeProofRow,
} from "./payment-proofs.store.ts";
import type { Site } from "./webauthn.ts";

const PROOF_MS = 5 * MINUTE_MS;
/** What is paid out, where and by what: a proof for one withdrawal is not valid for another. */
export interface PaymentWish {
  readonly method: string;
  readonly destination: string;
  readonly amount: Money;
}

/** What the cashier writes with the withdrawal, in one step of the ledger whose order it knows. */
interface ProofEffect {
  readonly statement: typeof takeProof;
  readonly row: ReturnType<typeof takeProofRow>;
}

export interface PaymentProofsOptions extends Pick<ModuleParts, "pool" | "clock"> {
  readonly passwords: PasswordWork;
  readonly passkeys: Pick<Passkeys, "paysBy">;
}

/**
 * A payment password or a passkey, for money that leaves the house. The proof is valid for one
 * session and one withdrawal. The withdrawal takes it in the step that sets the money aside, so
 * that one proof never pays twice and a repeated request needs no second one.
 */
export class PaymentProofs {
  readonly #options: PaymentProofsOptions;
  readonly #counts: AbuseCounts;

  constructor(options: PaymentProofsOptions) {
    this.#options = options;
    this.#counts = new AbuseCounts(options.pool, options.clock);
  }

  async isNeeded(merchant: Merchant, session: Session): Promise<boolean> {
    const { paymentPassword } = merchant.settings.cashier;
    if (paymentPassword !== "if_set") return paymentPassword === "always";
    return (await this.#hashOf(session)) !== null;
  }

  /**
   * Notes that the session's member wants this. Refuses with `payment_password_wrong` (also if none
   * is set, after the same work), `payment_password_new` for one that was reset, or a passkey that
   * was added beside one, less than a day ago, `rate_limited` or `passkey_refused`.
   */
  async prove(
    merchant: Merchant,
    session: Session,
    wish: PaymentWish,
    given: { readonly paymentPassword: string } | { readonly site: Site; readonly by: Answered },
  ): Promise<Result<{ expiresAt: Instant }, Refusal>> {
    const { pool, clock } = this.#options;
    const proven =
      "by" in given
        ? await this.#bySignature(merchant, session, given)
        : await this.#byPassword(session, given.paymentPassword);
    if (!proven.ok) return proven;
    const expiresAt = clock.now() + PROOF_MS;
    // Removing a passkey or a payment password voids the proofs that exist by then; a proof that
    // was judged before and stored after would stay.
    const kept = await withTransaction(pool, async (client) => {
      await lockMember(client, session.memberId);
      if (!(await proven.value(client))) return false;
      await saveProof(client, keyOf(session, wish), session, expiresAt);
      return true;
    });
    if (kept) return ok({ expiresAt });
    return refuse(refusal("by" in given ? "passkey_refused" : "payment_password_wrong"));
  }

  /**
   * One guess of the payment password, counted before it is judged; refuses as `prove`. It is valid
   * for work done while the password is still the member's.
   */
  async tryPassword(
    session: Session,
    paymentPassword: string,
  ): Promise<Result<TakeProof, Refusal>> {
    const judge = async () => {
      const stored = await this.#hashOf(session);
      const right = await this.#options.passwords.matches(stored, paymentPassword);
      const take: TakeProof = async (db) => (await this.#hashOf(session, db)) === stored;
      return right ? take : null;
    };
    return tryOwnerProof(this.#counts, session, judge, "payment_password_wrong");
  }

  /**
   * The part of its proof that a withdrawal takes; null if none is asked for. Every change of the
   * account is either seen here or is later than an instant that was read before. Refuses with
   * `payment_proof_needed`.
   */
  async effectFor(
    merchant: Merchant,
    session: Session,
    wish: PaymentWish & { readonly id: string },
  ): Promise<Result<ProofEffect | null, Refusal>> {
    const { pool, clock } = this.#options;
    await awaitChange(pool, session.memberId);
    if (!(await this.isNeeded(merchant, session))) return ok(null);
    const key = keyOf(session, wish);
    if (!(await hasProof(pool, key, wish.id, clock.now()))) {
      return refuse(refusal("payment_proof_needed"));
    }
    return ok({ statement: takeProof, row: takeProofRow(key, wish.id) });
  }

  async #byPassword(
    session: Session,
    paymentPassword: string,
  ): Promise<Result<TakeProof, Refusal>> {
    const proven = await this.tryPassword(session, paymentPassword);
    if (!proven.ok) return proven;
    // A reset since it was found right set another password, which is checked under the lock.
    const { payment_password_reset_at: resetAt } = await ownAccount(this.#options.pool, session);
    return resetAt === null ? proven : this.#unlessNew(proven.value, resetAt.getTime());
  }

  #unlessNew(take: TakeProof, since: Instant): Result<TakeProof, Refusal> {
    const retryAt = since + RESET_WAIT_MS;
    if (retryAt <= this.#options.clock.now()) return ok(take);
    return refuse(refusal("payment_password_new", { retryAt }));
  }

  async #bySignature(
    merchant: Merchant,
    session: Session,
    { site, by }: { readonly site: Site; readonly by: Answered },
  ): Promise<Result<TakeProof, Refusal>> {
    const signed = await this.#options.passkeys.paysBy(merchant, session, site, by);
    if (signed === null) return refuse(refusal("passkey_refused"));
    // What resets a payment password also makes passkeys, so a passkey must not bypass the day.
    const { payment_password_hash: hash } = await ownAccount(this.#options.pool, session);
    return hash === null ? ok(signed.take) : this.#unlessNew(signed.take, signed.keptSince);
  }

  async #hashOf(session: Session, db: Db = this.#options.pool): Promise<string | null> {
    return (await ownAccount(db, session)).payment_password_hash;
  }
}

function keyOf(session: Session, { method, destination, amount }: PaymentWish): ProofKey {
  const { minor, currency } = amount;
  const wish = JSON.stringify(["withdrawal", method, destination, `${minor}`, currency]);
  return { sessionId: session.id, wishHash: createHash("sha256").update(wish).digest() };
}
