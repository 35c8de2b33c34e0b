import { type Refusal, refusal } from "@perya/contract/refusal";
import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { NoTurn } from "../../platform/turns.ts";
import type { AbuseCounts, AbuseLimit } from "./abuse-counts.ts";
import type { Session } from "./session.ts";

/**
 * Wrong proofs; a guess more must wait. Six digits are a million guesses, so they are few, and few
 * a day. They are a session's, so that whoever has one of the owner's does not hold the owner up in
 * another: of all of a member's together there may be two sessions' worth.
 */
const WRONG_MAX = 5;
const WINDOW_MS = 15 * MINUTE_MS;
const WRONG_A_DAY = 15;
const WRONG_A_MEMBER = 30;

/**
 * Takes what was found right, so that it counts once; false where another took it first. Whoever
 * changes something by it takes it in that transaction, so that neither is done without the other.
 */
export type TakeProof = (db: pg.Pool | pg.ClientBase) => Promise<boolean>;

/** What proved it had been taken by another meanwhile: undoes what it was to be taken for. */
export class ProofTaken extends Error {
  override name = "ProofTaken";
}

/** Takes what was found right within a transaction. @throws ProofTaken where another was first */
export async function mustTake(client: pg.ClientBase, take: TakeProof): Promise<void> {
  if (!(await take(client))) throw new ProofTaken();
}

/** What was found right, and what is told where it cannot be taken (any more). */
export interface OwnerProof {
  readonly take: TakeProof;
  readonly taken: Refusal;
}

/** Of what can be given again, such as a password. */
export const TAKES_NOTHING: TakeProof = async () => true;

/**
 * One try of whoever holds a session to show that they are its owner, by password, code or payment
 * password. Tries of all kinds are counted together, and before they are judged, so that many at
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
    // What was not judged is no guess.
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
