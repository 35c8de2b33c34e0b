import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { decodeAttestationObject, isoBase64URL, isoCBOR } from "@simplewebauthn/server/helpers";
import { z } from "zod";
import type { PasskeyRow } from "./passkeys.store.ts";

/** ES256 and RS256: what phones, keys and Windows sign with (COSE algorithm numbers). */
export const ALGORITHMS = [-7, -257];

/** Characters of base64url: twice what the certificates of the wordiest authenticators take. */
const ATTESTATION_MAX = 32_768;
/** Limit of each of the other parts, the longest of which some browsers fill with extensions. */
const PART_MAX = 8_192;

const base64url = z
  .string()
  .max(ATTESTATION_MAX)
  .regex(/^[A-Za-z0-9_-]+$/);
const part = base64url.max(PART_MAX);
/** The parts that we read of `toJSON()` of a browser's credential; the library judges them. */
const credential = {
  id: base64url.max(1_400),
  rawId: base64url.max(1_400),
  type: z.literal("public-key"),
};
const registered = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: part,
    attestationObject: base64url,
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
});
const asserted = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: part,
    authenticatorData: part,
    signature: part,
    userHandle: part.nullish(),
  }),
});

/** The browser's site: a passkey is made for a host and signs for an origin. */
export interface Site {
  /** Host name without a port. */
  readonly rpId: string;
  /** Scheme, host and port. */
  readonly origin: string;
}

export function siteOf(publicUrl: string, host: string): Site {
  const url = new URL(`${new URL(publicUrl).protocol}//${host}`);
  return { rpId: url.hostname, origin: url.origin };
}

/** The credential that a browser made for a challenge; null for any other answer. */
export async function madeFor(challenge: string, { origin, rpId }: Site, given: unknown) {
  const read = registered.safeParse(given);
  if (!read.success) return null;
  const { transports = [], clientDataJSON, attestationObject } = read.data.response;
  const verified = await judged(() => {
    const made = { clientDataJSON, attestationObject: unattested(attestationObject) };
    return verifyRegistrationResponse({
      response: { ...read.data, response: made, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
  });
  if (verified?.verified !== true) return null;
  const { id: credentialId, publicKey, counter } = verified.registrationInfo.credential;
  return { credentialId, publicKey, counter, transports };
}

/**
 * The passkey that signed a challenge, and its counter from then on; null for any other answer. If
 * the counter does not grow, a copy of the authenticator is in use (WebAuthn, 6.1.1).
 * @param find the passkey of a credential's id
 */
export async function signedFor(
  challenge: string,
  { origin, rpId }: Site,
  given: unknown,
  find: (credentialId: string) => Promise<PasskeyRow | null>,
) {
  const read = asserted.safeParse(given);
  if (!read.success) return null;
  const { userHandle, ...signed } = read.data.response;
  const passkey = await find(read.data.id);
  if (passkey === null || !isHandleOf(passkey.member_id, userHandle)) return null;
  const verified = await judged(() =>
    verifyAuthenticationResponse({
      response: { ...read.data, response: signed, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: Uint8Array.from(passkey.public_key),
        counter: Number(passkey.counter),
        transports: passkey.transports,
      },
    }),
  );
  return verified?.verified === true
    ? { passkey, newCounter: verified.authenticationInfo.newCounter }
    : null;
}

/**
 * What an authenticator made, without its attestation: we ask for none, and a stranger's
 * certificates name addresses that the library would fetch. Throws if it is broken.
 */
function unattested(attestationObject: string): string {
  const made = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const bare = new Map<string, string | Uint8Array | Map<string, string>>();
  bare.set("fmt", "none").set("attStmt", new Map()).set("authData", made.get("authData"));
  return isoBase64URL.fromBuffer(isoCBOR.encode(bare));
}

/** The library throws for a wrong answer of a browser; the reason is of no use to its sender. */
async function judged<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}

/** The user handle that the authenticator kept must name the passkey's own member. */
function isHandleOf(memberId: string, userHandle: string | null | undefined): boolean {
  if (userHandle == null) return true;
  return Buffer.from(userHandle, "base64url").toString("utf8") === memberId;
}
