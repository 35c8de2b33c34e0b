import { hash, verify } from "@node-rs/argon2";
import type { Entropy } from "@perya/kernel/instant";
import { type HasHungUp, Turns } from "../../../platform/turns.ts";

interface Figures {
  /** In kibibytes. */
  readonly memoryCost: number;
  readonly timeCost: number;
}

/** 19 MiB, two passes, one lane: OWASP's first choice for interactive logins. */
const OWASP: Figures = { memoryCost: 19_456, timeCost: 2 };
const UNKNOWN_BYTES = 32;
/** Of libuv's four threads two stay free for files, compression, names and WebCrypto. */
const AT_ONCE = 2;
/** A slow core works this queue off in a second or two; callers beyond it must come again. */
const WAITING_MAX = 64;

/** The part that other modules need: a test counts the comparisons without their work. */
export type PasswordWork = Pick<Passwords, "hash" | "matches" | "isDated">;

/** The work itself; tests delay some of it. */
export interface Argon2 {
  hash(password: string | Uint8Array): Promise<string>;
  verify(stored: string, password: string): Promise<boolean>;
  /** How its hashes begin (PHC string format). */
  readonly begins: string;
}

/** argon2id (version 1.3) with one lane; tests, which hash a great deal, take smaller figures. */
export function argon2id({ memoryCost, timeCost } = OWASP): Argon2 {
  const options = { algorithm: 2, memoryCost, timeCost, parallelism: 1 } as const;
  return {
    hash: (password) => hash(password, options),
    verify,
    begins: `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$`,
  };
}

/**
 * Hashes passwords, and compares them at the same cost whether or not there is a hash. It works on
 * two at once and queues a few; the rest fail with `NoTurn`, which callers see as `busy`.
 */
export class Passwords {
  readonly #entropy: Entropy;
  readonly #argon2: Argon2;
  readonly #turns = new Turns();
  #unknown: Promise<string> | null = null;

  constructor(entropy: Entropy, argon2 = argon2id()) {
    this.#entropy = entropy;
    this.#argon2 = argon2;
  }

  hash(password: string, hasHungUp?: HasHungUp): Promise<string> {
    return this.#inTurn(() => this.#argon2.hash(password), hasHungUp);
  }

  /** False for a missing hash, after the work that a real one would have cost. */
  async matches(stored: string | null, password: string, hasHungUp?: HasHungUp): Promise<boolean> {
    const unknown = await this.#hashOfNobody();
    const right = await this.#inTurn(
      () => this.#argon2.verify(stored ?? unknown, password),
      hasHungUp,
    );
    return stored !== null && right;
  }

  /** Whether a hash was made with figures other than today's, so that its work differs. */
  isDated(stored: string): boolean {
    return !stored.startsWith(this.#argon2.begins);
  }

  /** Made once; if it could not be made, the next caller tries again. */
  #hashOfNobody(): Promise<string> {
    this.#unknown ??= this.#inTurn(() =>
      this.#argon2.hash(this.#entropy.bytes(UNKNOWN_BYTES)),
    ).catch((error: unknown) => {
      this.#unknown = null;
      throw error;
    });
    return this.#unknown;
  }

  #inTurn<T>(work: () => Promise<T>, hasHungUp?: HasHungUp): Promise<T> {
    const line = { max: AT_ONCE, waitingMax: WAITING_MAX, hasHungUp };
    return this.#turns.run("argon2", line, work);
  }
}
