import type { ExternalProvider } from "@perya/contract/external-login";
import { present } from "@perya/kernel/assert";
import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { ok } from "@perya/kernel/result";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { availableOf, makeBrand } from "../../../../../tests/server/fixtures.ts";
import { entered, openIdentityDesk } from "../../../../../tests/server/identity-desk.ts";
import {
  type OpenIdProvider,
  type Person,
  startOpenIdProvider,
  throughProvider,
} from "../../../../../tests/server/openid-provider.ts";
import { createLogger } from "../../platform/log.ts";
import type { BrandSettingsJson } from "../brand/brand.ts";
import { accountOf } from "../ledger/ledger.ts";
import { type AwaitedRegistration, ExternalLogins, type GivenFlow } from "./external-login.ts";
import { Issuer } from "./external-login-issuer.ts";
import { insertInvitationCode, type Merchant } from "./identity.ts";
import type { RegistrationFields } from "./registration.ts";

const PERYA = "https://perya.test";
const FIESTA = "https://fiesta.test";
const PHONE = { address: "203.0.113.7", userAgent: "a phone" };
const FLAGS = { GOOGLELOGIN3: true, FACEBOOKLOGIN3: true };
const PEOPLE = {
  ana: { email: "ana@gmail.test", email_verified: true },
  ben: { email: "ben@mail.test", email_verified: false },
  cora: {},
  dino: { email: "Dino@Gmail.test", email_verified: true },
  odd: { email: "not an address", email_verified: true },
  ...Object.fromEntries(
    ["fe", "gil", "hana", "ivy", "jo", "kiko"].map((name) => [
      name,
      { email: `${name}@gmail.test`, email_verified: true },
    ]),
  ),
};

let desk: Awaited<ReturnType<typeof openIdentityDesk>>;
let google: OpenIdProvider;
let perya: Merchant;
let fiesta: Merchant;
let logins: ExternalLogins;

beforeAll(async () => {
  desk = await openIdentityDesk("external logins");
  google = await startOpenIdProvider(PEOPLE);
  google.register(
    [PERYA, FIESTA].flatMap((origin) => [callback(origin, "google"), callback(origin, "facebook")]),
  );
  perya = await makeBrand(desk.db.pool, desk.clock, { settings: { flags: FLAGS } });
  fiesta = await makeBrand(desk.db.pool, desk.clock, { settings: { flags: FLAGS } });
  logins = externalLogins({ google: google.client, facebook: google.client });
});

afterAll(async () => {
  await google?.close();
  await desk?.close();
});

beforeEach(() => desk.clock.advance(DAY_MS));

describe("a login with an account outside", () => {
  it("makes a member with an open wallet the first time, and is theirs from then on", async () => {
    const first = entered(await logIn({ login: "ana" }));
    expect(first).toMatchObject({ firstLogin: true, member: { type: 0 } });
    expect(first.member.username).toBe(`player_${first.member.id.slice(-8)}`);
    expect(await availableOf(desk.ledger, accountOf(first.member.id, "PHP"))).toBe(0n);
    const found = present(await desk.identity.sessions.find(perya, first.halves), "the session");
    expect(taken(found).memberId).toBe(first.member.id);

    const second = entered(await logIn({ login: "ana" }));
    expect(second).toMatchObject({ firstLogin: false, member: first.member });
    const { rows } = await desk.db.pool.query(
      "SELECT method, outcome FROM login_events WHERE member_id = $1",
      [first.member.id],
    );
    expect(rows).toEqual(Array(2).fill({ method: "google", outcome: "done" }));
  });

  it("keeps the address, as the member's own only where the provider says so", async () => {
    const [verified, claimed, none, odd] = [
      entered(await logIn({ login: "dino" })),
      entered(await logIn({ login: "ben" })),
      entered(await logIn({ login: "cora" })),
      entered(await logIn({ login: "odd" })),
    ].map(({ member }) => member.id);
    const { rows } = await desk.db.pool.query(
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

  it("never joins a member who has verified the same address, nor makes another", async () => {
    const brand = await makeBrand(desk.db.pool, desk.clock, { settings: { flags: FLAGS } });
    const owner = await addMember(brand, "owner", "ANA@gmail.test");
    const before = await members();
    expect(codeOf(await logIn({ login: "ana" }, { merchant: brand }))).toBe("email_taken");
    expect(await members()).toBe(before);
    await desk.db.pool.query("UPDATE members SET email_verified_at = NULL WHERE id = $1", [owner]);
    const made = entered(await logIn({ login: "ana" }, { merchant: brand }));
    expect(made.member.id).not.toBe(owner);
    // Verified while the form was being filled in.
    const late = await stranger("dino", { merchant: brand });
    await addMember(brand, "late_owner", "dino@gmail.test");
    expect(codeOf(await logins.register(brand, late.given, {}, PHONE))).toBe("email_taken");
  });

  it("that ends twice at one moment makes one member", async () => {
    const brand = await makeBrand(desk.db.pool, desk.clock, { settings: { flags: FLAGS } });
    const tickets = [
      await stranger("cora", { merchant: brand }),
      await stranger("cora", { merchant: brand }),
    ];
    const done = await Promise.all(
      tickets.map(({ given }) => logins.register(brand, given, {}, PHONE)),
    );
    const [one, other] = done.map((result) => entered(result).member.id);
    expect(one).toBe(other);
  });

  it("awaits the second factor of a member who wants one", async () => {
    const { member } = entered(await logIn({ login: "ana" }));
    await desk.db.pool.query(
      `INSERT INTO member_totp (member_id, sealed_secret, confirmed_at)
       VALUES ($1, 'sealed', to_timestamp($2 / 1000.0))`,
      [member.id, desk.clock.now()],
    );
    expect(taken(await logIn({ login: "ana" }))).toMatchObject({ pending: expect.any(String) });
    await desk.db.pool.query("DELETE FROM member_totp WHERE member_id = $1", [member.id]);
  });

  it("ends once", async () => {
    const flow = await backFrom({ login: "ana" });
    taken(await logins.finish(perya, flow, PHONE));
    expect(codeOf(await logins.finish(perya, flow, PHONE))).toBe("external_login_failed");

    const begun = await begin();
    const { search } = await throughProvider(begun.url, { login: "ana" });
    const back = { origin: PERYA, search, browser: begun.browser };
    const used = await cameBack(perya, "google", back);
    const replayed = await cameBack(perya, "google", back);
    expect(await finished(replayed, begun.browser)).toBe("external_login_failed");
    expect(await finished(used, begun.browser)).toBe("ok");
  });

  it("ends in the browser that began, and no other", async () => {
    const begun = await begin();
    const { search } = await throughProvider(begun.url, { login: "ana" });
    const stranger = (await begin()).browser;
    for (const browser of [stranger, undefined]) {
      const flow = await cameBack(perya, "google", { origin: PERYA, search, browser });
      expect(await finished(flow, browser)).toBe("external_login_failed");
      expect(await finished(flow, begun.browser)).toBe("external_login_failed");
    }
    // A stranger with the address in hand has not spent it.
    const { browser } = begun;
    const flow = await cameBack(perya, "google", { origin: PERYA, search, browser });
    expect(await finished(flow, stranger)).toBe("external_login_failed");
    expect(await finished(flow, undefined)).toBe("external_login_failed");
    expect(await finished(flow, browser)).toBe("ok");
  });

  it("ends within ten minutes at the provider and five on the page", async () => {
    const begun = await begin();
    const { search } = await throughProvider(begun.url, { login: "ana" });
    desk.clock.advance(10 * MINUTE_MS);
    const late = await cameBack(perya, "google", {
      origin: PERYA,
      search,
      browser: begun.browser,
    });
    expect(await finished(late, begun.browser)).toBe("external_login_failed");

    const flow = await backFrom({ login: "ana" });
    desk.clock.advance(5 * MINUTE_MS);
    expect(codeOf(await logins.finish(perya, flow, PHONE))).toBe("external_login_failed");

    await begin();
    await backFrom({ login: "ana" });
    desk.clock.advance(10 * MINUTE_MS);
    await logins.sweep();
    for (const table of ["external_flows", "external_proofs"]) {
      expect((await desk.db.pool.query(`SELECT FROM ${table}`)).rowCount, table).toBe(0);
    }
  });

  it("fails with another state, nonce, verifier or code than it began with", async () => {
    const other = "A".repeat(43);
    const changed = async (change: {
      readonly asked?: readonly [name: string, value: string];
      readonly answered?: readonly [name: string, value: string];
    }) => {
      const begun = await begin();
      const url = withParameter(begun.url, change.asked);
      const { search } = withParameter(
        await throughProvider(url.href, { login: "ana" }),
        change.answered,
      );
      const back = { origin: PERYA, search, browser: begun.browser };
      return finished(await cameBack(perya, "google", back), begun.browser);
    };
    expect(await changed({})).toBe("ok");
    expect(await changed({ asked: ["state", other] }), "state").toBe("external_login_failed");
    expect(await changed({ answered: ["state", other] }), "state").toBe("external_login_failed");
    expect(await changed({ asked: ["nonce", other] }), "nonce").toBe("external_login_failed");
    expect(await changed({ asked: ["code_challenge", other] }), "verifier").toBe(
      "external_login_failed",
    );
    const stolen = await throughProvider((await begin()).url, { login: "dino" });
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
  ] as const)("fails with an ID token of %s, whoever hands it out", async (forgery) => {
    const before = await members();
    google.forge(forgery);
    const flow = await backFrom({ login: "ana" });
    google.forge(null);
    expect(codeOf(await logins.finish(perya, flow, PHONE))).toBe("external_login_failed");
    expect(await members()).toBe(before);
    entered(await logIn({ login: "ana" }));
  });

  it("fails where the player does not consent, and begins anew", async () => {
    const flow = await backFrom({ login: "ana", consents: false });
    expect(codeOf(await logins.finish(perya, flow, PHONE))).toBe("external_login_failed");
    entered(await logIn({ login: "ana" }));
  });

  it("keeps no verifier, state or token that a reader of the tables could use", async () => {
    const begun = await begin();
    const url = new URL(begun.url);
    const flow = await backFrom({ login: "ana" });
    const { rows } = await desk.db.pool.query(
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

describe("the registration of an account outside", () => {
  it("opens nothing before the form is sent, and takes its ticket once", async () => {
    const before = await members();
    const { ticket, given } = await stranger("fe");
    expect(ticket).toEqual({
      ticket: given.flow,
      expiresAt: desk.clock.now() + 20 * MINUTE_MS,
      provider: "google",
      email: "fe@gmail.test",
      requires: { username: false, mobileNum: false },
    });
    expect(await members()).toBe(before);
    const made = entered(await logins.register(perya, given, { username: "Fe_2026" }, PHONE));
    expect(made).toMatchObject({ firstLogin: true, member: { username: "fe_2026", type: 0 } });
    expect(codeOf(await logins.register(perya, given, {}, PHONE))).toBe("external_login_failed");
    expect(entered(await logIn({ login: "fe" })).member).toEqual(made.member);
  });

  it("keeps its ticket through a form with faults, for twenty minutes, in its browser", async () => {
    const brand = await brandWith({});
    const { given } = await stranger("gil", { merchant: brand });
    const tries: [RegistrationFields, string][] = [
      [{ username: "no spaces!" }, "username bad_format"],
      [{ birthday: "2015-01-01" }, "birthday too_young"],
      [{ affiliateCode: "NOBODY" }, "affiliateCode not_allowed"],
      [{ email: "another@gmail.test" }, "email not_allowed"],
      [{ nickname: "not asked for" }, "nickname not_allowed"],
    ];
    for (const [form, code] of tries) {
      expect(codeOf(await logins.register(brand, given, form, PHONE)), code).toBe(code);
    }
    const { browser } = await begin();
    for (const other of [browser, undefined]) {
      const stolen = await logins.register(brand, { ...given, browser: other }, {}, PHONE);
      expect(codeOf(stolen)).toBe("external_login_failed");
    }
    expect(codeOf(await logins.register(perya, given, {}, PHONE))).toBe("external_login_failed");
    // A ticket is no login, and a login's proof is no ticket.
    expect(codeOf(await logins.finish(brand, given, PHONE))).toBe("external_login_failed");
    const flow = await backFrom({ login: "gil" }, { merchant: brand });
    expect(codeOf(await logins.register(brand, flow, {}, PHONE))).toBe("external_login_failed");
    desk.clock.advance(20 * MINUTE_MS);
    expect(codeOf(await logins.register(brand, given, {}, PHONE))).toBe("external_login_failed");
  });

  it("that is sent twice at one moment makes one member and one session", async () => {
    const { given } = await stranger("hana");
    const before = await members();
    const form = { username: "hana_2026" };
    const sent = await Promise.all([1, 2, 3].map(() => logins.register(perya, given, form, PHONE)));
    expect(sent.map(codeOf).sort()).toEqual([...Array(2).fill("external_login_failed"), "ok"]);
    expect(await members()).toBe(before + 1);
    // Of two tickets each is good for a login.
    const brand = await brandWith({});
    const [one, other] = [
      await stranger("hana", { merchant: brand }),
      await stranger("hana", { merchant: brand }),
    ];
    const both = await Promise.all(
      [one, other].map((ticket) => logins.register(brand, ticket.given, form, PHONE)),
    );
    expect(new Set(both.map((result) => entered(result).member.id)).size).toBe(1);
    expect(codeOf(await logins.register(brand, other.given, form, PHONE))).toBe(
      "external_login_failed",
    );
  });

  it("demands the brand's birthday, invitation and age as any registration does", async () => {
    const brand = await brandWith({ birthday: true, affiliateCode: true });
    const { given } = await stranger("ivy", { merchant: brand });
    const empty = await logins.register(brand, given, {}, PHONE);
    expect(!empty.ok && empty.error.fields).toEqual([
      { field: "affiliateCode", code: "required" },
      { field: "birthday", code: "required" },
    ]);
    const inviter = await addMember(brand, "inviter", "inviter@gmail.test");
    const invitation = { merchantId: brand.id, code: "IVY2026", memberId: inviter };
    await insertInvitationCode(desk.db.pool, invitation, desk.clock.now());
    const form = { birthday: "1999-12-31", affiliateCode: "ivy2026" };
    const made = entered(await logins.register(brand, given, form, PHONE));
    const { rows } = await desk.db.pool.query(
      "SELECT birthday, affiliate_code, recommender_id, email FROM members WHERE id = $1",
      [made.member.id],
    );
    expect(rows).toEqual([
      {
        birthday: "1999-12-31",
        affiliate_code: "IVY2026",
        recommender_id: inviter,
        email: "ivy@gmail.test",
      },
    ]);
  });

  it("asks for the address that the provider did not tell, where the brand wants one", async () => {
    const brand = await brandWith({ email: true });
    const { ticket, given } = await stranger("cora", { merchant: brand });
    expect(ticket.email).toBeNull();
    expect(codeOf(await logins.register(brand, given, {}, PHONE))).toBe("email required");
    const form = { email: "cora@example.com" };
    const made = entered(await logins.register(brand, given, form, PHONE));
    const { rows } = await desk.db.pool.query(
      "SELECT email, email_verified_at FROM members WHERE id = $1",
      [made.member.id],
    );
    expect(rows).toEqual([{ email: "cora@example.com", email_verified_at: null }]);
  });

  it("wants a name where names alone register, and a proven number where numbers do", async () => {
    const byName = await brandWith({}, { username: true, mobile: false });
    const named = await stranger("jo", { merchant: byName });
    expect(named.ticket.requires).toEqual({ username: true, mobileNum: false });
    const nameless = await logins.register(byName, named.given, {}, PHONE);
    expect(codeOf(nameless)).toBe("username required");
    entered(await logins.register(byName, named.given, { username: "jo_2026" }, PHONE));

    const byNumber = await brandWith({}, { username: false, mobile: true });
    const numbered = await stranger("jo", { merchant: byNumber });
    expect(numbered.ticket.requires).toEqual({ username: false, mobileNum: true });
    const { given } = numbered;
    expect(codeOf(await logins.register(byNumber, given, {}, PHONE))).toBe("mobileNum required");
    const number = { countryDialingCode: "+63", mobileNum: "9171112223" };
    expect(codeOf(await logins.register(byNumber, given, number, PHONE))).toBe(
      "verificationCode required",
    );
    const asked = {
      ...number,
      purpose: "register" as const,
      humanCheck: await desk.solvedCheck(),
      ...{ address: PHONE.address, deviceHash: null, language: "EN" },
    };
    taken(await desk.smsCodes.request(byNumber, asked));
    const verificationCode = desk.codeSentTo("+639171112223");
    const form = { ...number, verificationCode };
    const made = entered(await logins.register(byNumber, given, form, PHONE));
    expect(made.member.username).toBe(`player_${made.member.id.slice(-8)}`);
    const again = await stranger("kiko", { merchant: byNumber });
    const refused = await logins.register(byNumber, again.given, form, PHONE);
    expect(codeOf(refused)).toBe("verificationCode mismatch");
  });
});

describe("two brands", () => {
  it("know the same account as two members", async () => {
    const here = entered(await logIn({ login: "cora" }));
    const there = entered(await logIn({ login: "cora" }, { merchant: fiesta, origin: FIESTA }));
    expect(there.member.id).not.toBe(here.member.id);
    const { rows } = await desk.db.pool.query("SELECT merchant_id FROM members WHERE id = $1", [
      there.member.id,
    ]);
    expect(rows).toEqual([{ merchant_id: fiesta.id }]);
  });

  it("do not end what the other began", async () => {
    const begun = await begin();
    const { search } = await throughProvider(begun.url, { login: "ana" });
    const { browser } = begun;
    const crossed = await cameBack(fiesta, "google", { origin: FIESTA, search, browser });
    expect(codeOf(await logins.finish(fiesta, { flow: crossed, browser }, PHONE))).toBe(
      "external_login_failed",
    );
    const flow = await cameBack(perya, "google", { origin: PERYA, search, browser });
    expect(codeOf(await logins.finish(fiesta, { flow, browser }, PHONE))).toBe(
      "external_login_failed",
    );
    expect(await finished(flow, browser)).toBe("ok");
  });
});

describe("two providers", () => {
  it("are two accounts, and neither answers for the other", async () => {
    const one = entered(await logIn({ login: "cora" }));
    const other = entered(await logIn({ login: "cora" }, { provider: "facebook" }));
    expect(other.member.id).not.toBe(one.member.id);
    const begun = await begin({ provider: "facebook" });
    const { search } = await throughProvider(begun.url, { login: "cora" });
    const { browser } = begun;
    const crossed = await cameBack(perya, "google", { origin: PERYA, search, browser });
    expect(await finished(crossed, browser)).toBe("external_login_failed");
  });

  it("work where the discovery document names no token endpoint, as Facebook's does", async () => {
    const facebook = await startOpenIdProvider(PEOPLE, { tellsTokenEndpoint: false });
    try {
      const redirectUri = callback(PERYA, "facebook");
      facebook.register([redirectUri]);
      const secrets = { state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43) };
      const ask = async (tokenEndpoint: string | null) => {
        const issuer = new Issuer(facebook.client, tokenEndpoint);
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

describe("what is offered", () => {
  it("[A2.3-07 A2.3-08 A6-11] is what is configured and whose flag is on", async () => {
    const onlyGoogle = externalLogins({ google: google.client, facebook: null });
    const none = await makeBrand(desk.db.pool, desk.clock, { settings: { flags: {} } });
    expect(logins.offered(perya)).toEqual(["google", "facebook"]);
    expect(onlyGoogle.offered(perya)).toEqual(["google"]);
    expect(logins.offered(none)).toEqual([]);
    for (const [flag, provider] of [
      ["GOOGLELOGIN3", "google"],
      ["FACEBOOKLOGIN3", "facebook"],
    ] as const) {
      const flags = { [flag]: true };
      const one = await makeBrand(desk.db.pool, desk.clock, { settings: { flags } });
      expect(logins.offered(one)).toEqual([provider]);
    }
    const begun = [
      await logins.begin(none, "google", PERYA),
      await logins.begin(none, "facebook", PERYA),
      await onlyGoogle.begin(perya, "facebook", PERYA),
    ];
    expect(begun.map(codeOf)).toEqual(Array(3).fill("feature_off"));
  });

  it("ends when the flag goes off, even for a login that has begun", async () => {
    const off = { ...perya, settings: { ...perya.settings, flags: {} } };
    const begun = await begin();
    const { search } = await throughProvider(begun.url, { login: "ana" });
    const { browser } = begun;
    const flow = await cameBack(off, "google", { origin: PERYA, search, browser });
    expect(await finished(flow, browser)).toBe("external_login_failed");
    const back = await backFrom({ login: "ana" });
    expect(codeOf(await logins.finish(off, back, PHONE))).toBe("external_login_failed");
  });

  it("fails, and is tried again, where the provider cannot be reached", async () => {
    const late = await startOpenIdProvider(PEOPLE);
    const out = externalLogins({ google: late.client, facebook: null });
    expect(codeOf(await out.begin(perya, "google", PERYA))).toBe("external_login_failed");
    late.register([callback(PERYA, "google")]);
    expect(codeOf(await out.begin(perya, "google", PERYA))).toBe("ok");
    await late.close();
    // Nor is a secret sent over plain HTTP to another machine.
    const far = { ...google.client, issuer: "http://provider.test" };
    const unsafe = externalLogins({ google: far, facebook: null });
    expect(codeOf(await unsafe.begin(perya, "google", PERYA))).toBe("external_login_failed");
  });

  it("makes no member where the brand takes none, or where members may not come in", async () => {
    const closed = await makeBrand(desk.db.pool, desk.clock, {
      settings: { flags: FLAGS, registration: { username: false, mobile: false } },
    });
    const agents = await makeBrand(desk.db.pool, desk.clock, {
      settings: { flags: FLAGS, agentHosts: ["agents.test"] },
    });
    const before = await members();
    expect(codeOf(await logIn({ login: "ana" }, { merchant: closed }))).toBe("feature_off");
    const flow = await backFrom({ login: "ana" }, { merchant: agents });
    const atTheirDoor = { ...PHONE, host: "agents.test" };
    expect(codeOf(await logins.finish(agents, flow, atTheirDoor))).toBe("not_agent_account");
    expect(await members()).toBe(before);
  });
});

interface Place {
  readonly merchant?: Merchant;
  readonly origin?: string;
  readonly provider?: ExternalProvider;
}

function externalLogins(clients: ConstructorParameters<typeof ExternalLogins>[0]["clients"]) {
  const { clock, entropy, identity } = desk;
  return new ExternalLogins({
    pool: desk.db.pool,
    clock,
    entropy,
    log: createLogger({ level: "silent" }),
    clients,
    secret: "a secret of this test's own",
    identity,
  });
}

async function begin({ merchant = perya, origin = PERYA, provider = "google" }: Place = {}) {
  return taken(await logins.begin(merchant, provider, origin));
}

/** From the login popup to the page that the provider's answer leads to. */
async function backFrom(person: Person, place: Place = {}) {
  const { merchant = perya, origin = PERYA, provider = "google" } = place;
  const { url, browser } = await begin(place);
  const { href, search } = await throughProvider(url, person);
  expect(href.startsWith(`${callback(origin, provider)}?`), href).toBe(true);
  const flow = await cameBack(merchant, provider, { origin, search, browser });
  return { flow, browser };
}

async function cameBack(...back: Parameters<ExternalLogins["comeBack"]>): Promise<string> {
  const { flow, links } = await logins.comeBack(...back);
  expect(links).toBe(false);
  return flow;
}

/** In, and registered with an empty form the first time. */
async function logIn(person: Person, place: Place = {}) {
  const merchant = place.merchant ?? perya;
  const given = await backFrom(person, place);
  const done = await logins.finish(merchant, given, PHONE);
  if (!done.ok) return done;
  if (!("ticket" in done.value)) return ok(done.value);
  return logins.register(merchant, { ...given, flow: done.value.ticket }, {}, PHONE);
}

/** A login of somebody who is no member yet. */
async function stranger(
  login: string,
  place: Place = {},
): Promise<{ ticket: AwaitedRegistration; given: GivenFlow }> {
  const given = await backFrom({ login }, place);
  const value = taken(await logins.finish(place.merchant ?? perya, given, PHONE));
  if (!("ticket" in value)) throw new Error(`${login} is a member already`);
  return { ticket: value, given: { ...given, flow: value.ticket } };
}

/** A brand with both logins that requires these registration fields. */
function brandWith(
  required: Readonly<Record<string, true>>,
  registration: BrandSettingsJson["registration"] = { username: true, mobile: true },
): Promise<Merchant> {
  const registerFields = Object.fromEntries(
    Object.entries(perya.settings.registerFields).map(([name, field]) => [
      name,
      required[name] === true ? { ...field, enabled: true, required: true } : field,
    ]),
  );
  const settings = { flags: FLAGS, registration, registerFields };
  return makeBrand(desk.db.pool, desk.clock, { settings });
}

async function finished(flow: string, browser: string | undefined): Promise<string> {
  return codeOf(await logins.finish(perya, { flow, browser }, PHONE));
}

function callback(origin: string, provider: ExternalProvider): string {
  return `${origin}/auth/callback/${provider}`;
}

function withParameter(url: string | URL, change: readonly [string, string] | undefined): URL {
  const changed = new URL(url);
  if (change !== undefined) changed.searchParams.set(...change);
  return changed;
}

/** A member who has shown that an address is theirs. */
async function addMember(merchant: Merchant, username: string, email: string): Promise<string> {
  const id = `mem_${username}`;
  const added = await desk.identity.addMember(merchant, {
    id,
    merchantId: merchant.id,
    username,
    nickname: null,
    email,
    emailVerified: true,
    birthday: null,
    affiliateCode: null,
    type: 0,
    passwordHash: null,
  });
  expect(added).toBe("added");
  return id;
}

async function members(): Promise<number> {
  const { rows } = await desk.db.pool.query("SELECT count(*) FROM members");
  return Number(rows[0].count);
}
