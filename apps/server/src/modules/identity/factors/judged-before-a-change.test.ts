import { readFileSync } from "node:fs";
import { present } from "@perya/kernel/assert";
import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Account,
  NEW,
  PASSWORD,
  PHONE,
  PUBLIC_URL,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, type Said, taken } from "../../../../../../tests/server/answers.ts";
import {
  always,
  type FactorsHarness,
  listed,
  NUMBER,
  numberOf,
  type Owner,
  openFactorsHarness,
  SITE,
  WISH,
} from "../../../../../../tests/server/factors-harness.ts";
import { throughProvider } from "../../../../../../tests/server/openid-provider.ts";
import { overtaken } from "../../../../../../tests/server/overtaken.ts";
import { wordsOf } from "../../../../../../tests/server/phone-service.ts";
import { SoftwareAuthenticator } from "../../../../../../tests/server/software-authenticator.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import type { Merchant } from "../../brand/brand.ts";
import { setPassword } from "../accounts/password-setting.ts";
import { setEmail, setMobile, setPaymentPassword } from "../members/members.store.ts";
import { voidOpenChallenges } from "../members/open-challenges.store.ts";
import { ownerIn, type Session } from "../sessions/session.ts";
import { endSession } from "../sessions/sessions.store.ts";
import { removePasskey } from "./passkeys.store.ts";
import { removeTotp } from "./totp.store.ts";

const DEEDS = readDeeds();

let harness: FactorsHarness;
/** It sends every kind of code. */
let perya: Merchant;

beforeAll(async () => {
  harness = await openFactorsHarness("changes");
  perya = harness.perya;
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(2 * DAY_MS));

/** The change itself, which begins when it is called. */
const CHANGING: Readonly<Record<string, (owner: Owner) => Promise<() => Promise<unknown>>>> = {
  "e-mail": async ({ session }) => {
    const email = `asked${harness.next()}@example.com`;
    const by = { address: "203.0.113.7", language: "EN" };
    taken(await harness.contacts.sendEmailLink(perya, session, email, by));
    const token = await harness.linkTo(email);
    return () => harness.contacts.verifyEmail(perya, token, "EN");
  },
  number: (owner) => deedOf("number", owner),
  password: (owner) => deedOf("password by the old one", owner),
  "payment password": (owner) => deedOf("payment password by the password", owner),
  "authenticator on": (owner) => deedOf("authenticator on", owner),
  "authenticator off": (owner) => deedOf("authenticator off", owner),
  "new recovery codes": (owner) => deedOf("new recovery codes", owner),
  "passkey off": (owner) => deedOf("passkey off", owner),
  "account outside off": (owner) => deedOf("account outside off", owner),
};

describe("the time of a change", () => {
  it.each(Object.keys(CHANGING))(
    "is after every request made while the change waited for the member: %s",
    async (name) => {
      const owner = await harness.makeOwner();
      const change = await present(CHANGING[name], `the case of ${name}`)(owner);
      await overtaken(harness.db.pool, owner.account.id, change, async () => {
        harness.clock.advance(MINUTE_MS);
      });
      expect(await harness.changedAt(owner)).toBeGreaterThanOrEqual(harness.clock.now());
    },
  );

  it("is later than that of the change before, also if the clock was set back in between", async () => {
    const owner = await harness.makeOwner();
    const by = ownerIn(owner.session);
    const now = harness.clock.now();
    const times = [];
    for (const at of [now, now - MINUTE_MS, now + MINUTE_MS]) {
      await withTransaction(harness.db.pool, (client) => voidOpenChallenges(client, by, at));
      times.push(await harness.changedAt(owner));
    }
    expect(times).toEqual([now, now + 1, now + MINUTE_MS]);
  });
});

describe("a log-in that was judged before a change and completes after it", () => {
  it("begins no session by a passkey that is removed meanwhile", async () => {
    const { account, session } = await harness.makeOwner();
    const authenticator = await harness.keepPasskey(session);
    const [passkey] = await harness.passkeys.list(session);
    const { id } = present(passkey, "the passkey");
    const given = harness.signed(authenticator, await harness.passkeys.loginOptions(perya, SITE));
    const proven = taken(await harness.passkeys.owner(perya, SITE, given));
    const before = await sessionsOf(account);
    const entered = await overtaken(
      harness.db.pool,
      account.id,
      () => harness.logins.finishPasskeyLogin(perya, proven, PHONE),
      (client) => removePasskey(client, ownerIn(session), id, harness.clock.now()),
    );
    expect(codeOf(entered)).toBe("passkey_refused");
    expect(await sessionsOf(account)).toBe(before);
  });

  it("begins no session without the authenticator that is switched on meanwhile", async () => {
    const { account } = await harness.makeOwner();
    const before = await sessionsOf(account);
    const logIn = () => harness.logins.login(perya, byPassword(account), PHONE);
    const entered = await overtaken(harness.db.pool, account.id, logIn, (client) =>
      client.query(
        `INSERT INTO member_totp (member_id, sealed_secret, confirmed_at)
         VALUES ($1, 'sealed', to_timestamp($2 / 1000.0))`,
        [account.id, harness.clock.now()],
      ),
    );
    expect(codeOf(entered)).toBe("busy");
    expect(await sessionsOf(account)).toBe(before);
    expect(taken(await logIn())).toHaveProperty("pending");
  });

  it("begins no session by a number that becomes another member's or nobody's meanwhile", async () => {
    const { account, session, mobile, otherMobile } = await harness.makeOwner();
    const { pool } = harness.db;
    const identity = harness.partsWith({ phoneProofs: wordsOf(harness.clock, () => mobile) });
    const before = await sessionsOf(account);
    const form = { type: "firebase" as const, firebaseIdToken: "genuine" };
    const entered = await overtaken(
      pool,
      account.id,
      () => identity.logins.login(perya, form, PHONE),
      (client) => setMobile(client, ownerIn(session), numberOf(otherMobile), harness.clock.now()),
    );
    expect(codeOf(entered)).toBe("code_wrong");
    expect(await sessionsOf(account)).toBe(before);
  });

  it("does not wait for an authenticator that is switched off meanwhile", async () => {
    const { account, session } = await harness.makeOwner();
    await harness.switchOn(session);
    const logIn = () => harness.logins.login(perya, byPassword(account), PHONE);
    const held = await overtaken(harness.db.pool, account.id, logIn, (client) =>
      removeTotp(client, account.id),
    );
    expect(codeOf(held)).toBe("busy");
    const { rowCount } = await harness.db.pool.query(
      "SELECT FROM pending_logins WHERE member_id = $1",
      [account.id],
    );
    expect(rowCount).toBe(0);
    expect(taken(await logIn())).toHaveProperty("halves");
  });
});

/** Something done by a proof, which begins when it is called. */
type Deed = () => Promise<Said<unknown>>;

const DEED_CASES: Readonly<Record<string, (owner: Owner) => Promise<Deed>>> = {
  "fresh proof":
    async ({ session }) =>
    () =>
      harness.security.prove(session, { password: PASSWORD }),

  "e-mail link": async ({ session }) => {
    const email = `asked${harness.next()}@example.com`;
    return () =>
      harness.contacts.sendEmailLink(perya, session, email, {
        address: "203.0.113.7",
        language: "EN",
      });
  },

  number: async ({ session, otherMobile: mobileNum }) => {
    const asked = { ...NUMBER, mobileNum, humanCheck: "solved" };
    const caller = { address: `address ${harness.next()}`, deviceHash: null, language: "EN" };
    taken(await harness.contacts.sendMobileCode(perya, session, asked, caller));
    const given = { ...NUMBER, mobileNum, verificationCode: await harness.codeTo(mobileNum) };
    return () => harness.contacts.verifyMobile(perya, session, given, "EN");
  },

  "authenticator on": async ({ session }) => {
    const { secret } = taken(await harness.twoFactor.begin(perya, session));
    return () => harness.twoFactor.confirm(perya, session, harness.codeNow(secret), "EN");
  },

  "authenticator off": async ({ session }) => {
    const secret = await harness.switchOn(session);
    return () => harness.twoFactor.remove(perya, session, harness.codeNow(secret), "EN");
  },

  "new recovery codes": async ({ session }) => {
    await harness.switchOn(session);
    return () => harness.twoFactor.renewRecoveryCodes(perya, session, "EN");
  },

  "passkey made": async ({ session }) => {
    const begun = taken(await harness.passkeys.registrationOptions(perya, session, SITE));
    const challenge = String(begun.options.challenge);
    const response = new SoftwareAuthenticator().create({ challenge, ...SITE });
    const given = { challengeId: begun.challengeId, name: "phone", response };
    return () => harness.passkeys.register(perya, session, SITE, given, "EN");
  },

  "passkey off": async ({ session }) => {
    await harness.keepPasskey(session);
    const [kept] = await harness.passkeys.list(session);
    const { id } = present(kept, "the passkey");
    return () => harness.passkeys.remove(perya, session, id, "EN");
  },

  "account outside begun":
    async ({ session }) =>
    () =>
      harness.externalAccounts().begin(perya, session, "google", PUBLIC_URL),

  "account outside shown": async ({ session }) => {
    const { url, browser } = await beginOutside(session);
    const { search } = await throughProvider(url, { login: `person ${harness.next()}` });
    return async () => {
      const back = { origin: PUBLIC_URL, search, browser };
      const { flow } = await harness.outside.comeBack(perya, "google", back);
      return harness.externalAccounts().finish(perya, session, { flow, browser }, "EN");
    };
  },

  "account outside added": async ({ session }) => {
    const { url, browser } = await beginOutside(session);
    const { search } = await throughProvider(url, { login: `person ${harness.next()}` });
    const { flow } = await harness.outside.comeBack(perya, "google", {
      ...{ origin: PUBLIC_URL, search, browser },
    });
    return () => harness.externalAccounts().finish(perya, session, { flow, browser }, "EN");
  },

  "account outside off": async ({ account, session }) => {
    await harness.addOutside(account);
    return () => harness.externalAccounts().remove(perya, session, "google", "EN");
  },

  "password by the old one": async ({ session }) => {
    const given = { oldPassword: PASSWORD, newPassword: NEW, confirmNewPassword: NEW };
    return () => harness.passwordChange.change(perya, session, given, "EN");
  },

  "password by a code": async ({ session }) => {
    const secret = await harness.switchOn(session);
    const chosen = { newPassword: NEW, confirmNewPassword: NEW };
    return () =>
      harness.passwordChange.change(
        perya,
        session,
        { ...chosen, code: harness.codeNow(secret) },
        "EN",
      );
  },

  "first password": async ({ account, session }) => {
    await bare(account);
    const given = { newPassword: NEW, confirmNewPassword: NEW };
    return () => harness.passwordChange.change(perya, session, given, "EN");
  },

  "password by a service's word": async ({ account, mobile: mobileNum }) => {
    const { username } = account;
    const given = { ...NUMBER, username, newPassword: NEW, mobileNum, firebaseIdToken: mobileNum };
    return () => harness.byPhone.setByPhone(perya, given, { language: "EN", asker: BROWSER });
  },

  "payment password by the password": async ({ session }) => {
    const given = { paymentPassword: "739254", password: PASSWORD };
    return () => harness.security.setPaymentPassword(perya, session, given, "EN");
  },

  "payment password by a code": async ({ session }) => {
    const secret = await harness.switchOn(session);
    return () => {
      const given = { paymentPassword: "739254", code: harness.codeNow(secret) };
      return harness.security.setPaymentPassword(perya, session, given, "EN");
    };
  },

  "payment password by the one before": async ({ session }) => {
    await harness.setDigits(session);
    const given = { paymentPassword: "264815", current: "739254" };
    return () => harness.security.setPaymentPassword(perya, session, given, "EN");
  },

  "payment password of who has none of these": async ({ account, session }) => {
    await bare(account);
    const given = { paymentPassword: "739254" };
    return () => harness.security.setPaymentPassword(perya, session, given, "EN");
  },

  "payment proof by the payment password": async ({ session }) => {
    await harness.setDigits(session);
    const given = { paymentPassword: "739254" };
    return () => harness.paymentProofs.prove(always(perya), session, WISH, given);
  },

  "payment proof by a passkey": async ({ session }) => {
    const authenticator = await harness.keepPasskey(session);
    const by = harness.signed(
      authenticator,
      await harness.passkeys.paymentOptions(perya, session, SITE),
    );
    return () => harness.paymentProofs.prove(always(perya), session, WISH, { site: SITE, by });
  },
};

describe("the list in docs/security/factors.md of checks repeated under the member's lock", () => {
  it("has a case for every row", () => {
    expect(DEEDS.map(({ name }) => name).sort()).toEqual(Object.keys(DEED_CASES).sort());
  });
});

describe.each(DEEDS)("$name, judged before a change and done after it", ({ name, overtakenBy }) => {
  it.each(overtakenBy)("is refused if this overtook it: %s", async (event) => {
    const owner = await harness.makeOwner();
    const other = (await harness.logInProven(owner.account)).session;
    const deed = await deedOf(name, owner);
    const change = present(CHANGES[event], `the case of ${event}`);
    const done = await overtaken(harness.db.pool, owner.account.id, deed, (client) =>
      change(client, owner, other),
    );
    expect(codeOf(done)).not.toBe("ok");
  });
});

/** The changes themselves, as the holder of the member's lock writes them. */
const CHANGES: Readonly<
  Record<string, (client: pg.ClientBase, owner: Owner, by: Session) => Promise<unknown>>
> = {
  session: (client, { session }) => endSession(client, session.id, harness.clock.now(), true),
  password: (client, { account }, by) => {
    const next = { memberId: account.id, passwordHash: "another", except: by.id };
    return setPassword(client, next, harness.clock.now());
  },
  "e-mail": (client, _owner, by) => {
    return setEmail(
      client,
      ownerIn(by),
      `changed${harness.next()}@example.com`,
      harness.clock.now(),
    );
  },
  number: (client, _owner, by) =>
    setMobile(client, ownerIn(by), numberOf(harness.freshMobile()), harness.clock.now()),
  authenticator: async (client, { account }, by) => {
    await removeTotp(client, account.id);
    await voidOpenChallenges(client, ownerIn(by), harness.clock.now());
    await client.query(
      `INSERT INTO member_totp (member_id, sealed_secret, confirmed_at)
       VALUES ($1, 'sealed', to_timestamp($2 / 1000.0))`,
      [account.id, harness.clock.now()],
    );
  },
  "payment password": (client, _owner, by) =>
    setPaymentPassword(client, ownerIn(by), "another", harness.clock.now(), true),
  "passkey off": async (client, { account }, by) => {
    await client.query("DELETE FROM passkeys WHERE member_id = $1", [account.id]);
    await voidOpenChallenges(client, ownerIn(by), harness.clock.now());
  },
  "account outside off": (client, _owner, by) =>
    voidOpenChallenges(client, ownerIn(by), harness.clock.now()),
};

function deedOf(name: string, owner: Owner): Promise<Deed> {
  return present(DEED_CASES[name], `the case of ${name}`)(owner);
}

async function beginOutside(session: Session) {
  return taken(await harness.externalAccounts().begin(perya, session, "google", PUBLIC_URL));
}

const BROWSER = { browser: "a browser" };

/** Makes a member who came by an external account and has only the log-in to prove by. */
async function bare({ id }: Account): Promise<void> {
  await harness.db.pool.query("UPDATE members SET password_hash = NULL WHERE id = $1", [id]);
}

function byPassword({ username }: Account) {
  return { type: "username" as const, username, password: PASSWORD };
}

async function sessionsOf({ id }: Account): Promise<number> {
  const { rowCount } = await harness.db.pool.query("SELECT FROM sessions WHERE member_id = $1", [
    id,
  ]);
  return rowCount ?? 0;
}

function readDeeds(): DeedRow[] {
  const page = new URL("../../../../../../docs/security/factors.md", import.meta.url);
  const text = readFileSync(page, "utf8");
  const [, ...lines] = text.split("| What is done |")[1]?.split("\n\n")[0]?.split("\n") ?? [];
  return lines.slice(1).map((line) => {
    const [, name = "", overtakenBy = ""] = line.split("|").map((cell) => cell.trim());
    return { name, overtakenBy: listed(overtakenBy) };
  });
}

interface DeedRow {
  readonly name: string;
  readonly overtakenBy: readonly string[];
}
