import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import {
  callback,
  type ExternalLoginHarness,
  FIESTA,
  FLAGS,
  openExternalLoginHarness,
  PERYA,
  PHONE,
} from "../../../../../../tests/server/external-login-harness.ts";
import { availableOf, makeBrand } from "../../../../../../tests/server/fixtures.ts";
import { entered } from "../../../../../../tests/server/identity-harness.ts";
import {
  startOpenIdProvider,
  throughProvider,
} from "../../../../../../tests/server/openid-provider.ts";
import { systemClock } from "../../../platform/clock.ts";
import { accountOf } from "../../ledger/ledger.ts";
import { sweepExternal } from "./external-login.store.ts";
import { Issuer } from "./external-login-issuer.ts";

const PEOPLE = {
  ana: { email: "ana@gmail.test", email_verified: true },
  ben: { email: "ben@mail.test", email_verified: false },
  cora: {},
  dino: { email: "Dino@Gmail.test", email_verified: true },
  odd: { email: "not an address", email_verified: true },
};

let harness: ExternalLoginHarness;

beforeAll(async () => {
  harness = await openExternalLoginHarness("external logins", PEOPLE);
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a login with an external account", () => {
  it("makes a member with an open wallet the first time, and logs that member in from then on", async () => {
    const first = entered(await harness.logIn({ login: "ana" }));
    expect(first).toMatchObject({ firstLogin: true, member: { type: 0 } });
    expect(first.member.username).toBe(`player_${first.member.id.slice(-8)}`);
    expect(await availableOf(harness.ledger, accountOf(first.member.id, "PHP"))).toBe(0n);
    const found = present(
      await harness.identity.sessions.find(harness.perya, first.halves),
      "the session",
    );
    expect(taken(found).memberId).toBe(first.member.id);

    const second = entered(await harness.logIn({ login: "ana" }));
    expect(second).toMatchObject({ firstLogin: false, member: first.member });
    const { rows } = await harness.db.pool.query(
      "SELECT method, outcome FROM login_events WHERE member_id = $1",
      [first.member.id],
    );
    expect(rows).toEqual(Array(2).fill({ method: "google", outcome: "done" }));
  });

  it("stores the address, as verified only if the provider says so", async () => {
    const [verified, claimed, none, odd] = [
      entered(await harness.logIn({ login: "dino" })),
      entered(await harness.logIn({ login: "ben" })),
      entered(await harness.logIn({ login: "cora" })),
      entered(await harness.logIn({ login: "odd" })),
    ].map(({ member }) => member.id);
    const { rows } = await harness.db.pool.query(
      `SELECT id, email, email_verified_at IS NOT NULL AS verified, password_hash FROM members
       WHERE id = ANY ($1)`,
      [[verified, claimed, none, odd]],
    );
    const kept = new Map(rows.map(({ id, ...row }) => [id, row]));
    const passwordless = { password_hash: null };
    expect(kept.get(verified)).toEqual({
      email: "Dino@Gmail.test",
      verified: true,
      ...passwordless,
    });
    expect(kept.get(claimed)).toEqual({ email: "ben@mail.test", verified: false, ...passwordless });
    expect(kept.get(none)).toEqual({ email: null, verified: false, ...passwordless });
    expect(kept.get(odd)).toEqual({ email: null, verified: false, ...passwordless });
  });

  it("never logs in a member who has verified the same address, and makes no second member", async () => {
    const brand = await makeBrand(harness.db.pool, harness.clock, { settings: { flags: FLAGS } });
    const owner = await harness.addMember(brand, "owner", "ANA@gmail.test");
    const before = await harness.members();
    expect(codeOf(await harness.logIn({ login: "ana" }, { merchant: brand }))).toBe("email_taken");
    expect(await harness.members()).toBe(before);
    await harness.db.pool.query("UPDATE members SET email_verified_at = NULL WHERE id = $1", [
      owner,
    ]);
    const made = entered(await harness.logIn({ login: "ana" }, { merchant: brand }));
    expect(made.member.id).not.toBe(owner);
    // Verified while the form was being filled in.
    const late = await harness.stranger("dino", { merchant: brand });
    await harness.addMember(brand, "late_owner", "dino@gmail.test");
    expect(codeOf(await harness.logins.register(brand, late.given, {}, PHONE))).toBe("email_taken");
  });

  it("that ends twice at the same moment makes one member", async () => {
    const brand = await makeBrand(harness.db.pool, harness.clock, { settings: { flags: FLAGS } });
    const tickets = [
      await harness.stranger("cora", { merchant: brand }),
      await harness.stranger("cora", { merchant: brand }),
    ];
    const done = await Promise.all(
      tickets.map(({ given }) => harness.logins.register(brand, given, {}, PHONE)),
    );
    const [one, other] = done.map((result) => entered(result).member.id);
    expect(one).toBe(other);
  });

  it("waits for the second factor of a member who uses one", async () => {
    const { member } = entered(await harness.logIn({ login: "ana" }));
    await harness.db.pool.query(
      `INSERT INTO member_totp (member_id, sealed_secret, confirmed_at)
       VALUES ($1, 'sealed', to_timestamp($2 / 1000.0))`,
      [member.id, harness.clock.now()],
    );
    expect(taken(await harness.logIn({ login: "ana" }))).toMatchObject({
      pending: expect.any(String),
    });
    await harness.db.pool.query("DELETE FROM member_totp WHERE member_id = $1", [member.id]);
  });

  it("ends once", async () => {
    const flow = await harness.backFrom({ login: "ana" });
    taken(await harness.logins.finish(harness.perya, flow, PHONE));
    expect(codeOf(await harness.logins.finish(harness.perya, flow, PHONE))).toBe(
      "external_login_failed",
    );

    const begun = await harness.begin();
    const { search } = await throughProvider(begun.url, { login: "ana" });
    const back = { origin: PERYA, search, browser: begun.browser };
    const used = await harness.cameBack(harness.perya, "google", back);
    const replayed = await harness.cameBack(harness.perya, "google", back);
    expect(await finished(replayed, begun.browser)).toBe("external_login_failed");
    expect(await finished(used, begun.browser)).toBe("ok");
  });

  it("ends in the browser that began it, and in no other", async () => {
    const begun = await harness.begin();
    const { search } = await throughProvider(begun.url, { login: "ana" });
    const stranger = (await harness.begin()).browser;
    for (const browser of [stranger, undefined]) {
      const flow = await harness.cameBack(harness.perya, "google", {
        origin: PERYA,
        search,
        browser,
      });
      expect(await finished(flow, browser)).toBe("external_login_failed");
      expect(await finished(flow, begun.browser)).toBe("external_login_failed");
    }
    // A stranger who has the address has not used it up.
    const { browser } = begun;
    const flow = await harness.cameBack(harness.perya, "google", {
      origin: PERYA,
      search,
      browser,
    });
    expect(await finished(flow, stranger)).toBe("external_login_failed");
    expect(await finished(flow, undefined)).toBe("external_login_failed");
    expect(await finished(flow, browser)).toBe("ok");
  });

  it("ends within ten minutes at the provider and five minutes on the page", async () => {
    const begun = await harness.begin();
    const { search } = await throughProvider(begun.url, { login: "ana" });
    harness.clock.advance(10 * MINUTE_MS);
    const late = await harness.cameBack(harness.perya, "google", {
      origin: PERYA,
      search,
      browser: begun.browser,
    });
    expect(await finished(late, begun.browser)).toBe("external_login_failed");

    const flow = await harness.backFrom({ login: "ana" });
    harness.clock.advance(5 * MINUTE_MS);
    expect(codeOf(await harness.logins.finish(harness.perya, flow, PHONE))).toBe(
      "external_login_failed",
    );

    await harness.begin();
    await harness.backFrom({ login: "ana" });
    harness.clock.advance(10 * MINUTE_MS);
    await sweepExternal(harness.db.pool, harness.clock.now());
    for (const table of ["external_flows", "external_proofs"]) {
      expect((await harness.db.pool.query(`SELECT FROM ${table}`)).rowCount, table).toBe(0);
    }
  });

  it("fails with a state, nonce, verifier or code other than those it began with", async () => {
    const other = "A".repeat(43);
    const changed = async (change: {
      readonly asked?: readonly [name: string, value: string];
      readonly answered?: readonly [name: string, value: string];
    }) => {
      const begun = await harness.begin();
      const url = withParameter(begun.url, change.asked);
      const { search } = withParameter(
        await throughProvider(url.href, { login: "ana" }),
        change.answered,
      );
      const back = { origin: PERYA, search, browser: begun.browser };
      return finished(await harness.cameBack(harness.perya, "google", back), begun.browser);
    };
    expect(await changed({})).toBe("ok");
    expect(await changed({ asked: ["state", other] }), "state").toBe("external_login_failed");
    expect(await changed({ answered: ["state", other] }), "state").toBe("external_login_failed");
    expect(await changed({ asked: ["nonce", other] }), "nonce").toBe("external_login_failed");
    expect(await changed({ asked: ["code_challenge", other] }), "verifier").toBe(
      "external_login_failed",
    );
    const stolen = await throughProvider((await harness.begin()).url, { login: "dino" });
    const code = present(stolen.searchParams.get("code"), "a code");
    expect(await changed({ answered: ["code", code] }), "code").toBe("external_login_failed");
    const elsewhere = ["iss", "https://elsewhere.test"] as const;
    expect(await changed({ answered: elsewhere }), "issuer").toBe("external_login_failed");
  });

  it.each([
    "another key",
    "another subject",
    "no signature",
    "the shared secret",
    "another audience",
    "another issuer",
    "expired",
  ] as const)("fails with an ID token of %s from any browser", async (forgery) => {
    const before = await harness.members();
    harness.outside.forge(forgery);
    const flow = await harness.backFrom({ login: "ana" });
    harness.outside.forge(null);
    expect(codeOf(await harness.logins.finish(harness.perya, flow, PHONE))).toBe(
      "external_login_failed",
    );
    expect(await harness.members()).toBe(before);
    entered(await harness.logIn({ login: "ana" }));
  });

  it("fails if the player does not consent, and can begin anew", async () => {
    const flow = await harness.backFrom({ login: "ana", consents: false });
    expect(codeOf(await harness.logins.finish(harness.perya, flow, PHONE))).toBe(
      "external_login_failed",
    );
    entered(await harness.logIn({ login: "ana" }));
  });

  it("stores no verifier, state or token that a reader of the tables could use", async () => {
    const begun = await harness.begin();
    const url = new URL(begun.url);
    const flow = await harness.backFrom({ login: "ana" });
    const { rows } = await harness.db.pool.query(
      `SELECT coalesce(string_agg(f::text, ' '), '') AS flows,
         (SELECT string_agg(p::text, ' ') FROM external_proofs p) AS proofs
       FROM external_flows f`,
    );
    const kept = JSON.stringify(rows);
    expect(kept).toContain(present(url.searchParams.get("nonce"), "the nonce"));
    const secret = [url.searchParams.get("state"), begun.browser, flow.flow, flow.browser];
    for (const one of secret) {
      expect(kept).not.toContain(one);
      // As PostgreSQL prints a bytea.
      expect(kept).not.toContain(Buffer.from(present(one, "a secret")).toString("hex"));
    }
    expect(url.searchParams.get("code_challenge_method")).toBe("S256");
    expect([...url.searchParams.keys()].sort()).toEqual([
      "client_id",
      "code_challenge",
      "code_challenge_method",
      "nonce",
      "redirect_uri",
      "response_type",
      "scope",
      "state",
    ]);
  });
});

describe("each of two brands", () => {
  it("knows the same account as a member of its own", async () => {
    const here = entered(await harness.logIn({ login: "cora" }));
    const there = entered(
      await harness.logIn({ login: "cora" }, { merchant: harness.fiesta, origin: FIESTA }),
    );
    expect(there.member.id).not.toBe(here.member.id);
    const { rows } = await harness.db.pool.query("SELECT merchant_id FROM members WHERE id = $1", [
      there.member.id,
    ]);
    expect(rows).toEqual([{ merchant_id: harness.fiesta.id }]);
  });

  it("does not end what the other began", async () => {
    const begun = await harness.begin();
    const { search } = await throughProvider(begun.url, { login: "ana" });
    const { browser } = begun;
    const crossed = await harness.cameBack(harness.fiesta, "google", {
      origin: FIESTA,
      search,
      browser,
    });
    expect(
      codeOf(await harness.logins.finish(harness.fiesta, { flow: crossed, browser }, PHONE)),
    ).toBe("external_login_failed");
    const flow = await harness.cameBack(harness.perya, "google", {
      origin: PERYA,
      search,
      browser,
    });
    expect(codeOf(await harness.logins.finish(harness.fiesta, { flow, browser }, PHONE))).toBe(
      "external_login_failed",
    );
    expect(await finished(flow, browser)).toBe("ok");
  });
});

describe("each of two providers", () => {
  it("knows an account of its own, and does not vouch for the other's", async () => {
    const one = entered(await harness.logIn({ login: "cora" }));
    const other = entered(await harness.logIn({ login: "cora" }, { provider: "facebook" }));
    expect(other.member.id).not.toBe(one.member.id);
    const begun = await harness.begin({ provider: "facebook" });
    const { search } = await throughProvider(begun.url, { login: "cora" });
    const { browser } = begun;
    const crossed = await harness.cameBack(harness.perya, "google", {
      origin: PERYA,
      search,
      browser,
    });
    expect(await finished(crossed, browser)).toBe("external_login_failed");
  });

  it("works if the discovery document names no token endpoint, as Facebook's does", async () => {
    const facebook = await startOpenIdProvider(PEOPLE, { tellsTokenEndpoint: false });
    try {
      const redirectUri = callback(PERYA, "facebook");
      facebook.register([redirectUri]);
      const secrets = { state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43) };
      const ask = async (tokenEndpoint: string | null) => {
        const issuer = new Issuer(facebook.client, systemClock, tokenEndpoint);
        const url = await issuer.authorizationUrl(redirectUri, secrets);
        return issuer.identityOf(await throughProvider(url, { login: "ben" }), secrets);
      };
      await expect(ask(null)).rejects.toThrow(/token_endpoint/);
      expect(await ask(`${facebook.client.issuer}/token`)).toEqual({
        subject: "ben",
        email: "ben@mail.test",
        emailVerified: false,
      });
    } finally {
      await facebook.close();
    }
  });
});

describe("a machine whose own clock is wrong", () => {
  it.each([-2 * HOUR_MS, 2 * HOUR_MS])(
    "judges an ID token by the clock of all processes, from which its own differs by %i ms",
    async (offMs) => {
      const clock = { now: () => systemClock.now() + offMs };
      const outside = await startOpenIdProvider(PEOPLE, { clock });
      try {
        const redirectUri = callback(PERYA, "google");
        outside.register([redirectUri]);
        const secrets = { state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43) };
        const issuer = new Issuer(outside.client, clock);
        const ask = async () => {
          const url = await issuer.authorizationUrl(redirectUri, secrets);
          return issuer.identityOf(await throughProvider(url, { login: "ana" }), secrets);
        };
        expect(await ask()).toMatchObject({ subject: "ana" });
        outside.forge("expired");
        await expect(ask()).rejects.toThrow();
      } finally {
        await outside.close();
      }
    },
  );
});

describe("the offer of external logins", () => {
  it("[A2.3-07 A2.3-08 A6-11] lists the providers that are configured and whose flag is on", async () => {
    const onlyGoogle = harness.flowsOver({ google: harness.outside.client, facebook: null });
    const none = await makeBrand(harness.db.pool, harness.clock, { settings: { flags: {} } });
    expect(harness.flows.offered(harness.perya)).toEqual(["google", "facebook"]);
    expect(onlyGoogle.offered(harness.perya)).toEqual(["google"]);
    expect(harness.flows.offered(none)).toEqual([]);
    for (const [flag, provider] of [
      ["GOOGLELOGIN3", "google"],
      ["FACEBOOKLOGIN3", "facebook"],
    ] as const) {
      const flags = { [flag]: true };
      const one = await makeBrand(harness.db.pool, harness.clock, { settings: { flags } });
      expect(harness.flows.offered(one)).toEqual([provider]);
    }
    const begun = [
      await harness.flows.begin(none, "google", PERYA),
      await harness.flows.begin(none, "facebook", PERYA),
      await onlyGoogle.begin(harness.perya, "facebook", PERYA),
    ];
    expect(begun.map(codeOf)).toEqual(Array(3).fill("feature_off"));
  });

  it("ends when the flag goes off, even for a login that has begun", async () => {
    const off = { ...harness.perya, settings: { ...harness.perya.settings, flags: {} } };
    const begun = await harness.begin();
    const { search } = await throughProvider(begun.url, { login: "ana" });
    const { browser } = begun;
    const flow = await harness.cameBack(off, "google", { origin: PERYA, search, browser });
    expect(await finished(flow, browser)).toBe("external_login_failed");
    const back = await harness.backFrom({ login: "ana" });
    expect(codeOf(await harness.logins.finish(off, back, PHONE))).toBe("external_login_failed");
  });

  it("fails and can be tried again if the provider cannot be reached", async () => {
    const late = await startOpenIdProvider(PEOPLE);
    const out = harness.flowsOver({ google: late.client, facebook: null });
    expect(codeOf(await out.begin(harness.perya, "google", PERYA))).toBe("external_login_failed");
    late.register([callback(PERYA, "google")]);
    expect(codeOf(await out.begin(harness.perya, "google", PERYA))).toBe("ok");
    await late.close();
    // The server sends no secret over plain HTTP to another machine either.
    const far = { ...harness.outside.client, issuer: "http://provider.test" };
    const unsafe = harness.flowsOver({ google: far, facebook: null });
    expect(codeOf(await unsafe.begin(harness.perya, "google", PERYA))).toBe(
      "external_login_failed",
    );
  });

  it("makes no member if the brand takes none, or if members may not log in", async () => {
    const closed = await makeBrand(harness.db.pool, harness.clock, {
      settings: { flags: FLAGS, registration: { username: false, mobile: false } },
    });
    const agents = await makeBrand(harness.db.pool, harness.clock, {
      settings: { flags: FLAGS, agentHosts: ["agents.test"] },
    });
    const before = await harness.members();
    expect(codeOf(await harness.logIn({ login: "ana" }, { merchant: closed }))).toBe("feature_off");
    const flow = await harness.backFrom({ login: "ana" }, { merchant: agents });
    const atTheirHost = { ...PHONE, host: "agents.test" };
    expect(codeOf(await harness.logins.finish(agents, flow, atTheirHost))).toBe(
      "not_agent_account",
    );
    expect(await harness.members()).toBe(before);
  });
});

async function finished(flow: string, browser: string | undefined): Promise<string> {
  return codeOf(await harness.logins.finish(harness.perya, { flow, browser }, PHONE));
}

function withParameter(url: string | URL, change: readonly [string, string] | undefined): URL {
  const changed = new URL(url);
  if (change !== undefined) changed.searchParams.set(...change);
  return changed;
}
