import { createHash } from "node:crypto";
import { CompactEncrypt, compactDecrypt, errors } from "jose";

const ENCRYPTION = "A256GCM";

/** Stores secrets that we must read again in the database, under a key that is not in it. */
export interface Sealing {
  seal(text: string): Promise<string>;
  /** Null for a text that was sealed under another key, or never. */
  open(sealed: string): Promise<string | null>;
}

/** @param use names the purpose; a text sealed for one use does not open for another */
export function createSealing(secret: string, use: string): Sealing {
  const key = createHash("sha256").update(`${use}\n${secret}`).digest();
  return {
    seal: (text) =>
      new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: "dir", enc: ENCRYPTION })
        .encrypt(key),
    async open(sealed) {
      try {
        const { plaintext } = await compactDecrypt(sealed, key, {
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: [ENCRYPTION],
        });
        return new TextDecoder().decode(plaintext);
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}
