import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** Object identifiers, already encoded (ITU-T X.690, 8.19). */
const COMMON_NAME = "0603550403";
const ECDSA_SHA256 = "06082a8648ce3d040302";
const BASIC_CONSTRAINTS = "0603551d13";
const CRL_DISTRIBUTION_POINTS = "0603551d1f";
/** 1.3.6.1.4.1.11129.2.1.17: the key description of Android. */
const KEY_DESCRIPTION = "060a2b06010401d679020111";

/**
 * Two certificates like those for an Android phone's key: the first is for the given key, the
 * second for the maker's root. The first names `crlUrl` as its revocation list.
 */
export function attestingChain(
  publicKey: KeyObject,
  clientDataHash: Buffer,
  crlUrl: string,
): Buffer[] {
  const root = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const address = der(0x86, Buffer.from(crlUrl));
  const points = sequence(sequence(der(0xa0, der(0xa0, address))));
  const nobody = [octets(Buffer.alloc(0)), sequence(), sequence()];
  const key = sequence(hex("0201030a0100020103"), hex("0a0100"), octets(clientDataHash), ...nobody);
  const leaf = certificate("leaf", publicKey, root.privateKey, [
    extension(CRL_DISTRIBUTION_POINTS, points),
    extension(KEY_DESCRIPTION, key),
  ]);
  const constraints = extension(BASIC_CONSTRAINTS, sequence(hex("0101ff")));
  return [leaf, certificate("root", root.publicKey, root.privateKey, [constraints])];
}

/** X.509, version 3 (RFC 5280, 4.1), issued by "root". */
function certificate(
  subject: string,
  publicKey: KeyObject,
  issuerKey: KeyObject,
  extensions: readonly Buffer[],
): Buffer {
  const algorithm = sequence(hex(ECDSA_SHA256));
  const described = sequence(
    der(0xa0, hex("020102")),
    hex("020101"),
    algorithm,
    named("root"),
    sequence(time("200101000000Z"), time("490101000000Z")),
    named(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", described, issuerKey);
  return sequence(described, algorithm, der(0x03, hex("00"), signature));
}

function named(name: string): Buffer {
  return sequence(der(0x31, sequence(hex(COMMON_NAME), der(0x0c, Buffer.from(name)))));
}

function extension(identifier: string, value: Buffer): Buffer {
  return sequence(hex(identifier), octets(value));
}

function time(utc: string): Buffer {
  return der(0x17, Buffer.from(utc));
}

function octets(value: Buffer): Buffer {
  return der(0x04, value);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, "hex");
}
