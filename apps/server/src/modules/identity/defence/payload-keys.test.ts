import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { CompactEncrypt, importJWK } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manualClock, seededEntropy } from "../../../../../../tests/server/fixtures.ts";
import {
  createTestDatabase,
  type TestDatabase,
} from "../../../../../../tests/setup/test-database.ts";
import { sweepOnce } from "./once.store.ts";
import { createPayloadKeys, type PayloadKeys } from "./payload-keys.ts";

const LOGIN = { aud: "perya", call: "POST /api/v1/auth/login" };
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
  it("[A3-10] opens once in any process and is refused when it is played again", async () => {
    const jwe = await seal({ body: { username: "maria" } });
    expect(await open(other, jwe)).toEqual({ ok: true, value: { username: "maria" } });
    for (const process of [keys, other]) {
      expect(await open(process, jwe)).toMatchObject(refused("stale_payload"));
    }
  });

  it("opens once if it is sent many times at once", async () => {
    const jwe = await seal({ body: 1 });
    const opened = await Promise.all(
      Array.from({ length: 8 }, (_, i) => open(i % 2 ? keys : other, jwe)),
    );
    expect(opened.filter((result) => result.ok)).toHaveLength(1);
  });

  it("[A3-10] is refused if it was sealed more than five minutes off our clock", async () => {
    for (const off of [-5 * MINUTE_MS - 1, 5 * MINUTE_MS + 1]) {
      const jwe = await seal({ body: 1, at: clock.now() + off });
      expect(await open(keys, jwe)).toMatchObject(refused("stale_payload"));
    }
    const jwe = await seal({ body: 1, at: clock.now() - 5 * MINUTE_MS });
    expect(await open(keys, jwe)).toMatchObject({ ok: true });
  });

  it("[A3-10] is remembered for as long as its time is accepted, also after old ones were deleted", async () => {
    const jwe = await seal({ body: 1, at: clock.now() + 5 * MINUTE_MS });
    expect(await open(keys, jwe)).toMatchObject({ ok: true });
    // The last moment at which its time is accepted.
    clock.advance(10 * MINUTE_MS);
    await sweepOnce(db.pool, clock.now());
    expect(await open(keys, jwe)).toMatchObject(refused("stale_payload"));
    const { rows } = await db.pool.query("SELECT FROM used_nonces");
    expect(rows.length).toBeGreaterThan(0);
  });

  it("no longer opens once its key has retired, and the private half is deleted by then", async () => {
    const jwe = await seal({ body: 1 });
    expect(await open(keys, jwe)).toMatchObject({ ok: true });
    const { kid } = await keys.publicKey();
    clock.advance(31 * DAY_MS);
    const late = await seal({ body: 1 }, await keys.publicKey());
    const { kid: next, jwk } = await keys.publicKey();
    expect(next).not.toBe(kid);
    await keys.sweep();
    const { rows } = await db.pool.query("SELECT kid FROM payload_keys");
    expect(rows).toEqual([{ kid: next }]);
    expect(await open(keys, await seal({ body: 1 }, { kid, jwk }))).toMatchObject(
      refused("stale_payload"),
    );
    expect(await open(keys, late)).toMatchObject({ ok: true });
  });

  it("sealed to an unknown or another key, or changed on the way, does not open", async () => {
    const { kid, jwk } = await keys.publicKey();
    expect(await open(keys, await seal({ body: 1 }, { kid: "nobody", jwk }))).toMatchObject(
      refused("stale_payload"),
    );
    const database = await createTestDatabase();
    const stranger = createPayloadKeys(database.pool, clock, seededEntropy("stranger"), SECRET);
    const foreign = await stranger.publicKey();
    await database.drop();
    const mixed = await seal({ body: 1 }, { kid, jwk: foreign.jwk });
    expect(await open(keys, mixed)).toMatchObject(refused("stale_payload"));
    const [head, key, iv, text = "", tag] = (await seal({ body: 1 })).split(".");
    // The first character: of the last one, base64 may leave bits unused.
    const changed = `${text.startsWith("A") ? "B" : "A"}${text.slice(1)}`;
    const tampered = [head, key, iv, changed, tag].join(".");
    expect(await open(keys, tampered)).toMatchObject(refused("stale_payload"));
    for (const noise of ["", "a.b.c.d.e", "x".repeat(500)]) {
      expect(await open(keys, noise)).toMatchObject(refused("stale_payload"));
    }
  });

  it.each([
    ["ECDH-ES+A128KW", "A256GCM"],
    ["ECDH-ES", "A256GCM"],
    ["ECDH-ES+A256KW", "A128GCM"],
    ["ECDH-ES+A256KW", "A256CBC-HS512"],
  ])("[A3-09] of %s and %s is refused, though it is sealed to our key", async (alg, enc) => {
    const { kid, jwk } = await keys.publicKey();
    const inside = () => ({ nonce: freshNonce(), at: clock.now(), ...LOGIN, body: 1 });
    const jwe = await sealRaw(inside(), kid, jwk, { alg, enc });
    expect(await open(keys, jwe)).toMatchObject(refused("stale_payload"));
    const ours = { alg: "ECDH-ES+A256KW", enc: "A256GCM" };
    const good = await sealRaw(inside(), kid, jwk, ours);
    expect(await open(keys, good)).toMatchObject({ ok: true });
  });

  it("opens for the brand and the call that it names, and for no others", async () => {
    for (const elsewhere of [
      { ...LOGIN, aud: "fiesta" },
      { ...LOGIN, call: "PUT /api/v1/auth/register" },
    ]) {
      const jwe = await seal({ body: 1 });
      expect(await open(keys, jwe, elsewhere)).toMatchObject(refused("stale_payload"));
      // That refusal did not use it up.
      expect(await open(keys, jwe)).toMatchObject({ ok: true });
    }
  });

  it("[A3-10] without a nonce, a time or its purpose is refused", async () => {
    const { kid, jwk } = await keys.publicKey();
    const whole = { nonce: freshNonce(), at: clock.now(), ...LOGIN, body: 1 };
    const without = (name: keyof typeof whole) => ({ ...whole, [name]: undefined });
    for (const inside of [
      without("nonce"),
      without("at"),
      without("aud"),
      without("call"),
      { ...whole, nonce: "short" },
      { ...whole, more: 1 },
      [],
    ]) {
      const jwe = await sealRaw(inside, kid, jwk);
      expect(await open(keys, jwe)).toMatchObject(refused("malformed_body"));
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
    expect(await open(keysUnder(SECRET), await seal({ body: 1 }, old))).toMatchObject({ ok: true });
    clock.advance(DAY_MS + 1);
    const late = await seal({ body: 1 }, old);
    expect(await open(keysUnder(SECRET), late)).toMatchObject(refused("stale_payload"));
    expect(await open(other, await seal({ body: 1 }, fresh))).toMatchObject({ ok: true });
  });

  it("is a new one after the operator changed the secret, so that people can log in", async () => {
    const before = await keys.publicKey();
    const changed = keysUnder("another payload key, chosen after the first one leaked");
    const now = await changed.publicKey();
    expect(now.kid).not.toBe(before.kid);
    expect(await open(changed, await seal({ body: 1 }, now))).toMatchObject({ ok: true });
    expect(await open(changed, await seal({ body: 1 }, before))).toMatchObject(
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
  const { at = clock.now(), body } = given;
  return sealRaw({ nonce: freshNonce(), at, ...LOGIN, body }, kid, jwk);
}

function freshNonce(): string {
  nonces += 1;
  return `nonce-of-this-test-${nonces}`;
}

async function sealRaw(
  inside: unknown,
  kid: string,
  jwk: Published["jwk"],
  { alg, enc } = { alg: "ECDH-ES+A256KW", enc: "A256GCM" },
): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(inside)))
    .setProtectedHeader({ alg, enc, kid })
    .encrypt(await importJWK(jwk, alg));
}

function open(at: PayloadKeys, jwe: string, sealedFor = LOGIN) {
  return at.open(jwe, sealedFor);
}

let processes = 0;

function keysUnder(secret: string): PayloadKeys {
  processes += 1;
  return createPayloadKeys(db.pool, clock, seededEntropy(`process ${processes}`), secret);
}

function refused(code: string) {
  return { ok: false, error: { code } };
}
