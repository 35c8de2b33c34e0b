import { type Refusal, refusal } from "@perya/contract/refusal";
import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { Db } from "../../../platform/postgres/pool.ts";
import { NoTurn } from "../../../platform/turns.ts";
import type { AbuseCounts, AbuseLimit } from "../defence/abuse-counts.ts";
import type { Session } from "../sessions/session.ts";

/**
 * After so many wrong proofs the next guess waits. Six digits are a million guesses, so few are
 * allowed, and few a day. They count per session, so that a person who holds one of the owner's
 * sessions does not delay the owner in another; all sessions of a member have twice that.
 */
const WRONG_MAX = 5;
const WINDOW_MS = 15 * MINUTE_MS;
const WRONG_A_DAY = 15;
const WRONG_A_MEMBER = 30;

/**
 * Takes what was found right, so that it counts once; false if another request took it first. A
 * change made by it takes it in the same transaction, so that neither happens without the other.
 */
export type TakeProof = (db: Db) => Promise<boolean>;

/** Another request had taken the proof meanwhile: undoes the work it was to be taken for. */
export class ProofTaken extends Error {
  override name = "ProofTaken";
}

/** Takes what was found right within a transaction. @throws ProofTaken if another was first */
export async function mustTake(client: pg.ClientBase, take: TakeProof): Promise<void> {
  if (!(await take(client))) throw new ProofTaken();
}

/** What was found right, and the answer if it can no longer be taken. */
export interface OwnerProof {
  readonly take: TakeProof;
  readonly taken: Refusal;
}

/** For proofs that can be given again, such as a password. */
export const TAKES_NOTHING: TakeProof = async () => true;

/**
 * One try of a session's holder to show that they are its owner, by password, code or payment
 * password. Tries of all kinds are counted together and before they are judged, so that many at
 * once get no more. Refuses with `rate_limited`, or with `wrong`.
 */
export async function tryOwnerProof(
  counts: AbuseCounts,
  session: Pick<Session, "id" | "merchantId" | "memberId">,
  judge: () => Promise<TakeProof | null>,
  wrong: "password_wrong" | "code_wrong" | "payment_password_wrong",
): Promise<Result<TakeProof, Refusal>> {
  const { merchantId } = session;
  const counted = await counts.spend(merchantId, limitsOf(session));
  if (!counted.ok) return refuse(refusal("rate_limited", { retryAt: counted.error }));
  const take = await judge().catch(async (error: unknown) => {
    // A try that was not judged is no guess.
    if (error instanceof NoTurn) await counts.giveBack(merchantId, counted.value);
    throw error;
  });
  if (take === null) return refuse(refusal(wrong));
  await counts.giveBack(merchantId, counted.value);
  return ok(take);
}

function limitsOf({ id, memberId }: Pick<Session, "id" | "memberId">): AbuseLimit[] {
  return [
    { subject: `proof:${id}`, max: WRONG_MAX, windowMs: WINDOW_MS },
    { subject: `proof:day:${id}`, max: WRONG_A_DAY, windowMs: DAY_MS },
    { subject: `proof:day:${memberId}`, max: WRONG_A_MEMBER, windowMs: DAY_MS },
  ];
}
