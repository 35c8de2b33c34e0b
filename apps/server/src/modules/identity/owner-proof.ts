import { type Refusal, refusal } from "@perya/contract/refusal";
import { MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type { AbuseCounts } from "./abuse-counts.ts";

/** Wrong proofs of one member within a window; a guess more must wait for its end. */
const WRONG_MAX = 5;
const WINDOW_MS = 15 * MINUTE_MS;

/**
 * One try of whoever holds a session to show that they are its owner, by password or code. Tries
 * of all kinds are counted together, and before they are judged, so that many at once get no more.
 * Refuses with `rate_limited`, or with `wrong`.
 */
export async function tryOwnerProof(
  counts: AbuseCounts,
  owner: { readonly merchantId: string; readonly memberId: string },
  isRight: () => Promise<boolean>,
  wrong: "password_wrong" | "code_wrong",
): Promise<Result<void, Refusal>> {
  const subject = `proof:${owner.memberId}`;
  const limit = { subject, max: WRONG_MAX, windowMs: WINDOW_MS };
  const retryAt = await counts.spend(owner.merchantId, [limit]);
  if (retryAt !== null) return refuse(refusal("rate_limited", { retryAt }));
  if (!(await isRight())) return refuse(refusal(wrong));
  await counts.giveBack(owner.merchantId, [subject]);
  return ok(undefined);
}
