import type { ExternalProvider } from "@perya/contract/external-login";
import { present } from "@perya/kernel/assert";
import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Account,
  type AccountHarness,
  openAccountHarness,
  PHONE,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { whileBroken } from "../../../../../../tests/server/broken-statement.ts";
import { makeBrand } from "../../../../../../tests/server/fixtures.ts";
import {
  type OpenIdProvider,
  startOpenIdProvider,
  throughProvider,
} from "../../../../../../tests/server/openid-provider.ts";
import { overtaken } from "../../../../../../tests/server/overtaken.ts";
import { createLogger } from "../../../platform/log.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import type { Merchant } from "../../brand/brand.ts";
import { voidOpenChallenges } from "../members/open-challenges.store.ts";
import type { Session } from "../sessions/session.ts";
import { ExternalAccounts } from "./external-accounts.ts";
import { ExternalFlows } from "./external-flows.ts";
import { removeExternalAccount } from "./external-login.store.ts";
import { ExternalLogins } from "./external-login.ts";

const ORIGIN = "https://perya.test";
const FLAGS = { GOOGLELOGIN3: true, FACEBOOKLOGIN3: true };

let harness: AccountHarness;
let outside: OpenIdProvider;
let perya: Merchant;
let flows: ExternalFlows;
let logins: ExternalLogins;
let accounts: ExternalAccounts;
let people = 0;

beforeAll(async () => {
  harness = await openAccountHarness("external accounts");
  outside = await startOpenIdProvider({}, { clock: harness.clock });
  outside.register(["google", "facebook"].map((name) => `${ORIGIN}/auth/callback/${name}`));
  const { clock, entropy, sessions } = harness;
  const { pool } = harness.db;
  perya = await makeBrand(pool, clock, { settings: { flags: FLAGS } });
  flows = new ExternalFlows({
    ...{ pool, clock, entropy, sessions },
    log: createLogger({ level: "silent" }),
    clients: { google: outside.client, facebook: outside.client },
    secret: "a secret of this test's own",
  });
  logins = new ExternalLogins({ ...harness, pool, flows });
  accounts = new ExternalAccounts({ ...harness, pool, flows });
});

afterAll(async () => {
  await outside?.close();
  await harness?.close();
});

beforeEach(() => harness.clock.advance(DAY_MS));

describe("an external account that a member adds", () => {
  it("logs the member in from then on, and the verified address gets a mail about it", async () => {
    const email = "adds@example.com";
    const member = await makeMember({ email, emailVerified: true });
    expect(await accounts.list(perya, member.session)).toEqual([]);
    const login = freshPerson();
    const linkedAt = harness.clock.now();
    expect(taken(await add(member.session, login))).toEqual({ provider: "google" });
    expect(await accounts.list(perya, member.session)).toEqual([
      { provider: "google", linkedAt, removable: true },
    ]);
    const { provider, ...google } = await backFrom(null, login);
    expect(provider).toBe("google");
    const entered = taken(await logins.finish(perya, google, PHONE));
    expect(entered).toMatchObject({ member: { id: member.account.id } });
    const mail = present(await harness.newestTo(email), "the mail");
    expect(mail.subject).toContain("Google login was added");
  });

  it("needs a proof by its owner, and a log-in is no such proof", async () => {
    const { account } = await makeMember();
    const { session } = await harness.logIn(account);
    expect(codeOf(await begin(session))).toBe("fresh_login_needed");
    expect(codeOf(await remove(session))).toBe("fresh_login_needed");
  });

  it("can be added in a fresh session only, one per provider, and only where the brand offers it", async () => {
    const { session } = await makeMember();
    taken(await add(session, freshPerson()));
    expect(codeOf(await begin(session))).toBe("wrong_state");
    expect(codeOf(await begin(session, "facebook"))).toBe("ok");
    const none = { ...perya, settings: { ...perya.settings, flags: {} } };
    expect(codeOf(await accounts.begin(none, session, "facebook", ORIGIN))).toBe("feature_off");
    harness.clock.advance(10 * MINUTE_MS);
    expect(codeOf(await begin(session, "facebook"))).toBe("fresh_login_needed");
    expect(codeOf(await remove(session))).toBe("fresh_login_needed");
  });

  it("is added to the session that began, in the same browser, once", async () => {
    const one = await makeMember();
    const other = await makeMember();
    const given = await backFrom(one.session, freshPerson());
    const finish = (session: Session, browser: string | undefined = given.browser) =>
      accounts.finish(perya, session, { flow: given.flow, browser }, "EN");
    expect(codeOf(await finish(other.session))).toBe("external_login_failed");
    expect(codeOf(await finish(one.session, "A".repeat(43)))).toBe("external_login_failed");
    // A flow that adds an account is no login, and a login adds no account.
    expect(codeOf(await logins.finish(perya, given, PHONE))).toBe("external_login_failed");
    const login = await backFrom(null, freshPerson());
    expect(codeOf(await accounts.finish(perya, one.session, login, "EN"))).toBe(
      "external_login_failed",
    );
    expect(codeOf(await finish(one.session))).toBe("ok");
    expect(codeOf(await finish(one.session))).toBe("external_login_failed");
    expect(await accounts.list(perya, other.session)).toEqual([]);
  });

  it("is added by the session that began, and by no session once that has ended", async () => {
    const { account, session } = await makeMember();
    const other = await harness.logInProven(account);
    const login = freshPerson();
    const given = await backFrom(session, login);
    const finish = (by: Session) => accounts.finish(perya, by, given, "EN");
    expect(codeOf(await finish(other.session))).toBe("external_login_failed");
    taken(await harness.security.endSession(other.session, session.id));
    expect(codeOf(await finish(session))).toBe("external_login_failed");
    expect(await accounts.list(perya, other.session)).toEqual([]);
  });

  it("that opens another member's account stays theirs; adding one's own twice answers that it is there", async () => {
    const [one, other] = [await makeMember(), await makeMember()];
    const login = freshPerson();
    const early = await backFrom(one.session, login);
    taken(await add(one.session, login));
    expect(codeOf(await add(other.session, login))).toBe("external_taken");
    expect(await accounts.list(perya, other.session)).toEqual([]);
    expect(codeOf(await accounts.finish(perya, one.session, early, "EN"))).toBe("wrong_state");
  });

  it("is added together with the taking of its proof, or neither happens", async () => {
    const { session } = await makeMember();
    const given = await backFrom(session, freshPerson());
    const finish = () => accounts.finish(perya, session, given, "EN");
    const added = { table: "external_identities", does: "INSERT" } as const;
    await expect(whileBroken(harness.db.pool, added, finish)).rejects.toThrow();
    taken(await finish());
  });

  it("that the provider does not confirm leads back to the same page and adds nothing", async () => {
    const { session } = await makeMember();
    const given = await backFrom(session, freshPerson(), { consents: false });
    expect(codeOf(await accounts.finish(perya, session, given, "EN"))).toBe(
      "external_login_failed",
    );
    expect(await accounts.list(perya, session)).toEqual([]);
  });
});

describe("an external account that a session adds while the owner acts elsewhere", () => {
  it.each(["passkey off", "session"])(
    "is not added if this happens while the provider is asked: %s",
    async (event) => {
      const { account, session } = await makeMember();
      const other = (await harness.logInProven(account)).session;
      const { url, browser } = taken(await begin(session));
      const { search } = await throughProvider(url, { login: freshPerson() });
      const by = { sessionId: other.id, memberId: account.id };
      outside.beforeAnswer(() =>
        event === "session"
          ? harness.security.endSession(other, session.id)
          : withTransaction(harness.db.pool, (client) =>
              voidOpenChallenges(client, by, harness.clock.now()),
            ),
      );
      const { flow } = await flows.comeBack(perya, "google", { origin: ORIGIN, search, browser });
      const given = { flow, browser };
      const finished = await accounts.finish(perya, session, given, "EN");
      expect(codeOf(finished)).toBe("external_login_failed");
      expect(await accounts.list(perya, other)).toEqual([]);
    },
  );
});

describe("an external account that a member removes", () => {
  it("no longer logs the member in, and the verified address gets a mail about it", async () => {
    const email = "takes.off@example.com";
    const { session } = await makeMember({ email, emailVerified: true });
    const login = freshPerson();
    taken(await add(session, login));
    taken(await accounts.remove(perya, session, "google", "TY"));
    expect(await accounts.list(perya, session)).toEqual([]);
    const back = taken(await logins.finish(perya, await backFrom(null, login), PHONE));
    expect(back).toHaveProperty("ticket");
    const mail = present(await harness.newestTo(email), "the mail");
    expect(mail.subject).toContain("Inalis ang Google login");
    expect(codeOf(await remove(session))).toBe("not_found");
    const stranger = await makeMember();
    taken(await add(stranger.session, login));
    expect(codeOf(await remove(session))).toBe("not_found");
    expect(await accounts.list(perya, stranger.session)).toHaveLength(1);
  });

  it("stays if it is the only way in", async () => {
    const { session } = await makeMember({ password: null });
    taken(await add(session, freshPerson()));
    expect(await accounts.list(perya, session)).toMatchObject([{ removable: false }]);
    expect(codeOf(await remove(session))).toBe("last_way_in");
    taken(await add(session, freshPerson(), "facebook"));
    // A provider that the brand no longer offers logs nobody in.
    const flags = { GOOGLELOGIN3: true };
    const onlyGoogle = { ...perya, settings: { ...perya.settings, flags } };
    expect(codeOf(await accounts.remove(onlyGoogle, session, "google", "EN"))).toBe("last_way_in");
    const both = await Promise.all([remove(session), remove(session, "facebook")]);
    expect(both.map(codeOf).sort()).toEqual(["last_way_in", "ok"]);
    const given = { newPassword: "Sampaguita77", confirmNewPassword: "Sampaguita77" };
    taken(await harness.passwordChange.change(perya, session, given, "EN"));
    const [left] = await accounts.list(perya, session);
    expect(left?.removable).toBe(true);
    taken(await remove(session, present(left, "the account that stayed").provider));
  });

  it("voids what the member's other sessions had proven, and nothing in the session that removes it", async () => {
    const { account, session } = await makeMember();
    taken(await add(session, freshPerson()));
    const other = (await harness.logInProven(account)).session;
    taken(await remove(session));
    expect(codeOf(await begin(other))).toBe("fresh_login_needed");
    expect(codeOf(await begin(session))).toBe("ok");
  });

  it.each([false, true])(
    "ends a log-in by it that was judged before the removal and completes after it, second factor: %s",
    async (secondFactor) => {
      const { account, session } = await makeMember({ password: null });
      const login = freshPerson();
      taken(await add(session, login));
      if (secondFactor) await switchOn(account);
      const { provider, ...given } = await backFrom(null, login);
      const by = { sessionId: session.id, memberId: account.id };
      const before = await begunOf(account);
      const entered = await overtaken(
        harness.db.pool,
        account.id,
        () => logins.finish(perya, given, PHONE),
        (client) => removeExternalAccount(client, by, "google", harness.clock.now()),
      );
      expect(codeOf(entered)).toBe("external_login_failed");
      expect(await begunOf(account)).toBe(before);
    },
  );
});

/** Counts sessions, and log-ins that wait for their second factor. */
async function begunOf({ id }: Account): Promise<number> {
  const { rowCount } = await harness.db.pool.query(
    `SELECT id FROM sessions WHERE member_id = $1
     UNION ALL SELECT member_id FROM pending_logins WHERE member_id = $1`,
    [id],
  );
  return rowCount ?? 0;
}

async function switchOn({ id }: Account): Promise<void> {
  await harness.db.pool.query(
    `INSERT INTO member_totp (member_id, sealed_secret, confirmed_at)
     VALUES ($1, 'sealed', to_timestamp($2 / 1000.0))`,
    [id, harness.clock.now()],
  );
}

async function makeMember(
  given: Parameters<AccountHarness["makeAccount"]>[0] = {},
): Promise<{ account: Account; session: Session }> {
  const account = await harness.makeAccount({ ...given, merchant: perya });
  return { account, session: (await harness.logInProven(account)).session };
}

/** A person whom the house does not know yet. */
function freshPerson(): string {
  people += 1;
  return `person-${people}`;
}

function begin(session: Session, provider: ExternalProvider = "google") {
  return accounts.begin(perya, session, provider, ORIGIN);
}

function remove(session: Session, provider: ExternalProvider = "google") {
  return accounts.remove(perya, session, provider, "EN");
}

async function add(session: Session, login: string, provider: ExternalProvider = "google") {
  const given = await backFrom(session, login, { provider });
  return accounts.finish(perya, session, given, "EN");
}

/** Back from the provider: to the security centre, or without a session to the login page. */
async function backFrom(
  session: Session | null,
  login: string,
  more: { readonly provider?: ExternalProvider; readonly consents?: boolean } = {},
) {
  const { provider = "google", consents = true } = more;
  const begun =
    session === null
      ? await flows.begin(perya, provider, ORIGIN)
      : await accounts.begin(perya, session, provider, ORIGIN);
  const { url, browser } = taken(begun);
  const { search } = await throughProvider(url, { login, consents });
  const back = await flows.comeBack(perya, provider, { origin: ORIGIN, search, browser });
  expect(back.links).toBe(session !== null);
  return { flow: back.flow, browser, provider };
}
