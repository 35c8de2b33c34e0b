import { hash, verify } from "@node-rs/argon2";
import type { Entropy } from "@perya/kernel/instant";

/** argon2id, 19 MiB, two passes, one lane: OWASP's first choice for interactive logins. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** How today's hashes begin (PHC string format); the version is argon2's 1.3. */
const TODAY = `$argon2id$v=19$m=${ARGON2ID.memoryCost},t=${ARGON2ID.timeCost},p=${ARGON2ID.parallelism}$`;
const UNKNOWN_BYTES = 32;

/** What others need of it: a test counts the comparisons without their work. */
export type PasswordWork = Pick<Passwords, "hash" | "matches" | "isDated">;

/** Hashes passwords and compares them at the same cost whether there is one or not. */
export class Passwords {
  readonly #entropy: Entropy;
  #unknown: Promise<string> | null = null;

  constructor(entropy: Entropy) {
    this.#entropy = entropy;
  }

  hash(password: string): Promise<string> {
    return hash(password, ARGON2ID);
  }

  /** False for a hash that is not there, after the work that one which is would have cost. */
  async matches(stored: string | null, password: string): Promise<boolean> {
    this.#unknown ??= hash(this.#entropy.bytes(UNKNOWN_BYTES), ARGON2ID);
    const right = await verify(stored ?? (await this.#unknown), password);
    return stored !== null && right;
  }

  /** Whether a hash was made with other figures than today's, so that its work is not today's. */
  isDated(stored: string): boolean {
    return !stored.startsWith(TODAY);
  }
}
