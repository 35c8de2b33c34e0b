import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { present } from "@perya/kernel/assert";
import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Account,
  type AccountHarness,
  type NewAccount,
  openAccountHarness,
  PASSWORD,
  PHONE,
  PUBLIC_URL,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { attestingChain } from "../../../../../../tests/server/attesting-chain.ts";
import { whileBroken } from "../../../../../../tests/server/broken-statement.ts";
import {
  type Ceremony,
  SoftwareAuthenticator,
} from "../../../../../../tests/server/software-authenticator.ts";
import type { Session } from "../sessions/session.ts";
import { sweepChallenges } from "./passkeys.store.ts";
import type { Answered } from "./passkeys.ts";
import { type Site, siteOf } from "./webauthn.ts";

const SITE = siteOf(PUBLIC_URL, "perya.test");
const OTHER_SITE: Site = { rpId: "perya.evil", origin: "https://perya.evil" };
let harness: AccountHarness;

beforeAll(async () => {
  harness = await openAccountHarness("passkeys");
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a passkey", () => {
  it("is made for a verified user of the brand's host, and listed under its name", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    const { options } = taken(
      await harness.passkeys.registrationOptions(harness.perya, session, SITE),
    );
    expect(options).toMatchObject({
      rp: { id: "perya.test", name: harness.perya.name },
      user: { name: account.username },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const { id } = await keep(session, new SoftwareAuthenticator(), "My phone");
    expect(await harness.passkeys.list(session)).toEqual([
      { id, name: "My phone", createdAt: harness.clock.now(), lastUsedAt: null },
    ]);
    const again = taken(await harness.passkeys.registrationOptions(harness.perya, session, SITE));
    expect(again.options.excludeCredentials).toHaveLength(1);
  });

  it("[A8-13] opens no session on a host for agents only", async () => {
    const { authenticator } = await withPasskey();
    const { perya } = harness;
    const settings = { ...perya.settings, agentHosts: ["agents.perya.test"] };
    const owner = taken(await logIn(authenticator));
    const site = { ...PHONE, host: "agents.perya.test" };
    const entered = harness.logins.finishPasskeyLogin({ ...perya, settings }, owner, site);
    expect(codeOf(await entered)).toBe("not_agent_account");
  });

  it("logs in by itself, and counts as both factors", async () => {
    const { account, authenticator } = await withPasskey();
    await harness.db.pool.query(
      `INSERT INTO member_totp (member_id, sealed_secret, confirmed_at)
       VALUES ($1, 'sealed', to_timestamp($2 / 1000.0))`,
      [account.id, harness.clock.now()],
    );
    expect(await harness.secondFactor.needed(account.id)).toBe(true);
    const owner = taken(await logIn(authenticator));
    expect(owner.member.id).toBe(account.id);
    const entered = taken(await harness.logins.finishPasskeyLogin(harness.perya, owner, PHONE));
    expect(await harness.isOpen(account, entered.halves)).toBe(true);
    const { rows } = await harness.db.pool.query(
      "SELECT method, outcome FROM login_events WHERE member_id = $1",
      [account.id],
    );
    expect(rows).toEqual([{ method: "passkey", outcome: "done" }]);
  });

  it("signs a challenge once, its own, within five minutes", async () => {
    const { authenticator } = await withPasskey();
    const { challengeId, options } = await harness.passkeys.loginOptions(harness.perya, SITE);
    const response = authenticator.get(ceremony(options));
    const given = { challengeId, response };
    const both = await Promise.all([enter(given), enter(given)]);
    expect(both.sort()).toEqual(["ok", "passkey_refused"]);
    expect(await enter(given)).toBe("passkey_refused");

    const next = await harness.passkeys.loginOptions(harness.perya, SITE);
    const stale = { challengeId: next.challengeId, response };
    expect(codeOf(await harness.passkeys.owner(harness.perya, SITE, stale))).toBe(
      "passkey_refused",
    );

    const late = await harness.passkeys.loginOptions(harness.perya, SITE);
    harness.clock.advance(5 * MINUTE_MS);
    const signed = authenticator.get(ceremony(late.options));
    const tooLate = { challengeId: late.challengeId, response: signed };
    expect(await enter(tooLate)).toBe("passkey_refused");
    await sweepChallenges(harness.db.pool, harness.clock.now());
    expect((await harness.db.pool.query("SELECT FROM webauthn_challenges")).rowCount).toBe(0);
  });

  it.each([0, 7])(
    "proves a log-in again by the same answer if its session was not begun, with a counter of %i",
    async (counter) => {
      const { authenticator } = await withPasskey();
      authenticator.counter = counter;
      const { challengeId, options } = await harness.passkeys.loginOptions(harness.perya, SITE);
      const given = { challengeId, response: authenticator.get(ceremony(options)) };
      const broken = { table: "sessions", does: "INSERT" } as const;
      await expect(whileBroken(harness.db.pool, broken, () => enter(given))).rejects.toThrow();
      expect(await enter(given)).toBe("ok");
      expect(await enter(given)).toBe("passkey_refused");
    },
  );

  it("is refused from another origin, another host, or without a verified user", async () => {
    const { authenticator } = await withPasskey();
    const { origin, rpId } = OTHER_SITE;
    for (const change of [{ origin }, { rpId }, { userVerified: false }]) {
      expect(codeOf(await logIn(authenticator, change)), JSON.stringify(change)).toBe(
        "passkey_refused",
      );
    }
    taken(await logIn(authenticator));
  });

  it("is refused if its counter does not grow, since a copy is in use", async () => {
    const { authenticator } = await withPasskey();
    const signed = async (counter: number) => {
      authenticator.counter = counter;
      const { challengeId, options } = await harness.passkeys.loginOptions(harness.perya, SITE);
      return { challengeId, response: authenticator.get(ceremony(options)) };
    };
    expect(await enter(await signed(7))).toBe("ok");
    expect(await enter(await signed(7))).toBe("passkey_refused");
    expect(await enter(await signed(6))).toBe("passkey_refused");
    const both = [await signed(8), await signed(8)];
    expect((await Promise.all(both.map(enter))).sort()).toEqual(["ok", "passkey_refused"]);
  });

  it("with another key or naming another member is refused", async () => {
    const { authenticator } = await withPasskey();
    const stranger = new SoftwareAuthenticator();
    expect(codeOf(await logIn(stranger))).toBe("passkey_refused");
    const forged = new SoftwareAuthenticator();
    Object.assign(forged, { id: authenticator.id });
    expect(codeOf(await logIn(forged))).toBe("passkey_refused");
    const other = await harness.makeAccount();
    authenticator.userHandle = Buffer.from(other.id).toString("base64url");
    expect(codeOf(await logIn(authenticator))).toBe("passkey_refused");
  });

  it("of one brand is unknown to another", async () => {
    const { authenticator } = await withPasskey();
    const abroad = await harness.passkeys.loginOptions(harness.fiesta, SITE);
    const response = authenticator.get(ceremony(abroad.options));
    const given = { challengeId: abroad.challengeId, response };
    expect(codeOf(await harness.passkeys.owner(harness.fiesta, SITE, given))).toBe(
      "passkey_refused",
    );
    const here = await harness.passkeys.loginOptions(harness.perya, SITE);
    const signed = authenticator.get(ceremony(here.options));
    const crossed = { challengeId: here.challengeId, response: signed };
    expect(codeOf(await harness.passkeys.owner(harness.fiesta, SITE, crossed))).toBe(
      "passkey_refused",
    );
  });

  it("is not stored with another member's challenge, twice, or if it was made elsewhere", async () => {
    const mine = await harness.logInProven(await harness.makeAccount());
    const theirs = await harness.logInProven(await harness.makeAccount());
    const begin = async () =>
      taken(await harness.passkeys.registrationOptions(harness.perya, mine.session, SITE));
    const first = await begin();
    const authenticator = new SoftwareAuthenticator();
    const made = {
      challengeId: first.challengeId,
      response: authenticator.create(ceremony(first.options)),
      name: "phone",
    };
    const register = (session: Session, given: typeof made) =>
      harness.passkeys.register(harness.perya, session, SITE, given, "EN");
    expect(codeOf(await register(theirs.session, made))).toBe("passkey_refused");
    taken(await register(mine.session, made));
    expect(codeOf(await register(mine.session, made))).toBe("passkey_refused");
    const again = await begin();
    const same = authenticator.create(ceremony(again.options));
    const twice = { ...made, challengeId: again.challengeId, response: same };
    expect(codeOf(await register(mine.session, twice))).toBe("passkey_refused");
    for (const change of [OTHER_SITE, { userVerified: false }]) {
      const { challengeId, options } = await begin();
      const response = new SoftwareAuthenticator().create({ ...ceremony(options), ...change });
      const elsewhere = { ...made, challengeId, response };
      expect(codeOf(await register(mine.session, elsewhere))).toBe("passkey_refused");
    }
    const { challengeId } = await begin();
    const garbage = { ...made, challengeId, response: { id: "x" } };
    expect(codeOf(await register(mine.session, garbage))).toBe("passkey_refused");
  });

  it("is stored with any attestation, and the server never calls a certificate's address", async () => {
    const called: string[] = [];
    const stranger = createServer(({ url = "" }, reply) => {
      called.push(url);
      reply.end();
    });
    await new Promise<void>((listens) => stranger.listen(0, "127.0.0.1", listens));
    // A listening TCP server's address has a port.
    const { port } = stranger.address() as AddressInfo;
    try {
      const { session } = await harness.logInProven(await harness.makeAccount());
      const formats = ["android-key", "android-safetynet", "apple", "fido-u2f", "packed", "tpm"];
      for (const fmt of [...formats, "made-up"]) {
        const begun = await harness.passkeys.registrationOptions(harness.perya, session, SITE);
        const { challengeId, options } = taken(begun);
        const crlUrl = `http://127.0.0.1:${port}/${fmt}`;
        const response = new SoftwareAuthenticator().create(ceremony(options), (key, hash) => ({
          fmt,
          certificates: attestingChain(key, hash, crlUrl),
        }));
        const given = { challengeId, response, name: fmt };
        const kept = await harness.passkeys.register(harness.perya, session, SITE, given, "EN");
        expect([fmt, kept.ok, called]).toEqual([fmt, true, []]);
      }
    } finally {
      stranger.close();
    }
  });

  it("is refused if what its authenticator made is broken, endlessly nested or too long", async () => {
    const { session } = await harness.logInProven(await harness.makeAccount());
    const broken: Record<string, (made: Buffer) => Buffer> = {
      "cut off": (made) => made.subarray(0, made.length - 40),
      "not a map": () => Buffer.from("01", "hex"),
      "an empty map": () => Buffer.from("a0", "hex"),
      "a text for the data": () => Buffer.from("a1686175746844617461646e6f6e65", "hex"),
      "a map that claims to be endless": () => Buffer.from("bb7fffffffffffffff", "hex"),
      "nested without end": () => Buffer.alloc(24_000, 0x81),
      "longer than any": (made) => Buffer.concat([made, Buffer.alloc(24_577)]),
    };
    for (const [what, breakIt] of Object.entries(broken)) {
      const begun = await harness.passkeys.registrationOptions(harness.perya, session, SITE);
      const { challengeId, options } = taken(begun);
      const response = new SoftwareAuthenticator().create(ceremony(options));
      // A credential's response holds texts.
      const made = response.response as { attestationObject: string };
      const object = Buffer.from(made.attestationObject, "base64url");
      made.attestationObject = breakIt(object).toString("base64url");
      const given = { challengeId, response, name: "phone" };
      const kept = await harness.passkeys.register(harness.perya, session, SITE, given, "EN");
      expect([what, codeOf(kept)]).toEqual([what, "passkey_refused"]);
    }
  });

  it("is one of twenty at most, even if many are made at once", async () => {
    const { session } = await harness.logInProven(await harness.makeAccount());
    const asked = await Promise.all(
      Array.from({ length: 30 }, async () =>
        taken(await harness.passkeys.registrationOptions(harness.perya, session, SITE)),
      ),
    );
    const made = await Promise.all(
      asked.map(({ challengeId, options }) => {
        const response = new SoftwareAuthenticator().create(ceremony(options));
        const given = { challengeId, response, name: "phone" };
        return harness.passkeys.register(harness.perya, session, SITE, given, "EN");
      }),
    );
    expect(made.filter(({ ok }) => ok)).toHaveLength(20);
    expect(await harness.passkeys.list(session)).toHaveLength(20);
  });

  it("is stored and removed only by a proof of its own member, and a log-in is no such proof", async () => {
    const { account, id } = await withPasskey();
    const { session } = await harness.logIn(account);
    const other = await harness.logInProven(await harness.makeAccount());
    expect(codeOf(await remove(other.session, id))).toBe("not_found");
    const none = { challengeId: "chl_none", response: {}, name: "phone" };
    const tries = [
      await harness.passkeys.registrationOptions(harness.perya, session, SITE),
      await harness.passkeys.register(harness.perya, session, SITE, none, "EN"),
      await remove(session, id),
    ];
    expect(tries.map(codeOf)).toEqual(Array(3).fill("fresh_login_needed"));
    taken(await harness.security.prove(session, { password: PASSWORD }));
    taken(await remove(session, id));
    expect(await harness.passkeys.list(session)).toEqual([]);
  });

  it("that is removed voids what its member's other sessions had proven, and ends no session", async () => {
    const { account, id } = await withPasskey();
    const [mine, other] = [await harness.logInProven(account), await harness.logInProven(account)];
    taken(await remove(mine.session, id));
    expect(await fresh([mine.session, other.session])).toEqual([true, false]);
    expect(await harness.sessions.endedOf([other.session.id])).toEqual([]);
    // For a member with nothing else the log-in is the proof, and they logged in by the passkey.
    const bare = await withPasskey({ password: null });
    const [here, there] = [await harness.logIn(bare.account), await harness.logIn(bare.account)];
    expect(await fresh([here.session, there.session])).toEqual([true, true]);
    taken(await remove(here.session, bare.id));
    expect(await fresh([here.session, there.session])).toEqual([true, false]);
    expect(await fresh([(await harness.logIn(bare.account)).session])).toEqual([true]);
  });

  it("that is not the member's voids nothing when they try to remove it", async () => {
    const { id } = await withPasskey();
    const account = await harness.makeAccount();
    const [mine, other] = [await harness.logInProven(account), await harness.logInProven(account)];
    expect(codeOf(await remove(mine.session, id))).toBe("not_found");
    expect(await fresh([mine.session, other.session])).toEqual([true, true]);
  });

  it("that is made or removed is announced to a verified address, without its given name", async () => {
    const email = "passkeys@example.com";
    const { account, id } = await withPasskey({ email, emailVerified: true });
    const made = present(await harness.newestTo(email), "the mail");
    expect([made.subject, made.text.includes("phone")]).toEqual([
      `A passkey was added to your ${harness.perya.name} account`,
      false,
    ]);
    const { session } = await harness.logInProven(account);
    taken(await remove(session, id, "TY"));
    expect((await harness.newestTo(email))?.subject).toContain("May inalis na passkey");
    await withPasskey({ email: "claimed.only@example.com" });
    expect(await harness.newestTo("claimed.only@example.com")).toBeNull();
  });

  it("belongs to the host that the browser asked, under the scheme of the players' address", () => {
    expect(siteOf("http://localhost:3000", "localhost:5173")).toEqual({
      rpId: "localhost",
      origin: "http://localhost:5173",
    });
    expect(siteOf("https://perya.ph", "Fiesta.ph:443")).toEqual({
      rpId: "fiesta.ph",
      origin: "https://fiesta.ph",
    });
  });
});

function fresh(sessions: readonly Session[]) {
  return Promise.all(sessions.map(({ id }) => harness.sessions.isFresh(id)));
}

function remove(session: Session, id: string, language = "EN") {
  return harness.passkeys.remove(harness.perya, session, id, language);
}

async function withPasskey(given: NewAccount = {}): Promise<{
  account: Account;
  authenticator: SoftwareAuthenticator;
  id: string;
}> {
  const account = await harness.makeAccount(given);
  const { session } = await harness.logInProven(account);
  const authenticator = new SoftwareAuthenticator();
  authenticator.userHandle = Buffer.from(account.id).toString("base64url");
  const { id } = await keep(session, authenticator, "phone");
  return { account, authenticator, id };
}

async function keep(session: Session, authenticator: SoftwareAuthenticator, name: string) {
  const begun = taken(await harness.passkeys.registrationOptions(harness.perya, session, SITE));
  const response = authenticator.create(ceremony(begun.options));
  const given = { challengeId: begun.challengeId, response, name };
  return taken(await harness.passkeys.register(harness.perya, session, SITE, given, "EN"));
}

/** The whole log-in, by a browser's answer. */
async function enter(given: Answered): Promise<string> {
  const owner = await harness.passkeys.owner(harness.perya, SITE, given);
  if (!owner.ok) return owner.error.code;
  return codeOf(await harness.logins.finishPasskeyLogin(harness.perya, owner.value, PHONE));
}

async function logIn(authenticator: SoftwareAuthenticator, change: Partial<Ceremony> = {}) {
  const { challengeId, options } = await harness.passkeys.loginOptions(harness.perya, SITE);
  const response = authenticator.get({ ...ceremony(options), ...change });
  return harness.passkeys.owner(harness.perya, SITE, { challengeId, response });
}

/** What a browser at the brand's own address passes on. */
function ceremony(options: Record<string, unknown>): Ceremony {
  return { challenge: String(options.challenge), ...SITE };
}
