import { type Refusal, refusal } from "@perya/contract/refusal";
import {
  CLOCKS_APART_MS,
  type Clock,
  DAY_MS,
  type Instant,
  MINUTE_MS,
  SECOND_MS,
} from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { blocksOf } from "../../../platform/address-block.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import { CAPTCHA_WRONG, type Captchas } from "../defence/captcha.ts";
import {
  countTries,
  type Failures,
  forgetFailures,
  lockFailures,
  readFailures,
  uncountTry,
} from "./logins.store.ts";

interface Policy {
  /** Failures after which a captcha must be answered while the last failure is recent. */
  readonly captchaAfter: number;
  /** Failures after which the next try waits, twice as long each time. */
  readonly waitAfter: number;
  readonly forgottenAfterMs: number;
}

/**
 * A device from which this member has logged in answers for itself alone. Two of its tabs may log
 * in at the same moment, so the captcha is enforced one failure later than it is announced.
 */
const DEVICE: Policy = { captchaAfter: 2, waitAfter: 5, forgottenAfterMs: 15 * MINUTE_MS };
/**
 * All other devices share the tries on a name: tries from a thousand addresses wait as one.
 * Remembered for a day; otherwise a pause of minutes would buy a new run of guesses.
 */
const NAME: Policy = { captchaAfter: 1, waitAfter: 5, forgottenAfterMs: DAY_MS };
/** Many names from one address. Wide, since carriers put many phones behind one address. */
const ADDRESS: Policy = { captchaAfter: 30, waitAfter: 120, forgottenAfterMs: 15 * MINUTE_MS };
const RECENT_MS = 15 * MINUTE_MS;
const WAIT_MAX_MS = 15 * MINUTE_MS;

export interface Try {
  readonly merchantId: string;
  /** The name or number that is claimed, whether or not anyone has it. */
  readonly claim: string;
  readonly address: string;
  /** Names a device from which the claimed member has logged in; null for any other device. */
  readonly knownDevice: string | null;
}

export interface CaptchaAnswer {
  readonly captchaId?: string | undefined;
  readonly captcha?: string | undefined;
}

/** A try that may be judged. It counts as a failure until it is forgiven. */
export interface Admission {
  readonly merchantId: string;
  /** The subject whose failures a success deletes. */
  readonly own: string;
  /** Where the try came from: failures of others stay counted there. */
  readonly places: readonly string[];
}

type Subjects = ReadonlyMap<string, Policy>;
type Verdict = { readonly retryAt: Instant } | "captcha" | "free";

/**
 * Checked before every guess of a password or code. It counts a try before the try is judged, so
 * that ten thousand at one moment are judged as few times as ten thousand in a row.
 */
export class LoginGate {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #captchas: Captchas;

  constructor(pool: pg.Pool, clock: Clock, captchas: Captchas) {
    this.#pool = pool;
    this.#clock = clock;
    this.#captchas = captchas;
  }

  /** Refuses with `rate_limited` and the time of the next try, or with `captcha_wrong`. */
  async admit(one: Try, answer: CaptchaAnswer): Promise<Result<Admission, Refusal>> {
    const subjects = subjectsOf(one);
    const { merchantId } = one;
    const now = this.#clock.now();
    const stored = await readFailures(this.#pool, merchantId, [...subjects.keys()]);
    const before = verdictOf(subjects, stored, now);
    // A captcha can be tried once, so it is not used up if the try has to wait anyway.
    if (typeof before === "object") return refuse(waiting(before.retryAt));
    const read = before === "captcha" && (await this.#captchas.check(merchantId, "digits", answer));
    if (before === "captcha" && !read) return refuse(CAPTCHA_WRONG);

    return withTransaction(this.#pool, async (client) => {
      const locked = await lockFailures(client, merchantId, [...subjects.keys()]);
      const verdict = verdictOf(subjects, locked, now);
      if (typeof verdict === "object") return refuse(waiting(verdict.retryAt));
      if (verdict === "captcha" && !read) return refuse(CAPTCHA_WRONG);
      const counted = [...subjects].map(([subject, policy]) => ({
        subject,
        failures: failuresOf(locked.get(subject), policy, now) + 1,
      }));
      await countTries(client, merchantId, counted, now);
      const [own = "", ...places] = subjects.keys();
      return ok({ merchantId, own, places });
    });
  }

  /** The try was right: forgets the earlier failures of its own subject. */
  async forgive({ merchantId, own, places }: Admission): Promise<void> {
    await forgetFailures(this.#pool, merchantId, [own]);
    if (places.length > 0) await uncountTry(this.#pool, merchantId, places);
  }

  async takeBack({ merchantId, own, places }: Admission): Promise<void> {
    await uncountTry(this.#pool, merchantId, [own, ...places]);
  }
}

function waiting(retryAt: Instant): Refusal {
  return refusal("rate_limited", { retryAt, captchaRequired: true });
}

/** The subjects of a claim's own failures: on a known device, and on all others. */
export function ownSubjectsOf(claim: string, device: string | null): string[] {
  return [`claim:${claim}`, ...(device === null ? [] : [`device:${device}|${claim}`])];
}

/** Its own subject first. */
function subjectsOf({ claim, address, knownDevice }: Try): Subjects {
  if (knownDevice !== null) return new Map([[`device:${knownDevice}|${claim}`, DEVICE]]);
  const places = blocksOf(address).map(
    ({ block, times }) => [`address:${block}`, wider(ADDRESS, times)] as const,
  );
  return new Map([[`claim:${claim}`, NAME] as const, ...places]);
}

function wider({ captchaAfter, waitAfter, forgottenAfterMs }: Policy, times: number): Policy {
  return { captchaAfter: captchaAfter * times, waitAfter: waitAfter * times, forgottenAfterMs };
}

function verdictOf(
  subjects: Subjects,
  stored: ReadonlyMap<string, Failures>,
  now: Instant,
): Verdict {
  let retryAt = 0;
  let captcha = false;
  for (const [subject, policy] of subjects) {
    const failed = stored.get(subject);
    const failures = failuresOf(failed, policy, now);
    if (failed === undefined || failures === 0) continue;
    // A clock that was ahead wrote it, so nobody waits for it; the next try overwrites it.
    const isAhead = failed.lastAt > now + CLOCKS_APART_MS;
    if (failures >= policy.waitAfter && !isAhead) {
      const wait = SECOND_MS * 2 ** (failures - policy.waitAfter + 1);
      retryAt = Math.max(retryAt, failed.lastAt + Math.min(wait, WAIT_MAX_MS));
    }
    captcha ||= failures >= policy.captchaAfter && failed.lastAt > now - RECENT_MS;
  }
  if (retryAt > now) return { retryAt };
  return captcha ? "captcha" : "free";
}

function failuresOf(failed: Failures | undefined, policy: Policy, now: Instant): number {
  if (failed === undefined || failed.lastAt <= now - policy.forgottenAfterMs) return 0;
  return failed.failures;
}
