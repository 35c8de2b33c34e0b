/**
 * What anybody needs to verify our games with foreign code: the published formulas as a few lines
 * that run by themselves, and test vectors. The fairness page and docs/fairness.md show both.
 */

/** For Node and its own cryptography; it contains nothing of this project. */
export const VERIFY_CODE = `const { createHash, createHmac, createPublicKey, verify } = require("node:crypto");
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

// Where the kite's string snapped, from the flight's seed and the chain's salt.
function crash(seed, salt) {
  const hash = createHmac("sha256", salt).update(Buffer.from(seed, "hex")).digest("hex");
  const r = parseInt(hash.slice(0, 13), 16) / 2 ** 52;
  return Math.min(10000, Math.max(1, Math.floor(99 / (1 - r)) / 100));
}

// Whether the seed in this place leads back to what was published of the chain.
function isInChain(seed, place, chain) {
  let hash = sha256(seed);
  for (let at = place; at > chain.firstIndex; at--) hash = sha256(hash);
  return hash === chain.firstHash;
}

// Whether we signed what was published of the chain.
function isSigned(chain) {
  const text = [
    "perya saranggola chain",
    "chain " + chain.chainId,
    "form " + chain.form,
    "first index " + chain.firstIndex,
    "first hash " + chain.firstHash,
    "salt " + chain.salt,
    "length " + chain.length,
    "committed at " + chain.committedAt,
  ].join("\\n");
  const key = { kty: "OKP", crv: "Ed25519", x: chain.publicKey };
  const signature = Buffer.from(chain.signature, "base64url");
  return verify(null, Buffer.from(text), createPublicKey({ key, format: "jwk" }), signature);
}

// The draws of a round: eight numbers from 0 to below 1 for each cursor 0, 1, 2 and so on.
function floats(serverSeed, clientSeed, nonce, cursor) {
  const message = clientSeed + ":" + nonce + ":" + cursor;
  const bytes = createHmac("sha256", serverSeed).update(message).digest();
  return [0, 4, 8, 12, 16, 20, 24, 28].map((at) => bytes.readUInt32BE(at) / 2 ** 32);
}
`;

/** A chain of five flights, and where each crashed. */
export const CHAIN_VECTOR = {
  firstIndex: 0,
  firstHash: "69014d98bd7a6f72247a2df305c7bc23f7a961c2cd32b897e8340edf404de896",
  salt: "9f86d081884c7d659a2feaa0c55ad015",
  flights: [
    ["6e20eb617b21c1f5cedf662c712ca1d96778e802b13820d8309260281c5c69bf", "1.20"],
    ["f51b1c34c4348a3728f182229b2fa94e1d0c5221b1bbfae620b0c1dacd9ceb60", "4.41"],
    ["ec0ca61a230c17339cf739fb960e3ced4fbca337e2ce49a474f6a1133c0ff9c9", "2.66"],
    ["d65dd67c507722a79089a3b0a633a4b11c545353afd8ae57668d8bae0f36fcd5", "1.62"],
    ["c02f1c87e66bf8d25339cbad1f712ffea07c113847ef384623a810b59ffb488d", "1.48"],
  ],
} as const;

/** A pair of seeds, and the dice that three of its Color Game rounds throw. */
export const PAIR_VECTOR = {
  serverSeed: "0f730574241db0efef9138e25c7c51eb0af8780f8b91f69b71f01d9aaba3c0a5",
  seedHash: "7c88d2e4c45a2a622ad34739d7637879f97cef0d652c7cb2a41caeaeb7b6f668",
  rounds: [
    { clientSeed: "mabuhay", nonce: 0, dice: "blue white yellow" },
    { clientSeed: "mabuhay", nonce: 1, dice: "yellow blue blue" },
    { clientSeed: "kalabaw-77", nonce: 12, dice: "pink red green" },
  ],
} as const;
