import { readFileSync } from "node:fs";
import { present } from "@perya/kernel/assert";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NEW, PASSWORD, PHONE } from "../../../../../../tests/server/account-harness.ts";
import { codeOf, isTaken, taken } from "../../../../../../tests/server/answers.ts";
import {
  always,
  type FactorsHarness,
  listed,
  NUMBER,
  numberOf,
  type Owner,
  openFactorsHarness,
  SITE,
  type User,
  WISH,
} from "../../../../../../tests/server/factors-harness.ts";
import { SoftwareAuthenticator } from "../../../../../../tests/server/software-authenticator.ts";
import { hashOfToken } from "../../../platform/bearer-token.ts";
import { createLogger } from "../../../platform/log.ts";
import type { Merchant } from "../../brand/brand.ts";
import { insertFlow, takeFlow } from "../external/external-login.store.ts";
import type { Session } from "../sessions/session.ts";
import { createPhoneProofs } from "./phone-proofs.ts";

/** An open challenge: `use` answers `ok`, or the code of its refusal. */
interface Open {
  use(by: User): Promise<string>;
  /** Wrong each time, for challenges that can be guessed. */
  guess?(by: User): Promise<string>;
}

type Begin = (owner: Owner) => Promise<Open>;

interface Row {
  readonly name: string;
  readonly boundTo: readonly string[];
  readonly goodForMs: number;
  readonly tries: string;
  readonly endedBy: readonly string[];
}

const ROWS = readRows();

const CHANGES_OF_PROOF = [
  ...["password", "payment password", "e-mail", "number", "authenticator"],
  ...["passkey off", "account outside off"],
];

let harness: FactorsHarness;
/** It sends every kind of code. */
let perya: Merchant;

beforeAll(async () => {
  harness = await openFactorsHarness("challenges");
  perya = harness.perya;
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(2 * DAY_MS));

const CHALLENGES: Readonly<Record<string, Begin>> = {
  "reset link": async ({ account, email }) => {
    const byMail = { ...perya, settings: { ...perya.settings, recoveryByPhone: false } };
    const asked = { username: account.username, email };
    taken(await harness.byMail.forgot(byMail, asked, { address: "203.0.113.7", language: "EN" }));
    const token = await harness.linkTo(email);
    let used = 0;
    return {
      use: async ({ merchant }) => {
        used += 1;
        // The same password again would be refused as already set.
        const newPassword = `${NEW}${used}`;
        const given = { token, newPassword, confirmNewPassword: newPassword };
        return codeOf(await harness.byMail.setByLink(merchant, given, "EN"));
      },
    };
  },

  "e-mail link": async ({ session }) => {
    const email = `asked${harness.next()}@example.com`;
    taken(
      await harness.contacts.sendEmailLink(perya, session, email, {
        address: "203.0.113.7",
        language: "EN",
      }),
    );
    const token = await harness.linkTo(email);
    return {
      use: async ({ merchant }) =>
        codeOf(await harness.contacts.verifyEmail(merchant, token, "EN")),
    };
  },

  "code to register": async (owner) => {
    const mobileNum = owner.otherMobile;
    const code = await harness.codeFor("register", mobileNum, owner);
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
    const code = await harness.codeFor("login", owner.mobile, owner);
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
    const code = await harness.codeFor("reset", mobile, owner);
    let used = 0;
    const set = async ({ merchant, browser }: User, verificationCode: string) => {
      const { username } = account;
      used += 1;
      const newPassword = `${NEW}${used}`;
      const given = { ...NUMBER, username, newPassword, mobileNum: mobile, verificationCode };
      const by = { language: "EN", asker: { browser } };
      return codeOf(await harness.byPhone.setByPhone(merchant, given, by));
    };
    return { use: (by) => set(by, code), guess: (by) => set(by, wrong(code)) };
  },

  "code to verify a number": async ({ session, otherMobile: mobileNum }) => {
    const asked = { ...NUMBER, mobileNum, humanCheck: "solved" };
    const caller = { address: `address ${harness.next()}`, deviceHash: null, language: "EN" };
    taken(await harness.contacts.sendMobileCode(perya, session, asked, caller));
    const code = await harness.codeTo(mobileNum);
    const verify = async ({ merchant, session: by }: User, verificationCode: string) => {
      await harness.sessions.prove(by.id);
      const given = { ...NUMBER, mobileNum, verificationCode };
      return codeOf(await harness.contacts.verifyMobile(merchant, by, given, "EN"));
    };
    return { use: (by) => verify(by, code), guess: (by) => verify(by, wrong(code)) };
  },

  "held log-in": async ({ account }) => {
    const { session } = await harness.logInProven(account);
    const secret = await harness.switchOn(session);
    const form = { type: "username" as const, username: account.username, password: PASSWORD };
    const held = taken(await harness.logins.login(perya, form, PHONE));
    if (!("pending" in held)) throw new Error("no second factor was asked for");
    const finish = async ({ merchant }: User, code: string) => {
      const given = { pending: held.pending, code };
      return codeOf(await harness.logins.finishSecondFactor(merchant, given, PHONE));
    };
    return {
      use: (by) => finish(by, harness.codeNow(secret)),
      guess: (by) => finish(by, wrong(harness.codeNow(secret))),
    };
  },

  "authenticator enrolment": async ({ session }) => {
    const { secret } = taken(await harness.twoFactor.begin(perya, session));
    return {
      use: async ({ merchant, session: by }) => {
        await harness.sessions.prove(by.id);
        return codeOf(await harness.twoFactor.confirm(merchant, by, harness.codeNow(secret), "EN"));
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
    const authenticator = await harness.keepPasskey(session);
    const begun = await harness.passkeys.loginOptions(perya, SITE);
    const given = harness.signed(authenticator, begun);
    return {
      use: async ({ merchant }) => {
        const owner = await harness.passkeys.owner(merchant, SITE, given);
        if (!owner.ok) return owner.error.code;
        return codeOf(await harness.logins.finishPasskeyLogin(merchant, owner.value, PHONE));
      },
    };
  },

  "passkey for a payment": async ({ session }) => {
    const authenticator = await harness.keepPasskey(session);
    const given = harness.signed(
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
    await harness.setDigits(session);
    const proof = { paymentPassword: "739254" };
    taken(await harness.paymentProofs.prove(always(perya), session, WISH, proof));
    let used = 0;
    return {
      use: async ({ merchant, session: by }) => {
        used += 1;
        const wish = { ...WISH, id: `wdr_${session.id}_${used}` };
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
    const firebaseIdToken = await harness.phoneService.token(`+63${mobile}`);
    const identity = harness.partsWith({
      phoneProofs: createPhoneProofs({
        ...{ pool: harness.db.pool, clock: harness.clock, service: harness.phoneService.config },
        log: createLogger({ level: "silent" }),
      }),
    });
    return {
      use: async ({ merchant }) =>
        codeOf(await identity.logins.login(merchant, { type: "firebase", firebaseIdToken }, PHONE)),
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
    const owner = await harness.makeOwner();
    const open = await begin(owner);
    expect(await open.use(owner)).toBe("ok");
    expect(await open.use(owner)).not.toBe("ok");
  });

  it.each(boundTo)(
    "is worth nothing to a person of another %s, and stays valid for its owner",
    async (what) => {
      const owner = await harness.makeOwner();
      const open = await begin(owner);
      const stranger = await strangerTo(owner, what);
      for (let i = 0; i < 6; i++) expect(await open.use(stranger)).not.toBe("ok");
      expect(await open.use(owner)).toBe("ok");
    },
  );

  it("is valid for its time, and not a moment longer", async () => {
    const owner = await harness.makeOwner();
    const open = await begin(owner);
    harness.clock.advance(goodForMs);
    expect(await open.use(owner)).not.toBe("ok");
    const again = await harness.makeOwner();
    const other = await begin(again);
    harness.clock.advance(goodForMs - 1);
    expect(await other.use(again)).toBe("ok");
  });

  const guessed = tries === "once" ? [] : [Number(tries)];
  it.each(guessed)("allows %i guesses", async (times) => {
    const owner = await harness.makeOwner();
    const open = await begin(owner);
    const guess = present(open.guess, "a wrong use");
    for (let i = 0; i < times; i++) expect(await guess(owner)).not.toBe("ok");
    expect(await open.use(owner)).not.toBe("ok");
  });

  it.each(endedBy)("is ended by: %s", async (event) => {
    const owner = await harness.makeOwner();
    const open = await begin(owner);
    const other = await harness.logInProven(owner.account);
    await present(EVENTS[event], `the case of ${event}`)(owner, other.session, begin);
    expect(await open.use(owner)).not.toBe("ok");
  });
});

describe.each(CHANGES_OF_PROOF)("a change of what proves who a member is: %s", (event) => {
  async function changed() {
    const owner = await harness.makeOwner();
    await harness.setDigits(owner.session);
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
    expect(await harness.changedAt(owner)).toBeGreaterThanOrEqual(before);
  });

  it("leaves nothing proven in any other session, and the session itself can begin nothing anew", async () => {
    const { owner, other } = await changed();
    const made = await harness.passkeys.registrationOptions(perya, owner.session, SITE);
    expect(codeOf(made)).toBe("fresh_login_needed");
    taken(await harness.passkeys.registrationOptions(perya, other, SITE));
  });
});

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
    taken(await harness.passwordChange.change(perya, session, given, "EN"));
  },
  "payment password": async ({ account }, session) => {
    const { hasPaymentPassword } = await harness.security.overview(session);
    const secret = harness.secrets.get(account.id);
    const proof = secret === undefined ? { password: PASSWORD } : { code: harness.codeNow(secret) };
    const by = hasPaymentPassword ? { current: "739254" } : proof;
    const given = { paymentPassword: "264815", ...by };
    taken(await harness.security.setPaymentPassword(perya, session, given, "EN"));
  },
  "e-mail": async (_owner, session) => {
    const email = `changed${harness.next()}@example.com`;
    taken(
      await harness.contacts.sendEmailLink(perya, session, email, {
        address: "203.0.113.7",
        language: "EN",
      }),
    );
    taken(await harness.contacts.verifyEmail(perya, await harness.linkTo(email), "EN"));
  },
  number: async (_owner, session) => {
    const mobileNum = harness.freshMobile();
    const asked = { ...NUMBER, mobileNum, humanCheck: "solved" };
    const caller = { address: `address ${harness.next()}`, deviceHash: null, language: "EN" };
    taken(await harness.contacts.sendMobileCode(perya, session, asked, caller));
    const given = { ...NUMBER, mobileNum, verificationCode: await harness.codeTo(mobileNum) };
    taken(await harness.contacts.verifyMobile(perya, session, given, "EN"));
  },
  "passkey off": async (_owner, session) => {
    if ((await harness.passkeys.list(session)).length === 0) await harness.keepPasskey(session);
    for (const { id } of await harness.passkeys.list(session)) {
      taken(await harness.passkeys.remove(perya, session, id, "EN"));
    }
  },
  "account outside off": async ({ account }, session) => {
    await harness.addOutside(account);
    taken(await harness.externalAccounts().remove(perya, session, "google", "EN"));
  },
  authenticator: async ({ account }, session) => {
    const secret = harness.secrets.get(account.id);
    if (secret === undefined) return harness.switchOn(session);
    harness.clock.advance(MINUTE_MS);
    return taken(await harness.twoFactor.remove(perya, session, harness.codeNow(secret), "EN"));
  },
};

/** A person who has all that the owner has except this one thing. */
async function strangerTo(owner: Owner, what: string): Promise<User> {
  switch (what) {
    case "brand":
      return { ...owner, merchant: harness.fiesta };
    case "browser":
      return { ...owner, browser: "another browser" };
    case "session":
      return { ...owner, session: (await harness.logInProven(owner.account)).session };
    case "member":
      return { ...owner, session: (await harness.makeOwner()).session };
    default:
      throw new Error(`nobody differs by ${what}`);
  }
}

/** A log-in flow at a provider, as far as it concerns the owner. */
async function flow(browser: string, begunIn: Session | null): Promise<Open> {
  const made = harness.next();
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

function wrong(code: string): string {
  return code === "000000" ? "000001" : "000000";
}

function readRows(): Row[] {
  const page = new URL("../../../../../../docs/security/factors.md", import.meta.url);
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

function msOf(time: string): number {
  const [count = "", unit = ""] = time.split(" ");
  return Number(count) * (unit.startsWith("day") ? DAY_MS : MINUTE_MS);
}
