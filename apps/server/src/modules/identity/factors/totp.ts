import { createHmac } from "node:crypto";
import { type Refusal, refusal } from "@perya/contract/refusal";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { Secret, TOTP } from "otpauth";
import type { Db } from "../../../platform/postgres/pool.ts";
import { createSealing, type Sealing } from "../../../platform/sealing.ts";
import type { ModuleParts } from "../../../platform/server-module.ts";
import type { PasswordWork } from "../members/passwords.ts";
import type { Session } from "../sessions/session.ts";
import type { TakeProof } from "./owner-proof.ts";
import {
  countRecoveryCodes,
  findRecoveryCode,
  findTotp,
  saveTotp,
  takeStep,
  useRecoveryCode,
} from "./totp.store.ts";

/** 160 bits, as RFC 4226 (R6) recommends. */
const SECRET_BYTES = 20;
/** Steps before and after ours that are valid, for a phone with a wrong clock (RFC 6238, 5.2). */
const WINDOW_STEPS = 1;
const RECOVERY_CODES = 10;
const RECOVERY_CODE_CHARS = 8;
/** Characters by which a member's code is found; the 30 bits after them are the secret. */
const PREFIX_CHARS = 2;
/** Crockford's base32: no character is mistaken for another. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export interface TotpOptions extends Pick<ModuleParts, "pool" | "clock" | "entropy"> {
  /** Hashes recovery codes slowly: they are short enough for a person to write down. */
  readonly passwords: PasswordWork;
  /** Seals the secrets, and also keys the recovery codes. */
  readonly secret: string;
}

/** Authenticator apps (RFC 6238), and the recovery codes for a lost one. */
export class Totp {
  readonly #options: TotpOptions;
  readonly #sealing: Sealing;

  constructor(options: TotpOptions) {
    this.#options = options;
    this.#sealing = createSealing(options.secret, "totp");
  }

  async isOn(memberId: string, db: Db = this.#options.pool): Promise<boolean> {
    const row = await findTotp(db, memberId);
    return row !== null && row.confirmed_at !== null;
  }

  recoveryCodesLeft(memberId: string): Promise<number> {
    return countRecoveryCodes(this.#options.pool, memberId);
  }

  /** A secret for the app, in force once a code confirms it; `wrong_state` if one is in force. */
  async begin(
    brandName: string,
    session: Pick<Session, "id" | "memberId" | "username">,
  ): Promise<Result<{ secret: string; uri: string }, Refusal>> {
    const { pool, clock, entropy } = this.#options;
    const secret = new Secret({ buffer: Uint8Array.from(entropy.bytes(SECRET_BYTES)).buffer });
    const sealed = await this.#sealing.seal(secret.base32);
    const begun = { sealedSecret: sealed, sessionId: session.id };
    const saved = await saveTotp(pool, session.memberId, begun, clock.now());
    if (!saved) return refuse(refusal("wrong_state"));
    const uri = new TOTP({ issuer: brandName, label: session.username, secret }).toString();
    return ok({ secret: secret.base32, uri });
  }

  /**
   * Whether this is a code of the app or a recovery code; null for a wrong one. Either is taken
   * once, in the transaction of its purpose.
   */
  async judge(memberId: string, code: string): Promise<TakeProof | null> {
    const { pool, clock, passwords } = this.#options;
    if (!/^\d{6}$/.test(code)) {
      const { prefix, keyed } = this.#partsOf(memberId, code);
      const stored = await findRecoveryCode(pool, memberId, prefix);
      const right = await passwords.matches(stored, keyed);
      const one = { prefix, hash: stored };
      return right ? (db) => useRecoveryCode(db, memberId, one, clock.now()) : null;
    }
    const row = await findTotp(pool, memberId);
    if (row === null || row.confirmed_at === null) return null;
    const step = await this.stepOf(row.sealed_secret, code);
    if (step === null) return null;
    const one = { sealedSecret: row.sealed_secret, step };
    return (db) => takeStep(db, memberId, one);
  }

  async stepOf(sealedSecret: string, code: string): Promise<number | null> {
    const opened = await this.#sealing.open(sealedSecret);
    // Sealed under an earlier PAYLOAD_KEY: no code can be judged, so none is right.
    if (opened === null) return null;
    const secret = Secret.fromBase32(opened);
    const timestamp = this.#options.clock.now();
    const delta = TOTP.validate({ token: code, secret, timestamp, window: WINDOW_STEPS });
    return delta === null ? null : TOTP.counter({ timestamp }) + delta;
  }

  /** As the member reads them, and as we store them. */
  async freshRecoveryCodes(memberId: string) {
    const codes = this.#freshCodes();
    const hashed = await Promise.all(
      codes.map(async (code) => {
        const { prefix, keyed } = this.#partsOf(memberId, code);
        return { prefix, hash: await this.#options.passwords.hash(keyed) };
      }),
    );
    return { codes, hashed };
  }

  #freshCodes(): string[] {
    const codes = new Map<string, string>();
    while (codes.size < RECOVERY_CODES) {
      const code = this.#freshCode();
      codes.set(code.slice(0, PREFIX_CHARS), code);
    }
    return [...codes.values()];
  }

  /** 40 bits, as `ABCD-EFGH`. */
  #freshCode(): string {
    const bytes = this.#options.entropy.bytes(RECOVERY_CODE_CHARS);
    const code = Array.from(bytes, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
    return `${code.slice(0, 4)}-${code.slice(4)}`;
  }

  /** In any spelling that a person uses; keyed, so that the table alone gives nothing to try. */
  #partsOf(memberId: string, code: string): { prefix: string; keyed: string } {
    const plain = code
      .toUpperCase()
      .replaceAll("-", "")
      .replaceAll("O", "0")
      .replaceAll(/[IL]/g, "1");
    const keyed = createHmac("sha256", this.#options.secret)
      .update(`recovery-code\n${memberId}\n${plain}`)
      .digest("base64url");
    return { prefix: plain.slice(0, PREFIX_CHARS), keyed };
  }
}
