import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { CompactEncrypt, importJWK } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manualClock, seededEntropy } from "../../../../../tests/server/fixtures.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import { createPayloadKeys, type PayloadKeys } from "./payload-keys.ts";

const SECRET = "a payload key of the operator's own choice";
const clock = manualClock();
let db: TestDatabase;
let keys: PayloadKeys;
/** The same installation in another process. */
let other: PayloadKeys;
let nonces = 0;

beforeAll(async () => {
  db = await createTestDatabase();
  keys = keysUnder(SECRET);
  other = keysUnder(SECRET);
});

afterAll(() => db.drop());

describe("a sealed body", () => {
  it("opens once in any process and is refused when it is played again", async () => {
    const jwe = await seal({ body: { username: "maria" } });
    expect(await other.open(jwe)).toEqual({ ok: true, value: { username: "maria" } });
    for (const process of [keys, other]) {
      expect(await process.open(jwe)).toMatchObject(refused("stale_payload"));
    }
  });

  it("opens once when it is sent many times at once", async () => {
    const jwe = await seal({ body: 1 });
    const opened = await Promise.all(
      Array.from({ length: 8 }, (_, i) => (i % 2 ? keys : other).open(jwe)),
    );
    expect(opened.filter((result) => result.ok)).toHaveLength(1);
  });

  it("is refused when it was sealed more than five minutes off our clock", async () => {
    for (const off of [-5 * MINUTE_MS - 1, 5 * MINUTE_MS + 1]) {
      const jwe = await seal({ body: 1, at: clock.now() + off });
      expect(await keys.open(jwe)).toMatchObject(refused("stale_payload"));
    }
    const jwe = await seal({ body: 1, at: clock.now() - 5 * MINUTE_MS });
    expect(await keys.open(jwe)).toMatchObject({ ok: true });
  });

  it("to an unknown key, to another's key or changed on the way does not open", async () => {
    const { kid, jwk } = await keys.publicKey();
    expect(await keys.open(await seal({ body: 1 }, { kid: "nobody", jwk }))).toMatchObject(
      refused("stale_payload"),
    );
    const database = await createTestDatabase();
    const stranger = createPayloadKeys(database.pool, clock, seededEntropy("stranger"), SECRET);
    const foreign = await stranger.publicKey();
    await database.drop();
    const mixed = await seal({ body: 1 }, { kid, jwk: foreign.jwk });
    expect(await keys.open(mixed)).toMatchObject(refused("stale_payload"));
    const [head, key, iv, text = "", tag] = (await seal({ body: 1 })).split(".");
    const changed = `${text.slice(0, -1)}${text.endsWith("A") ? "B" : "A"}`;
    const tampered = [head, key, iv, changed, tag].join(".");
    expect(await keys.open(tampered)).toMatchObject(refused("stale_payload"));
    for (const noise of ["", "a.b.c.d.e", "x".repeat(500)]) {
      expect(await keys.open(noise)).toMatchObject(refused("stale_payload"));
    }
  });

  it("without a nonce or a time is not taken", async () => {
    const { kid, jwk } = await keys.publicKey();
    for (const inside of [{ at: clock.now(), body: 1 }, { nonce: "short", at: 1, body: 1 }, []]) {
      const jwe = await sealRaw(inside, kid, jwk);
      expect(await keys.open(jwe)).toMatchObject(refused("malformed_body"));
    }
  });
});

describe("the published key", () => {
  it("is the same in every process", async () => {
    expect(await other.publicKey()).toEqual(await keys.publicKey());
  });

  it("is replaced after thirty days; the old one opens for a day more and no longer", async () => {
    const old = await keys.publicKey();
    clock.advance(30 * DAY_MS);
    const fresh = await keys.publicKey();
    expect(fresh.kid).not.toBe(old.kid);
    expect(await keysUnder(SECRET).open(await seal({ body: 1 }, old))).toMatchObject({ ok: true });
    clock.advance(DAY_MS + 1);
    const late = await seal({ body: 1 }, old);
    expect(await keysUnder(SECRET).open(late)).toMatchObject(refused("stale_payload"));
    expect(await other.open(await seal({ body: 1 }, fresh))).toMatchObject({ ok: true });
  });

  it("is a new one after the operator changed the secret, so that people can log in", async () => {
    const before = await keys.publicKey();
    const changed = keysUnder("another payload key, chosen after the first one leaked");
    const now = await changed.publicKey();
    expect(now.kid).not.toBe(before.kid);
    expect(await changed.open(await seal({ body: 1 }, now))).toMatchObject({ ok: true });
    expect(await changed.open(await seal({ body: 1 }, before))).toMatchObject(
      refused("stale_payload"),
    );
  });

  it("never has its private half in the database in the open", async () => {
    const { rows } = await db.pool.query("SELECT public_jwk, sealed_jwk FROM payload_keys");
    for (const { public_jwk, sealed_jwk } of rows) {
      expect(Object.keys(public_jwk)).not.toContain("d");
      expect(sealed_jwk.split(".")).toHaveLength(5);
    }
  });
});

interface Published {
  readonly kid: string;
  readonly jwk: Awaited<ReturnType<PayloadKeys["publicKey"]>>["jwk"];
}

async function seal(
  given: { readonly body: unknown; readonly at?: number },
  to?: Published,
): Promise<string> {
  const { kid, jwk } = to ?? (await keys.publicKey());
  nonces += 1;
  const nonce = `nonce-of-this-test-${nonces}`;
  return sealRaw({ nonce, at: given.at ?? clock.now(), body: given.body }, kid, jwk);
}

async function sealRaw(inside: unknown, kid: string, jwk: Published["jwk"]): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(inside)))
    .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid })
    .encrypt(await importJWK(jwk, "ECDH-ES+A256KW"));
}

let processes = 0;

function keysUnder(secret: string): PayloadKeys {
  processes += 1;
  return createPayloadKeys(db.pool, clock, seededEntropy(`process ${processes}`), secret);
}

function refused(code: string) {
  return { ok: false, error: { code } };
}
