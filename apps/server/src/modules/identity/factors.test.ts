import { readFileSync } from "node:fs";
import { present } from "@perya/kernel/assert";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { Secret, TOTP } from "otpauth";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Account,
  type AccountHarness,
  openAccountHarness,
  PASSWORD,
  PHONE,
  PUBLIC_URL,
} from "../../../../../tests/server/account-harness.ts";
import { codeOf, isTaken, type Said, taken } from "../../../../../tests/server/answers.ts";
import { makeBrand } from "../../../../../tests/server/fixtures.ts";
import {
  type OpenIdProvider,
  startOpenIdProvider,
  throughProvider,
} from "../../../../../tests/server/openid-provider.ts";
import { overtaken } from "../../../../../tests/server/overtaken.ts";
import {
  type PhoneService,
  startPhoneService,
  wordsOf,
} from "../../../../../tests/server/phone-service.ts";
import { SoftwareAuthenticator } from "../../../../../tests/server/software-authenticator.ts";
import { hashOfToken } from "../../platform/bearer-token.ts";
import { createLogger } from "../../platform/log.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Merchant } from "../brand/brand.ts";
import { createCaptchas } from "./defence/captcha.ts";
import { ExternalAccounts } from "./external/external-accounts.ts";
import { insertExternalMember, insertFlow, takeFlow } from "./external/external-login.store.ts";
import { ExternalLogins } from "./external/external-login.ts";
import { removePasskey } from "./factors/passkeys.store.ts";
import { siteOf } from "./factors/passkeys.ts";
import { createPhoneProofs, type PhoneProofs } from "./factors/phone-proofs.ts";
import { removeTotp } from "./factors/totp.store.ts";
import { Identity } from "./identity.ts";
import { setPassword } from "./members/account.store.ts";
import { endSession } from "./members/members.store.ts";
import { proofsChangedAt, voidOpenChallenges } from "./members/open-challenges.store.ts";
import { setEmail, setMobile, setPaymentPassword } from "./security/security.store.ts";
import type { Session } from "./sessions/session.ts";

/** The person who presents a challenge: the owner, or one who differs from them in one thing. */
interface User {
  readonly merchant: Merchant;
  readonly session: Session;
  readonly browser: string;
}

/** An open challenge: `use` answers `ok`, or the code of its refusal. */
interface Open {
  use(by: User): Promise<string>;
  /** Wrong each time, for challenges that can be guessed. */
  guess?(by: User): Promise<string>;
}

type Begin = (owner: Owner) => Promise<Open>;

interface Owner extends User {
  readonly account: Account;
  readonly email: string;
  readonly mobile: string;
  /** A number that is not theirs yet. */
  readonly otherMobile: string;
}

interface Row {
  readonly name: string;
  readonly boundTo: readonly string[];
  readonly goodForMs: number;
  readonly tries: string;
  readonly endedBy: readonly string[];
}

const SITE = siteOf(PUBLIC_URL, "perya.test");
const ROWS = readRows();
const DEEDS = readDeeds();
const CHANGES_OF_PROOF = [
  ...["password", "payment password", "e-mail", "number", "authenticator"],
  ...["passkey off", "account outside off"],
];
const NEW = "Sampaguita77";
const NUMBER = { countryDialingCode: "+63" };
const WISH = {
  method: "gwallet",
  destination: "09171234567",
  amount: { minor: 20_000n, currency: "PHP" as const },
};
let harness: AccountHarness;
let provider: OpenIdProvider;
let outside: ExternalLogins;
let phoneService: PhoneService;
/** Both brands send every kind of code. */
let perya: Merchant;
let fiesta: Merchant;
let made = 0;

beforeAll(async () => {
  harness = await openAccountHarness("factors");
  const settings = {
    recoveryByPhone: true,
    flags: { GOOGLELOGIN3: true, MOBILEVERCODELOGIN3: true },
  };
  perya = await makeBrand(harness.db.pool, harness.clock, { settings });
  fiesta = await makeBrand(harness.db.pool, harness.clock, { settings });
  provider = await startOpenIdProvider({});
  provider.register([`${PUBLIC_URL}/auth/callback/google`]);
  phoneService = await startPhoneService(harness.clock);
  const { clock, entropy, identity } = harness;
  outside = new ExternalLogins({
    ...{ pool: harness.db.pool, clock, entropy, identity },
    log: createLogger({ level: "silent" }),
    clients: { google: provider.client, facebook: null },
    secret: "a secret of this test's own",
  });
});

afterAll(async () => {
  await provider?.close();
  await phoneService?.close();
  await harness?.close();
});

beforeEach(() => harness.clock.advance(2 * DAY_MS));

const CHALLENGES: Readonly<Record<string, Begin>> = {
  "reset link": async ({ account, email }) => {
    const byMail = { ...perya, settings: { ...perya.settings, recoveryByPhone: false } };
    const asked = { username: account.username, email };
    taken(await harness.recovery.forgot(byMail, asked, { address: "203.0.113.7", language: "EN" }));
    const token = await harness.linkTo(email);
    let used = 0;
    return {
      use: async ({ merchant }) => {
        used += 1;
        // The same password again would be refused as already set.
        const newPassword = `${NEW}${used}`;
        const given = { token, newPassword, confirmNewPassword: newPassword };
        return codeOf(await harness.recovery.setByLink(merchant, given, "EN"));
      },
    };
  },

  "e-mail link": async ({ session }) => {
    made += 1;
    const email = `asked${made}@example.com`;
    taken(
      await harness.security.sendEmailLink(perya, session, email, {
        address: "203.0.113.7",
        language: "EN",
      }),
    );
    const token = await harness.linkTo(email);
    return {
      use: async ({ merchant }) =>
        codeOf(await harness.security.verifyEmail(merchant, token, "EN")),
    };
  },

  "code to register": async (owner) => {
    const mobileNum = owner.otherMobile;
    const code = await codeFor("register", mobileNum, owner);
    return byCode(code, ({ merchant, browser }, given) =>
      isTaken(
        harness.db.pool,
        harness.codes.judge(merchant, "register", numberOf(mobileNum), {
          ...{ code: given, asker: { browser } },
        }),
      ),
    );
  },

  "code to log in": async (owner) => {
    const code = await codeFor("login", owner.mobile, owner);
    return byCode(code, ({ merchant, browser }, given) =>
      isTaken(
        harness.db.pool,
        harness.codes.judge(merchant, "login", numberOf(owner.mobile), {
          ...{ code: given, asker: { browser } },
        }),
      ),
    );
  },

  "code for a new password": async (owner) => {
    const { mobile, account } = owner;
    const code = await codeFor("reset", mobile, owner);
    let used = 0;
    const set = async ({ merchant, browser }: User, verificationCode: string) => {
      const { username } = account;
      used += 1;
      const newPassword = `${NEW}${used}`;
      const given = { ...NUMBER, username, newPassword, mobileNum: mobile, verificationCode };
      const by = { language: "EN", asker: { browser } };
      return codeOf(await harness.recovery.setByPhone(merchant, given, by));
    };
    return { use: (by) => set(by, code), guess: (by) => set(by, wrong(code)) };
  },

  "code to verify a number": async ({ session, otherMobile: mobileNum }) => {
    const asked = { ...NUMBER, mobileNum, humanCheck: "solved" };
    const caller = { address: `address ${made}`, deviceHash: null, language: "EN" };
    taken(await harness.security.sendMobileCode(perya, session, asked, caller));
    const code = await codeTo(mobileNum);
    const verify = async ({ merchant, session: by }: User, verificationCode: string) => {
      await harness.sessions.prove(by.id);
      const given = { ...NUMBER, mobileNum, verificationCode };
      return codeOf(await harness.security.verifyMobile(merchant, by, given, "EN"));
    };
    return { use: (by) => verify(by, code), guess: (by) => verify(by, wrong(code)) };
  },

  "held log-in": async ({ account }) => {
    const { session } = await harness.logInProven(account);
    const secret = await switchOn(session);
    const form = { type: "username" as const, username: account.username, password: PASSWORD };
    const held = taken(await harness.identity.login(perya, form, PHONE));
    if (!("pending" in held)) throw new Error("no second factor was asked for");
    const finish = async ({ merchant }: User, code: string) => {
      const given = { pending: held.pending, code };
      return codeOf(await harness.identity.finishSecondFactor(merchant, given, PHONE));
    };
    return {
      use: (by) => finish(by, codeNow(secret)),
      guess: (by) => finish(by, wrong(codeNow(secret))),
    };
  },

  "authenticator enrolment": async ({ session }) => {
    const { secret } = taken(await harness.security.beginTotp(perya, session));
    return {
      use: async ({ merchant, session: by }) => {
        await harness.sessions.prove(by.id);
        return codeOf(await harness.security.confirmTotp(merchant, by, codeNow(secret), "EN"));
      },
    };
  },

  "passkey to be made": async ({ session }) => {
    const begun = taken(await harness.passkeys.registrationOptions(perya, session, SITE));
    const challenge = String(begun.options.challenge);
    const response = new SoftwareAuthenticator().create({ challenge, ...SITE });
    const given = { challengeId: begun.challengeId, name: "phone", response };
    return {
      use: async ({ merchant, session: by }) => {
        await harness.sessions.prove(by.id);
        return codeOf(await harness.passkeys.register(merchant, by, SITE, given, "EN"));
      },
    };
  },

  "passkey log-in": async ({ session }) => {
    const authenticator = await keepPasskey(session);
    const begun = await harness.passkeys.loginOptions(perya, SITE);
    const given = signed(authenticator, begun);
    return {
      use: async ({ merchant }) => {
        const owner = await harness.passkeys.owner(merchant, SITE, given);
        if (!owner.ok) return owner.error.code;
        return codeOf(await harness.identity.finishPasskeyLogin(merchant, owner.value, PHONE));
      },
    };
  },

  "passkey for a payment": async ({ session }) => {
    const authenticator = await keepPasskey(session);
    const given = signed(
      authenticator,
      await harness.passkeys.paymentOptions(perya, session, SITE),
    );
    return {
      use: async ({ merchant, session: by }) => {
        const right = (await harness.passkeys.paysBy(merchant, by, SITE, given))?.take ?? null;
        return right !== null && (await right(harness.db.pool)) ? "ok" : "passkey_refused";
      },
    };
  },

  "payment proof": async ({ session }) => {
    await setDigits(session);
    const proof = { paymentPassword: "739254" };
    taken(await harness.paymentProofs.prove(always(perya), session, WISH, proof));
    let used = 0;
    return {
      use: async ({ merchant, session: by }) => {
        used += 1;
        const wish = { ...WISH, id: `wdr_${made}_${used}` };
        const effect = await harness.paymentProofs.effectFor(always(merchant), by, wish);
        if (!effect.ok) return codeOf(effect);
        const { statement, row } = present(effect.value, "what is taken of a proof");
        await harness.db.pool.query(statement.sql, [JSON.stringify([row])]);
        return "ok";
      },
    };
  },

  "account outside to be added": async ({ session, browser }) => flow(browser, session),

  "log-in from outside": async ({ browser }) => flow(browser, null),

  "service's word for a number": async ({ mobile }) => {
    // Its times are whole seconds.
    harness.clock.advance(SECOND_MS - (harness.clock.now() % SECOND_MS));
    const firebaseIdToken = await phoneService.token(`+63${mobile}`);
    const identity = identityBy(
      createPhoneProofs({
        ...{ pool: harness.db.pool, clock: harness.clock, service: phoneService.config },
        log: createLogger({ level: "silent" }),
      }),
    );
    return {
      use: async ({ merchant }) =>
        codeOf(await identity.login(merchant, { type: "firebase", firebaseIdToken }, PHONE)),
    };
  },
};

describe("the table of docs/security/factors.md", () => {
  it("has a row for every challenge, and this file has a case for every row", () => {
    expect(ROWS.map(({ name }) => name).sort()).toEqual(Object.keys(CHALLENGES).sort());
  });
});

describe.each(ROWS)("$name", ({ name, boundTo, goodForMs, tries, endedBy }) => {
  const begin = present(CHALLENGES[name], `the case of ${name}`);

  it("is valid for its owner, and no longer once it was used", async () => {
    const owner = await makeOwner();
    const open = await begin(owner);
    expect(await open.use(owner)).toBe("ok");
    expect(await open.use(owner)).not.toBe("ok");
  });

  it.each(boundTo)(
    "is worth nothing to a person of another %s, and stays valid for its owner",
    async (what) => {
      const owner = await makeOwner();
      const open = await begin(owner);
      const stranger = await strangerTo(owner, what);
      for (let i = 0; i < 6; i++) expect(await open.use(stranger)).not.toBe("ok");
      expect(await open.use(owner)).toBe("ok");
    },
  );

  it("is valid for its time, and not a moment longer", async () => {
    const owner = await makeOwner();
    const open = await begin(owner);
    harness.clock.advance(goodForMs);
    expect(await open.use(owner)).not.toBe("ok");
    const again = await makeOwner();
    const other = await begin(again);
    harness.clock.advance(goodForMs - 1);
    expect(await other.use(again)).toBe("ok");
  });

  const guessed = tries === "once" ? [] : [Number(tries)];
  it.each(guessed)("allows %i guesses", async (times) => {
    const owner = await makeOwner();
    const open = await begin(owner);
    const guess = present(open.guess, "a wrong use");
    for (let i = 0; i < times; i++) expect(await guess(owner)).not.toBe("ok");
    expect(await open.use(owner)).not.toBe("ok");
  });

  it.each(endedBy)("is ended by: %s", async (event) => {
    const owner = await makeOwner();
    const open = await begin(owner);
    const other = await harness.logInProven(owner.account);
    await present(EVENTS[event], `the case of ${event}`)(owner, other.session, begin);
    expect(await open.use(owner)).not.toBe("ok");
  });
});

describe.each(CHANGES_OF_PROOF)("a change of what proves who a member is: %s", (event) => {
  async function changed() {
    const owner = await makeOwner();
    await setDigits(owner.session);
    harness.clock.advance(MINUTE_MS);
    taken(await harness.security.prove(owner.session, { password: PASSWORD }));
    const before = harness.clock.now();
    const { session: other } = await harness.logInProven(owner.account);
    await present(EVENTS[event], `the case of ${event}`)(owner, other, () =>
      Promise.reject(new Error("nothing is begun")),
    );
    return { owner, other, before };
  }

  it("is recorded with its time, so that earlier requests can be told from later ones", async () => {
    const { owner, before } = await changed();
    expect(await changedAt(owner)).toBeGreaterThanOrEqual(before);
  });

  it("leaves nothing proven in any other session, and the session itself can begin nothing anew", async () => {
    const { owner, other } = await changed();
    const made = await harness.passkeys.registrationOptions(perya, owner.session, SITE);
    expect(codeOf(made)).toBe("fresh_login_needed");
    taken(await harness.passkeys.registrationOptions(perya, other, SITE));
  });
});

/** The change itself, which begins when it is called. */
const CHANGING: Readonly<Record<string, (owner: Owner) => Promise<() => Promise<unknown>>>> = {
  "e-mail": async (owner) => {
    const link = await present(CHALLENGES["e-mail link"], "the link")(owner);
    return () => link.use(owner);
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
      const owner = await makeOwner();
      const change = await present(CHANGING[name], `the case of ${name}`)(owner);
      await overtaken(harness.db.pool, owner.account.id, change, async () => {
        harness.clock.advance(MINUTE_MS);
      });
      expect(await changedAt(owner)).toBeGreaterThanOrEqual(harness.clock.now());
    },
  );

  it("is later than that of the change before, also if the clock was set back in between", async () => {
    const owner = await makeOwner();
    const by = ownerIn(owner.session);
    const now = harness.clock.now();
    const times = [];
    for (const at of [now, now - MINUTE_MS, now + MINUTE_MS]) {
      await withTransaction(harness.db.pool, (client) => voidOpenChallenges(client, by, at));
      times.push(await changedAt(owner));
    }
    expect(times).toEqual([now, now + 1, now + MINUTE_MS]);
  });
});

function deedOf(name: string, owner: Owner): Promise<Deed> {
  return present(DEED_CASES[name], `the case of ${name}`)(owner);
}

async function changedAt({ account }: Owner): Promise<number> {
  const { rows } = await harness.db.pool.query<{ at: Date | null }>(
    `SELECT ${proofsChangedAt("m")} AS at FROM members m WHERE id = $1`,
    [account.id],
  );
  return rows[0]?.at?.getTime() ?? 0;
}

describe("a log-in that was judged before a change and completes after it", () => {
  it("begins no session by a passkey that is removed meanwhile", async () => {
    const { account, session } = await makeOwner();
    const authenticator = await keepPasskey(session);
    const [passkey] = await harness.passkeys.list(session);
    const { id } = present(passkey, "the passkey");
    const given = signed(authenticator, await harness.passkeys.loginOptions(perya, SITE));
    const proven = taken(await harness.passkeys.owner(perya, SITE, given));
    const before = await sessionsOf(account);
    const entered = await overtaken(
      harness.db.pool,
      account.id,
      () => harness.identity.finishPasskeyLogin(perya, proven, PHONE),
      (client) => removePasskey(client, ownerIn(session), id, harness.clock.now()),
    );
    expect(codeOf(entered)).toBe("passkey_refused");
    expect(await sessionsOf(account)).toBe(before);
  });

  it("begins no session without the authenticator that is switched on meanwhile", async () => {
    const { account } = await makeOwner();
    const before = await sessionsOf(account);
    const logIn = () => harness.identity.login(perya, byPassword(account), PHONE);
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
    const { account, session, mobile, otherMobile } = await makeOwner();
    const { pool } = harness.db;
    const identity = identityBy(wordsOf(harness.clock, () => mobile));
    const before = await sessionsOf(account);
    const form = { type: "firebase" as const, firebaseIdToken: "genuine" };
    const entered = await overtaken(
      pool,
      account.id,
      () => identity.login(perya, form, PHONE),
      (client) => setMobile(client, ownerIn(session), numberOf(otherMobile), harness.clock.now()),
    );
    expect(codeOf(entered)).toBe("code_wrong");
    expect(await sessionsOf(account)).toBe(before);
  });

  it("does not wait for an authenticator that is switched off meanwhile", async () => {
    const { account, session } = await makeOwner();
    await switchOn(session);
    const logIn = () => harness.identity.login(perya, byPassword(account), PHONE);
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
    made += 1;
    const email = `asked${made}@example.com`;
    return () =>
      harness.security.sendEmailLink(perya, session, email, {
        address: "203.0.113.7",
        language: "EN",
      });
  },

  number: async ({ session, otherMobile: mobileNum }) => {
    const asked = { ...NUMBER, mobileNum, humanCheck: "solved" };
    const caller = { address: `address ${made}`, deviceHash: null, language: "EN" };
    taken(await harness.security.sendMobileCode(perya, session, asked, caller));
    const given = { ...NUMBER, mobileNum, verificationCode: await codeTo(mobileNum) };
    return () => harness.security.verifyMobile(perya, session, given, "EN");
  },

  "authenticator on": async ({ session }) => {
    const { secret } = taken(await harness.security.beginTotp(perya, session));
    return () => harness.security.confirmTotp(perya, session, codeNow(secret), "EN");
  },

  "authenticator off": async ({ session }) => {
    const secret = await switchOn(session);
    return () => harness.security.removeTotp(perya, session, codeNow(secret), "EN");
  },

  "new recovery codes": async ({ session }) => {
    await switchOn(session);
    return () => harness.security.renewRecoveryCodes(perya, session, "EN");
  },

  "passkey made": async ({ session }) => {
    const begun = taken(await harness.passkeys.registrationOptions(perya, session, SITE));
    const challenge = String(begun.options.challenge);
    const response = new SoftwareAuthenticator().create({ challenge, ...SITE });
    const given = { challengeId: begun.challengeId, name: "phone", response };
    return () => harness.passkeys.register(perya, session, SITE, given, "EN");
  },

  "passkey off": async ({ session }) => {
    await keepPasskey(session);
    const [kept] = await harness.passkeys.list(session);
    const { id } = present(kept, "the passkey");
    return () => harness.passkeys.remove(perya, session, id, "EN");
  },

  "account outside begun":
    async ({ session }) =>
    () =>
      externalAccounts().begin(perya, session, "google", PUBLIC_URL),

  "account outside shown": async ({ session }) => {
    const { url, browser } = await beginOutside(session);
    const { search } = await throughProvider(url, { login: `person ${made}` });
    return async () => {
      const back = { origin: PUBLIC_URL, search, browser };
      const { flow } = await outside.comeBack(perya, "google", back);
      return externalAccounts().finish(perya, session, { flow, browser }, "EN");
    };
  },

  "account outside added": async ({ session }) => {
    const { url, browser } = await beginOutside(session);
    const { search } = await throughProvider(url, { login: `person ${made}` });
    const { flow } = await outside.comeBack(perya, "google", {
      ...{ origin: PUBLIC_URL, search, browser },
    });
    return () => externalAccounts().finish(perya, session, { flow, browser }, "EN");
  },

  "account outside off": async ({ account, session }) => {
    await addOutside(account);
    return () => externalAccounts().remove(perya, session, "google", "EN");
  },

  "password by the old one": async ({ session }) => {
    const given = { oldPassword: PASSWORD, newPassword: NEW, confirmNewPassword: NEW };
    return () => harness.recovery.change(perya, session, given, "EN");
  },

  "password by a code": async ({ session }) => {
    const secret = await switchOn(session);
    const chosen = { newPassword: NEW, confirmNewPassword: NEW };
    return () =>
      harness.recovery.change(perya, session, { ...chosen, code: codeNow(secret) }, "EN");
  },

  "first password": async ({ account, session }) => {
    await bare(account);
    const given = { newPassword: NEW, confirmNewPassword: NEW };
    return () => harness.recovery.change(perya, session, given, "EN");
  },

  "password by a service's word": async ({ account, mobile: mobileNum }) => {
    const { username } = account;
    const given = { ...NUMBER, username, newPassword: NEW, mobileNum, firebaseIdToken: mobileNum };
    return () => harness.recovery.setByPhone(perya, given, { language: "EN", asker: BROWSER });
  },

  "payment password by the password": async ({ session }) => {
    const given = { paymentPassword: "739254", password: PASSWORD };
    return () => harness.security.setPaymentPassword(perya, session, given, "EN");
  },

  "payment password by a code": async ({ session }) => {
    const secret = await switchOn(session);
    return () => {
      const given = { paymentPassword: "739254", code: codeNow(secret) };
      return harness.security.setPaymentPassword(perya, session, given, "EN");
    };
  },

  "payment password by the one before": async ({ session }) => {
    await setDigits(session);
    const given = { paymentPassword: "264815", current: "739254" };
    return () => harness.security.setPaymentPassword(perya, session, given, "EN");
  },

  "payment password of who has none of these": async ({ account, session }) => {
    await bare(account);
    const given = { paymentPassword: "739254" };
    return () => harness.security.setPaymentPassword(perya, session, given, "EN");
  },

  "payment proof by the payment password": async ({ session }) => {
    await setDigits(session);
    const given = { paymentPassword: "739254" };
    return () => harness.paymentProofs.prove(always(perya), session, WISH, given);
  },

  "payment proof by a passkey": async ({ session }) => {
    const authenticator = await keepPasskey(session);
    const by = signed(authenticator, await harness.passkeys.paymentOptions(perya, session, SITE));
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
    const owner = await makeOwner();
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
    made += 1;
    return setEmail(client, ownerIn(by), `changed${made}@example.com`, harness.clock.now());
  },
  number: (client, _owner, by) =>
    setMobile(client, ownerIn(by), numberOf(freshMobile()), harness.clock.now()),
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

const BROWSER = { browser: "a browser" };

async function beginOutside(session: Session) {
  made += 1;
  return taken(await externalAccounts().begin(perya, session, "google", PUBLIC_URL));
}

/** Makes a member who came by an external account and has only the log-in to prove by. */
async function bare({ id }: Account): Promise<void> {
  await harness.db.pool.query("UPDATE members SET password_hash = NULL WHERE id = $1", [id]);
}

function byPassword({ username }: Account) {
  return { type: "username" as const, username, password: PASSWORD };
}

function ownerIn({ id: sessionId, memberId }: Session) {
  return { sessionId, memberId };
}

async function sessionsOf({ id }: Account): Promise<number> {
  const { rowCount } = await harness.db.pool.query("SELECT FROM sessions WHERE member_id = $1", [
    id,
  ]);
  return rowCount ?? 0;
}

type Event = (owner: Owner, elsewhere: Session, begin: Begin) => Promise<unknown>;

const EVENTS: Readonly<Record<string, Event>> = {
  again: async (owner, _elsewhere, begin) => {
    // A number gets one code a minute.
    harness.clock.advance(MINUTE_MS);
    await begin(owner);
  },
  session: async ({ session: ended }, session) => {
    taken(await harness.security.endSession(session, ended.id));
  },
  password: async (_owner, session) => {
    const given = { oldPassword: PASSWORD, newPassword: NEW, confirmNewPassword: NEW };
    taken(await harness.recovery.change(perya, session, given, "EN"));
  },
  "payment password": async ({ account }, session) => {
    const { hasPaymentPassword } = await harness.security.overview(session);
    const secret = secrets.get(account.id);
    const proof = secret === undefined ? { password: PASSWORD } : { code: codeNow(secret) };
    const by = hasPaymentPassword ? { current: "739254" } : proof;
    const given = { paymentPassword: "264815", ...by };
    taken(await harness.security.setPaymentPassword(perya, session, given, "EN"));
  },
  "e-mail": async (_owner, session) => {
    made += 1;
    const email = `changed${made}@example.com`;
    taken(
      await harness.security.sendEmailLink(perya, session, email, {
        address: "203.0.113.7",
        language: "EN",
      }),
    );
    taken(await harness.security.verifyEmail(perya, await harness.linkTo(email), "EN"));
  },
  number: async (_owner, session) => {
    const mobileNum = freshMobile();
    const asked = { ...NUMBER, mobileNum, humanCheck: "solved" };
    const caller = { address: `address ${made}`, deviceHash: null, language: "EN" };
    taken(await harness.security.sendMobileCode(perya, session, asked, caller));
    const given = { ...NUMBER, mobileNum, verificationCode: await codeTo(mobileNum) };
    taken(await harness.security.verifyMobile(perya, session, given, "EN"));
  },
  "passkey off": async (_owner, session) => {
    if ((await harness.passkeys.list(session)).length === 0) await keepPasskey(session);
    for (const { id } of await harness.passkeys.list(session)) {
      taken(await harness.passkeys.remove(perya, session, id, "EN"));
    }
  },
  "account outside off": async ({ account }, session) => {
    await addOutside(account);
    taken(await externalAccounts().remove(perya, session, "google", "EN"));
  },
  authenticator: async ({ account }, session) => {
    const secret = secrets.get(account.id);
    if (secret === undefined) return switchOn(session);
    harness.clock.advance(MINUTE_MS);
    return taken(await harness.security.removeTotp(perya, session, codeNow(secret), "EN"));
  },
};

/** Secrets of authenticators, by member. */
const secrets = new Map<string, string>();

async function makeOwner(merchant = perya): Promise<Owner> {
  made += 1;
  const email = `owner${made}@example.com`;
  const [mobile, otherMobile] = [freshMobile(), freshMobile()];
  const account = await harness.makeAccount({ merchant, email, emailVerified: true, mobile });
  const { session } = await harness.logInProven(account);
  return { merchant, session, browser: `browser ${made}`, account, email, mobile, otherMobile };
}

/** A person who has all that the owner has except this one thing. */
async function strangerTo(owner: Owner, what: string): Promise<User> {
  switch (what) {
    case "brand":
      return { ...owner, merchant: fiesta };
    case "browser":
      return { ...owner, browser: "another browser" };
    case "session":
      return { ...owner, session: (await harness.logInProven(owner.account)).session };
    case "member":
      return { ...owner, session: (await makeOwner()).session };
    default:
      throw new Error(`nobody differs by ${what}`);
  }
}

/** A log-in flow at a provider, as far as it concerns the owner. */
async function flow(browser: string, begunIn: Session | null): Promise<Open> {
  made += 1;
  const stateHash = hashOfToken(`state ${made}`);
  const kept = { stateHash, provider: "google" as const, browserHash: hashOfToken(browser) };
  await insertFlow(harness.db.pool, {
    ...{ ...kept, merchantId: perya.id, sealedVerifier: "sealed", nonce: "nonce" },
    adder: begunIn && { memberId: begunIn.memberId, sessionId: begunIn.id },
    expiresAt: harness.clock.now() + 10 * MINUTE_MS,
  });
  return {
    use: async (by) => {
      const given = { ...kept, merchantId: by.merchant.id, browserHash: hashOfToken(by.browser) };
      // What it then proves belongs to the session that began: see external-accounts.test.ts.
      if (begunIn !== null && by.session.id !== begunIn.id) return "external_login_failed";
      const found = await takeFlow(
        harness.db.pool,
        given,
        hashOfToken(`taken ${made}`),
        harness.clock.now(),
      );
      return found === null ? "external_login_failed" : "ok";
    },
  };
}

function byCode(code: string, take: (by: User, code: string) => Promise<boolean>): Open {
  const tried = async (by: User, given: string) => ((await take(by, given)) ? "ok" : "code_wrong");
  return { use: (by) => tried(by, code), guess: (by) => tried(by, wrong(code)) };
}

async function codeFor(purpose: "register" | "login" | "reset", mobileNum: string, by: User) {
  taken(
    await harness.codes.request(perya, {
      ...{ purpose, ...NUMBER, mobileNum, humanCheck: "solved" },
      asker: { browser: by.browser },
      ...{ address: `address of ${mobileNum}`, deviceHash: null, language: "EN" },
    }),
  );
  return codeTo(mobileNum);
}

async function codeTo(mobileNum: string): Promise<string> {
  const sms = present(await harness.newestTo(`+63${mobileNum}`), "the SMS");
  return present(/\b\d{6}\b/.exec(sms.text)?.[0], "a code in the SMS");
}

async function switchOn(session: Session): Promise<string> {
  const { secret } = taken(await harness.security.beginTotp(perya, session));
  taken(await harness.security.confirmTotp(perya, session, codeNow(secret), "EN"));
  secrets.set(session.memberId, secret);
  harness.clock.advance(MINUTE_MS);
  return secret;
}

function codeNow(secret: string): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: harness.clock.now() });
}

async function keepPasskey(session: Session): Promise<SoftwareAuthenticator> {
  const authenticator = new SoftwareAuthenticator();
  const begun = taken(await harness.passkeys.registrationOptions(perya, session, SITE));
  const response = authenticator.create({ challenge: String(begun.options.challenge), ...SITE });
  const given = { challengeId: begun.challengeId, name: "phone", response };
  taken(await harness.passkeys.register(perya, session, SITE, given, "EN"));
  return authenticator;
}

function signed(
  authenticator: SoftwareAuthenticator,
  { challengeId, options }: { challengeId: string; options: Record<string, unknown> },
) {
  const response = authenticator.get({ challenge: String(options.challenge), ...SITE });
  return { challengeId, response };
}

/** An identity module with an outside service that proves numbers. */
function identityBy(phoneProofs: PhoneProofs): Identity {
  const { clock, entropy, passwords, codes: smsCodes, secondFactor } = harness;
  const { pool } = harness.db;
  return new Identity({
    ...{ pool, clock, entropy, passwords, smsCodes, phoneProofs, secondFactor },
    captchas: createCaptchas(pool, clock, entropy),
    wallets: { open: async () => undefined, giveTrialCredit: async () => undefined },
  });
}

function externalAccounts(): ExternalAccounts {
  const { clock, sessions, ownerMails } = harness;
  const { pool } = harness.db;
  return new ExternalAccounts({ pool, clock, sessions, externalLogins: outside, ownerMails });
}

function addOutside({ id }: Account): Promise<void> {
  const outside = { merchantId: perya.id, provider: "google" as const, subject: `of ${id}` };
  return insertExternalMember(harness.db.pool, outside, id, harness.clock.now());
}

async function setDigits(session: Session): Promise<void> {
  const given = { paymentPassword: "739254", password: PASSWORD };
  taken(await harness.security.setPaymentPassword(perya, session, given, "EN"));
}

function always(merchant: Merchant): Merchant {
  const { settings } = merchant;
  const cashier = { ...settings.cashier, paymentPassword: "always" as const };
  return { ...merchant, settings: { ...settings, cashier } };
}

function numberOf(mobileNum: string) {
  return { dialingCode: "+63", mobileNum };
}

function wrong(code: string): string {
  return code === "000000" ? "000001" : "000000";
}

/** Numbers far enough apart to share no block. */
function freshMobile(): string {
  made += 1;
  return `917${String(made * 1_009).padStart(7, "0")}`;
}

function readRows(): Row[] {
  const page = new URL("../../../../../docs/security/factors.md", import.meta.url);
  const text = readFileSync(page, "utf8");
  const [, ...lines] = text.split("| Challenge |")[1]?.split("\n\n")[0]?.split("\n") ?? [];
  return lines.slice(1).map((line) => {
    const [, name = "", boundTo = "", time = "", tries = "", endedBy = ""] = line
      .split("|")
      .map((cell) => cell.trim());
    return {
      name,
      boundTo: listed(boundTo),
      goodForMs: msOf(time),
      tries,
      endedBy: listed(endedBy),
    };
  });
}

interface DeedRow {
  readonly name: string;
  readonly overtakenBy: readonly string[];
}

function readDeeds(): DeedRow[] {
  const page = new URL("../../../../../docs/security/factors.md", import.meta.url);
  const text = readFileSync(page, "utf8");
  const [, ...lines] = text.split("| What is done |")[1]?.split("\n\n")[0]?.split("\n") ?? [];
  return lines.slice(1).map((line) => {
    const [, name = "", overtakenBy = ""] = line.split("|").map((cell) => cell.trim());
    return { name, overtakenBy: listed(overtakenBy) };
  });
}

function listed(cell: string): string[] {
  return cell === "" ? [] : cell.split(", ");
}

function msOf(time: string): number {
  const [count = "", unit = ""] = time.split(" ");
  return Number(count) * (unit.startsWith("day") ? DAY_MS : MINUTE_MS);
}
