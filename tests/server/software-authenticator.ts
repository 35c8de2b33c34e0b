import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/**
 * Stands in for a phone's authenticator: one ES256 key, attestation "none", and assertions over
 * the bytes that WebAuthn names (https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data).
 */
export class SoftwareAuthenticator {
  readonly id = randomBytes(32).toString("base64url");
  readonly #key: { privateKey: KeyObject; publicKey: KeyObject };
  /** Always 0, as in a passkey that is synchronised between devices. */
  counter = 0;
  userHandle: string | null = null;

  constructor() {
    this.#key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  }

  /** What `navigator.credentials.create` answers, as JSON. */
  create(given: Ceremony, attest: Attest = () => NONE): Record<string, unknown> {
    const clientData = clientDataOf("webauthn.create", given);
    const { fmt, certificates } = attest(this.#key.publicKey, sha256(clientData));
    const statement = cborMap([
      ["alg", cborInt(-7)],
      ["sig", cborBytes(Buffer.alloc(70, 1))],
      ["x5c", cborArray(certificates.map(cborBytes))],
    ]);
    const attestation = cborMap([
      ["fmt", cborText(fmt)],
      ["attStmt", certificates.length === 0 ? cborMap([]) : statement],
      ["authData", cborBytes(this.#authenticatorData(given, true))],
    ]);
    return this.#credential({
      clientDataJSON: clientData.toString("base64url"),
      attestationObject: attestation.toString("base64url"),
      transports: ["internal"],
    });
  }

  /** What `navigator.credentials.get` answers, as JSON. */
  get(given: Ceremony): Record<string, unknown> {
    const clientData = clientDataOf("webauthn.get", given);
    const data = this.#authenticatorData(given, false);
    const signed = Buffer.concat([data, sha256(clientData)]);
    return this.#credential({
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.#key.privateKey).toString("base64url"),
      userHandle: this.userHandle,
    });
  }

  #credential(response: Record<string, unknown>): Record<string, unknown> {
    const { id } = this;
    return { id, rawId: id, type: "public-key", response, clientExtensionResults: {} };
  }

  #authenticatorData({ rpId, userVerified = true }: Ceremony, isNew: boolean): Buffer {
    const flags = USER_PRESENT | (userVerified ? USER_VERIFIED : 0) | (isNew ? ATTESTED : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const head = Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), counter]);
    if (!isNew) return head;
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    return Buffer.concat([head, Buffer.alloc(16), length, id, this.#coseKey()]);
  }

  /** RFC 9053: key type EC2, ES256, P-256, and the point. */
  #coseKey(): Buffer {
    const { x = "", y = "" } = this.#key.publicKey.export({ format: "jwk" });
    return cborMap([
      [1, cborInt(2)],
      [3, cborInt(-7)],
      [-1, cborInt(1)],
      [-2, cborBytes(Buffer.from(x, "base64url"))],
      [-3, cborBytes(Buffer.from(y, "base64url"))],
    ]);
  }
}

/** The attestation of an authenticator's model; its signature is made up. */
export type Attest = (
  publicKey: KeyObject,
  clientDataHash: Buffer,
) => { readonly fmt: string; readonly certificates: readonly Buffer[] };

const NONE = { fmt: "none", certificates: [] };

/** The browser's input to the authenticator. */
export interface Ceremony {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  readonly userVerified?: boolean;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

function clientDataOf(type: string, { challenge, origin }: Ceremony): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** The part of CBOR (RFC 8949) that a credential needs. */
function cborHead(major: number, value: number): Buffer {
  const type = major * 32;
  if (value < 24) return Buffer.from([type + value]);
  if (value < 256) return Buffer.from([type + 24, value]);
  return Buffer.from([type + 25, value >> 8, value & 255]);
}

function cborInt(value: number): Buffer {
  return value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value);
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
}

function cborArray(items: readonly Buffer[]): Buffer {
  return Buffer.concat([cborHead(4, items.length), ...items]);
}

function cborMap(entries: readonly (readonly [string | number, Buffer])[]): Buffer {
  const parts = entries.flatMap(([key, value]) => [
    typeof key === "number" ? cborInt(key) : cborText(key),
    value,
  ]);
  return Buffer.concat([cborHead(5, entries.length), ...parts]);
}
