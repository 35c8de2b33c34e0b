import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { createChallenge, extractParams, verifySolution } from "altcha-lib/v1";
import { z } from "zod";

/** As the browser gets it; it searches for the number that makes `challenge` out of `salt`. */
export interface Challenge {
  readonly algorithm: typeof ALGORITHM;
  readonly challenge: string;
  readonly salt: string;
  readonly signature: string;
  /** The number is between 1 and this. */
  readonly maxnumber: number;
}

export interface HumanCheck {
  challenge(): Promise<Challenge>;
  verify(payload: string): Promise<boolean>;
}

export interface HumanCheckOptions {
  /** Signs the challenges; every process needs the same one, and uses it for nothing else. */
  readonly key: string;
  readonly clock: Clock;
  /** Used names, stored until a time; false for one that is stored already. */
  readonly used: { take(nonce: string, until: Instant): Promise<boolean> };
  /** The work; tests ask for less. */
  readonly maxNumber?: number;
}

const ALGORITHM = "SHA-256";
/**
 * Half of them are tried on average. We assume that a mid-range phone does some 25,000 a second
 * with the browser's own digest (Node on a busy server core did 12,000), so a player waits for
 * about a second; an attacker who wants a thousand codes sent, for a quarter of an hour.
 */
const MAX_NUMBER = 50_000;
/** Long enough for a slow phone on a slow line, too short to collect solutions. */
const CHALLENGE_LIFE_MS = 5 * MINUTE_MS;
/** A solved challenge of ours has some 400. */
const PAYLOAD_MAX_CHARS = 2_000;

const hex256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The solved challenge; the widget adds how long it took. */
const Solved = z.object({
  algorithm: z.literal(ALGORITHM),
  challenge: hex256,
  number: z.number().int().nonnegative(),
  salt: z.string(),
  signature: hex256,
});

/**
 * The proof of work before an SMS is sent, which costs a person no effort and a machine its time:
 * ALTCHA's first protocol, made and checked by its own library, which also draws the salt and the
 * number. The expiry is in the salt, under the signature.
 */
export function createHumanCheck(options: HumanCheckOptions): HumanCheck {
  const { key, clock, used, maxNumber = MAX_NUMBER } = options;
  return {
    async challenge() {
      const { challenge, salt, signature } = await createChallenge({
        algorithm: ALGORITHM,
        hmacKey: key,
        maxNumber,
        expires: new Date(clock.now() + CHALLENGE_LIFE_MS),
      });
      return { algorithm: ALGORITHM, challenge, salt, signature, maxnumber: maxNumber };
    },

    async verify(payload) {
      const solved = Solved.safeParse(decode(payload));
      if (!solved.success) return false;
      // The library's own check of the expiry would read the machine's clock.
      if (!(await verifySolution(solved.data, key, false))) return false;
      const until = Number(extractParams(solved.data).expires) * SECOND_MS;
      // Not the salt: the library takes it with and without its last sign, in two spellings.
      return until > clock.now() && used.take(`human:${solved.data.challenge}`, until);
    },
  };
}

/** The JSON in a base64 text; null for any other. */
function decode(payload: string): unknown {
  if (payload.length > PAYLOAD_MAX_CHARS) return null;
  try {
    return JSON.parse(Buffer.from(payload, "base64").toString("utf8"));
  } catch {
    return null;
  }
}
