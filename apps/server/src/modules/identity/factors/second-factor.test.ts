import { DAY_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Account,
  type AccountHarness,
  type NewAccount,
  openAccountHarness,
  PASSWORD,
  PHONE,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, isTaken, taken } from "../../../../../../tests/server/answers.ts";
import { whileBroken } from "../../../../../../tests/server/broken-statement.ts";
import { overtaken } from "../../../../../../tests/server/overtaken.ts";
import { NoTurn } from "../../../platform/turns.ts";
import { KnownDevices } from "../defence/known-devices.ts";
import type { Session } from "../sessions/session.ts";
import type { Device } from "../sessions/sessions.ts";
import { sweepPending } from "./second-factor.store.ts";
import { type PendingLogin, SecondFactor } from "./second-factor.ts";
import { removeTotp } from "./totp.store.ts";
import { Totp } from "./totp.ts";

const STEP_MS = 30 * SECOND_MS;

let harness: AccountHarness;

beforeAll(async () => {
  harness = await openAccountHarness("second factor");
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("an authenticator app", () => {
  it("is in force once its first code is given, and a verified address gets a mail", async () => {
    const email = "appuser@example.com";
    const account = await harness.makeAccount({ email, emailVerified: true });
    const { session } = await harness.logInProven(account);
    const begun = taken(await harness.twoFactor.begin(harness.perya, session));
    expect(Buffer.from(Secret.fromBase32(begun.secret).bytes)).toHaveLength(20);
    const uri = new URL(begun.uri);
    expect(uri.href).toMatch(/^otpauth:\/\/totp\//);
    expect(uri.searchParams.get("secret")).toBe(begun.secret);
    expect(uri.searchParams.get("issuer")).toBe(harness.perya.name);
    expect(await harness.secondFactor.needed(account.id)).toBe(false);
    const wrong = await harness.twoFactor.confirm(
      harness.perya,
      session,
      notOf(begun.secret),
      "EN",
    );
    expect(codeOf(wrong)).toBe("code_wrong");
    const codes = taken(
      await harness.twoFactor.confirm(harness.perya, session, codeFor(begun.secret), "EN"),
    );
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(await harness.secondFactor.needed(account.id)).toBe(true);
    expect((await harness.newestTo(email))?.subject).toContain("is on");
  });

  it("cannot be replaced or confirmed again while one is in force, and can be switched off", async () => {
    const { account, secret } = await withApp();
    const { session } = await harness.logInProven(account);
    expect(codeOf(await harness.twoFactor.begin(harness.perya, session))).toBe("wrong_state");
    const again = await harness.twoFactor.confirm(harness.perya, session, codeFor(secret), "EN");
    expect(codeOf(again)).toBe("wrong_state");
    taken(await switchOff(session, codeFor(secret)));
    expect(await harness.secondFactor.needed(account.id)).toBe(false);
    expect(await harness.totp.recoveryCodesLeft(account.id)).toBe(0);
    expect(codeOf(await switchOff(session, codeFor(secret)))).toBe("wrong_state");
    taken(await harness.twoFactor.begin(harness.perya, session));
  });

  it("is removed by a code only, however fresh the login is, and few tries are allowed", async () => {
    const { account, secret, codes } = await withApp();
    const { session } = await harness.logInProven(account);
    const wrong = await Promise.all(
      Array.from({ length: 8 }, () => switchOff(session, notOf(secret))),
    );
    expect(wrong.map(codeOf).filter((code) => code === "code_wrong")).toHaveLength(5);
    expect(codeOf(await switchOff(session, codeFor(secret)))).toBe("rate_limited");
    expect(await harness.secondFactor.needed(account.id)).toBe(true);
    // An hour after the log-in, and also by a recovery code.
    harness.clock.advance(60 * MINUTE_MS);
    taken(await switchOff(session, codes[0] ?? ""));
    expect(await harness.secondFactor.needed(account.id)).toBe(false);
  });

  it("is confirmed by the session that began it, within half an hour", async () => {
    const account = await harness.makeAccount();
    const [here, there] = [await harness.logInProven(account), await harness.logInProven(account)];
    const { secret } = taken(await harness.twoFactor.begin(harness.perya, here.session));
    const confirm = (session: Session) =>
      harness.twoFactor.confirm(harness.perya, session, codeFor(secret), "EN");
    expect(codeOf(await confirm(there.session))).toBe("wrong_state");
    harness.clock.advance(30 * MINUTE_MS);
    taken(await harness.security.prove(here.session, { password: PASSWORD }));
    expect(codeOf(await confirm(here.session))).toBe("wrong_state");
    harness.clock.advance(-1);
    taken(await confirm(here.session));
  });

  it("gets ten new recovery codes in place of the earlier ones, and a verified address gets a mail", async () => {
    const email = "codesuser@example.com";
    const { account, codes } = await withApp({ email, emailVerified: true });
    const { session } = await harness.logInProven(account);
    taken(await finish((await logIn(account)).pending, codes[0] ?? ""));
    const renewed = taken(await harness.twoFactor.renewRecoveryCodes(harness.perya, session, "EN"));
    expect(new Set([...codes, ...renewed]).size).toBe(20);
    expect(await harness.totp.recoveryCodesLeft(account.id)).toBe(10);
    const { pending } = await logIn(account);
    expect(codeOf(await finish(pending, codes[1] ?? ""))).toBe("code_wrong");
    taken(await finish(pending, renewed[0] ?? ""));
    expect((await harness.newestTo(email))?.subject).toContain("New recovery codes");
    taken(await harness.twoFactor.renewRecoveryCodes(harness.perya, session, "TY"));
    expect((await harness.newestTo(email))?.subject).toContain("Mga bagong recovery code");
  });

  it("gets no recovery codes while it is off, or if it is switched off meanwhile", async () => {
    const { session } = await harness.logInProven(await harness.makeAccount());
    const renew = (by: Session) => harness.twoFactor.renewRecoveryCodes(harness.perya, by, "EN");
    expect(codeOf(await renew(session))).toBe("wrong_state");
    const { account } = await withApp();
    const { session: owner } = await harness.logInProven(account);
    const done = await overtaken(
      harness.db.pool,
      account.id,
      () => renew(owner),
      (client) => removeTotp(client, account.id),
    );
    expect(codeOf(done)).toBe("wrong_state");
    expect(await harness.totp.recoveryCodesLeft(account.id)).toBe(0);
  });

  it("voids by new recovery codes what was begun or proven by the earlier ones, except in their own session", async () => {
    const { account, secret } = await withApp();
    const [here, there] = [await harness.logInProven(account), await harness.logInProven(account)];
    const held = await logIn(account);
    taken(await harness.twoFactor.renewRecoveryCodes(harness.perya, here.session, "EN"));
    expect(codeOf(await finish(held.pending, codeFor(secret)))).toBe("link_spent");
    const fresh = await Promise.all(
      [here, there].map(({ session }) => harness.sessions.admitFresh(session)),
    );
    expect(fresh.map(codeOf)).toEqual(["ok", "fresh_login_needed"]);
  });

  it("can get recovery codes from the member who switched it on and lost the answer, without another proof", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    const { secret } = taken(await harness.twoFactor.begin(harness.perya, session));
    const confirm = () => harness.twoFactor.confirm(harness.perya, session, codeFor(secret), "EN");
    taken(await confirm());
    expect(codeOf(await confirm())).toBe("wrong_state");
    const codes = taken(await harness.twoFactor.renewRecoveryCodes(harness.perya, session, "EN"));
    taken(await switchOff(session, codes[0] ?? ""));
  });

  it("is set by a proof of its owner only, and a log-in is no such proof", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logIn(account);
    const tries = [
      await harness.twoFactor.begin(harness.perya, session),
      await harness.twoFactor.confirm(harness.perya, session, "123456", "EN"),
      await harness.twoFactor.renewRecoveryCodes(harness.perya, session, "EN"),
    ];
    expect(tries.map(codeOf)).toEqual(Array(3).fill("fresh_login_needed"));
  });

  it("has its code taken once, also a step late or early, and never two steps off", async () => {
    const { account, secret } = await withApp();
    harness.clock.advance(2 * STEP_MS);
    const now = harness.clock.now();
    const take = (at: number) => takeCode(account.id, codeFor(secret, at));
    expect(await take(now - 2 * STEP_MS)).toBe(false);
    expect(await take(now + 2 * STEP_MS)).toBe(false);
    const both = await Promise.all([take(now), take(now)]);
    expect(both.sort()).toEqual([false, true]);
    expect(await take(now)).toBe(false);
    expect(await take(now + STEP_MS)).toBe(true);
    harness.clock.advance(3 * STEP_MS);
    expect(await take(harness.clock.now() - STEP_MS)).toBe(true);
    expect(await take(harness.clock.now() - STEP_MS)).toBe(false);
  });

  it("has no code taken once another one replaced it, even a code that was found right before", async () => {
    const { account, secret, codes } = await withApp();
    const judged = [
      await harness.totp.judge(account.id, codeFor(secret)),
      await harness.totp.judge(account.id, codes[0] ?? ""),
    ];
    const { pool } = harness.db;
    // As another is switched on, whose recovery codes begin alike.
    await pool.query("UPDATE member_totp SET sealed_secret = 'another' WHERE member_id = $1", [
      account.id,
    ]);
    await pool.query("UPDATE recovery_codes SET code_hash = 'another' WHERE member_id = $1", [
      account.id,
    ]);
    for (const take of judged) expect(await isTaken(pool, Promise.resolve(take))).toBe(false);
    expect(judged).not.toContain(null);
  });

  it("has its secret sealed in the database, and another key opens nothing", async () => {
    const { account, secret, codes } = await withApp();
    const { rows } = await harness.db.pool.query(
      "SELECT sealed_secret, prefix, code_hash FROM member_totp NATURAL JOIN recovery_codes WHERE member_id = $1",
      [account.id],
    );
    const text = JSON.stringify(rows);
    expect(text).not.toContain(secret);
    for (const code of codes) expect(text).not.toContain(code.replace("-", ""));
    for (const { code_hash } of rows) expect(code_hash).toMatch(/^\$argon2id\$/);
    expect(new Set(rows.map(({ prefix }) => prefix)).size).toBe(10);
    const { clock, entropy, db, passwords } = harness;
    const given = { pool: db.pool, clock, entropy, passwords };
    const other = new Totp({ ...given, secret: "a key of another time" });
    harness.clock.advance(2 * STEP_MS);
    expect(await other.judge(account.id, codeFor(secret))).toBeNull();
    expect(await other.judge(account.id, codes[0] ?? "")).toBeNull();
  });
});

describe("a login with a second factor", () => {
  it("opens no session before the code is right", async () => {
    const { account, secret } = await withApp();
    const sessions = await countSessions(account);
    const held = await logIn(account);
    expect(held.expiresAt).toBe(harness.clock.now() + 5 * MINUTE_MS);
    expect(await countSessions(account)).toBe(sessions);
    const done = taken(await finish(held.pending, codeFor(secret)));
    expect(await harness.isOpen(account, done.halves)).toBe(true);
    expect(await outcomesOf(account)).toEqual(["done"]);
    expect(codeOf(await finish(held.pending, codeFor(secret)))).toBe("link_spent");
  });

  it("[A8-13] ends on no host that would not have let its member begin it", async () => {
    const { account, secret } = await withApp();
    const { perya } = harness;
    const settings = { ...perya.settings, agentHosts: ["agents.perya.test"] };
    const given = { pending: (await logIn(account)).pending, code: codeFor(secret) };
    const byHost = (host: string) =>
      harness.logins.finishSecondFactor({ ...perya, settings }, given, { ...PHONE, host });
    expect(codeOf(await byHost("agents.perya.test"))).toBe("not_agent_account");
    expect(codeOf(await byHost("perya.test"))).toBe("ok");
  });

  it("takes a recovery code in any spelling, each once", async () => {
    const { account, codes } = await withApp();
    const [first = "", second = ""] = codes;
    const loose = ` ${first.toLowerCase().replace("-", "").replaceAll("0", "o").replaceAll("1", "l")}`;
    taken(await finish((await logIn(account)).pending, loose.trim()));
    expect(await harness.totp.recoveryCodesLeft(account.id)).toBe(9);
    const { pending } = await logIn(account);
    expect(codeOf(await finish(pending, first))).toBe("code_wrong");
    taken(await finish(pending, second));
  });

  it("compares a recovery code with one hash, for any input", async () => {
    const { account, codes } = await withApp();
    const stranger = await harness.makeAccount();
    const [code = ""] = codes;
    const end = code.endsWith("0") ? "1" : "0";
    for (const [id, given] of [
      [account.id, code.slice(0, -1) + end],
      [account.id, "0000-0000"],
      [stranger.id, code],
      [account.id, code],
      [account.id, code],
    ] as const) {
      const before = harness.passwords.work;
      await takeCode(id, given);
      expect(harness.passwords.work - before).toBe(1);
    }
    const many = await Promise.all([1, 2, 3].map(() => takeCode(account.id, codes[1] ?? "")));
    expect(many.filter((right) => right)).toHaveLength(1);
  });

  it("is also required after a reset by mail, which opens no session", async () => {
    const email = "reset.with.app@example.com";
    const { account, secret } = await withApp({ email, emailVerified: true });
    const { username } = account;
    const sessions = await countSessions(account);
    const by = { address: PHONE.address, language: "EN" };
    taken(await harness.byMail.forgot(harness.perya, { username, email }, by));
    const token = await harness.linkTo(email);
    const newPassword = "Sampaguita77";
    const given = { token, newPassword, confirmNewPassword: newPassword };
    taken(await harness.byMail.setByLink(harness.perya, given, "EN"));
    expect(await countSessions(account)).toBe(sessions);
    const { pending } = await logIn(account, newPassword);
    expect(codeOf(await finish(pending, notOf(secret)))).toBe("code_wrong");
    taken(await finish(pending, codeFor(secret)));
  });

  it("ends after five tries or five minutes, and belongs to one brand", async () => {
    const { account, secret } = await withApp();
    const first = await logIn(account);
    const wrong = notOf(secret);
    for (let i = 0; i < 5; i++)
      expect(codeOf(await finish(first.pending, wrong))).toBe("code_wrong");
    expect(codeOf(await finish(first.pending, codeFor(secret)))).toBe("link_spent");
    expect(await outcomesOf(account)).toEqual(Array(5).fill("second_factor_wrong"));
    const second = await logIn(account);
    const abroad = { pending: second.pending, code: codeFor(secret) };
    const foreign = await harness.logins.finishSecondFactor(harness.fiesta, abroad, PHONE);
    expect(codeOf(foreign)).toBe("link_spent");
    harness.clock.advance(5 * MINUTE_MS);
    expect(codeOf(await finish(second.pending, codeFor(secret)))).toBe("link_spent");
    await sweepPending(harness.db.pool, harness.clock.now());
    const { rowCount } = await harness.db.pool.query("SELECT FROM pending_logins");
    expect(rowCount).toBe(0);
  });

  it("judges five codes at most, even if many come at once", async () => {
    const { account, secret } = await withApp();
    const { pending } = await logIn(account);
    const wrong = notOf(secret);
    const tries = await Promise.all(Array.from({ length: 50 }, () => finish(pending, wrong)));
    const codes = tries.map(codeOf);
    expect(codes.filter((code) => code === "code_wrong")).toHaveLength(5);
    expect(codes.filter((code) => code === "link_spent")).toHaveLength(45);
  });

  it("loses no try to a code that nobody had time to judge", async () => {
    const { account, secret, codes } = await withApp();
    const { pending } = await logIn(account);
    const { clock, entropy, ownerMails } = harness;
    const { pool } = harness.db;
    const passwords = {
      hash: async () => "",
      matches: () => Promise.reject(new NoTurn("too many wait for this")),
      isDated: () => false,
    };
    const totp = new Totp({ pool, clock, entropy, passwords, secret: "none is opened" });
    const crowded = new SecondFactor({ pool, clock, entropy, totp, ownerMails });
    const given = { pending, code: codes[0] ?? "" };
    const judged = () => crowded.judge(harness.perya, given, undefined);
    await Promise.all([1, 2, 3, 4, 5].map(() => expect(judged()).rejects.toThrow(NoTurn)));
    await expect(judged()).rejects.toThrow(NoTurn);
    for (let i = 0; i < 4; i++) {
      expect(codeOf(await finish(pending, notOf(secret)))).toBe("code_wrong");
    }
    taken(await finish(pending, codes[0] ?? ""));
  });

  it("loses no try to a right code whose session was not begun", async () => {
    const { account, secret } = await withApp();
    const { pending } = await logIn(account);
    const given = { pending, code: codeFor(secret) };
    for (let i = 0; i < 6; i++) {
      const judged = taken(await harness.secondFactor.judge(harness.perya, given, undefined));
      expect(judged.take).not.toBeNull();
    }
    taken(await finish(pending, given.code));
  });

  it("loses no try to a code that came after too many wrong ones", async () => {
    const { account, secret } = await withApp();
    const wrong = notOf(secret);
    for (const { pending } of [await logIn(account), await logIn(account)]) {
      for (let i = 0; i < 5; i++) await finish(pending, wrong);
    }
    harness.clock.advance(12 * MINUTE_MS);
    const { pending } = await logIn(account);
    for (let i = 0; i < 6; i++) {
      expect(codeOf(await finish(pending, codeFor(secret)))).toBe("rate_limited");
    }
    harness.clock.advance(3 * MINUTE_MS);
    taken(await finish(pending, codeFor(secret)));
  });

  it.each(["sessions", "known_devices", "login_events"])(
    "leaves a recovery code and the held log-in valid if the connection ends at the row of %s",
    async (table) => {
      const { account, codes } = await withApp();
      const { pending } = await logIn(account);
      const sessions = await countSessions(account);
      const enter = () => finish(pending, codes[0] ?? "");
      const broken = { table, does: "INSERT" } as const;
      await expect(whileBroken(harness.db.pool, broken, enter)).rejects.toThrow();
      expect(await countSessions(account)).toBe(sessions);
      taken(await enter());
      expect(await countSessions(account)).toBe((sessions ?? 0) + 1);
      expect(codeOf(await enter())).toBe("link_spent");
    },
  );

  it("limits the wrong codes of a member, over any number of logins and at once", async () => {
    const { account, secret } = await withApp();
    const wrong = notOf(secret);
    const held = [await logIn(account), await logIn(account), await logIn(account)];
    const tries = await Promise.all(
      held.flatMap(({ pending }) => Array.from({ length: 5 }, () => finish(pending, wrong))),
    );
    const codes = tries.map(codeOf);
    expect(codes.filter((code) => code === "code_wrong")).toHaveLength(10);
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(5);
    harness.clock.advance(15 * MINUTE_MS);
    taken(await finish((await logIn(account)).pending, codeFor(secret)));
  });

  it("limits wrong codes to twenty a day, and keeps a separate share for the owner's own browser", async () => {
    const { account, secret } = await withApp();
    const { deviceToken } = taken(await finish((await logIn(account)).pending, codeFor(secret)));
    const home = { ...PHONE, token: deviceToken ?? undefined };
    const wrong = notOf(secret);
    /** Five guesses, as one held log-in allows. */
    const guess = async (from: Device = PHONE) => {
      const { pending } = await logIn(account, PASSWORD, from);
      const tries = Array.from({ length: 5 }, () => finish(pending, wrong, from));
      return (await Promise.all(tries)).map(codeOf);
    };
    const day: string[] = [];
    for (let hour = 0; hour < 23; hour++) {
      day.push(...(await guess()), ...(await guess()));
      harness.clock.advance(60 * MINUTE_MS);
    }
    expect(day.filter((code) => code === "code_wrong")).toHaveLength(20);
    // The owner logs in from a known browser, and from another when the day is over.
    const atHome = await logIn(account);
    taken(await finish(atHome.pending, codeFor(secret), home));
    harness.clock.advance(DAY_MS);
    taken(await finish((await logIn(account)).pending, codeFor(secret)));
    const known = [...(await guess(home)), ...(await guess(home)), ...(await guess(home))];
    expect(known.filter((code) => code === "rate_limited")).toHaveLength(5);
  });

  it("limits the wrong codes of all browsers together that a person with the password makes known", async () => {
    const { account, secret } = await withApp();
    const wrong = notOf(secret);
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const browsers: Device[] = [];
    for (let i = 0; i < 12; i++) {
      const token = await devices.tokenOf(undefined);
      await devices.note(account.id, token);
      browsers.push({ ...PHONE, token });
    }
    const codes: string[] = [];
    for (let hour = 0; hour < 3; hour++) {
      for (const from of browsers) {
        const { pending } = await logIn(account, PASSWORD, from);
        codes.push(codeOf(await finish(pending, wrong, from)));
        codes.push(codeOf(await finish(pending, wrong, from)));
      }
      harness.clock.advance(60 * MINUTE_MS);
    }
    expect(codes.filter((code) => code === "code_wrong")).toHaveLength(20);
  });

  it.each([
    ["TY", "maling code"],
    ["EN", "wrong codes"],
  ])(
    "mails a verified address about five wrong codes, once a day, in %s",
    async (language, words) => {
      const email = `guessed.${language}@example.com`;
      const { account, secret } = await withApp({ email, emailVerified: true });
      const settings = { ...harness.perya.settings, defaultLanguage: language };
      const merchant = { ...harness.perya, settings };
      const wrong = notOf(secret);
      const guess = async () =>
        harness.logins.finishSecondFactor(
          merchant,
          { pending: (await logIn(account)).pending, code: wrong },
          PHONE,
        );
      const told = async () => {
        await harness.newestTo(email);
        const all = harness.outbox
          .messages()
          .filter(({ to, text }) => to === email && text.includes(words));
        return all.length;
      };
      for (let i = 0; i < 4; i++) await guess();
      expect(await told()).toBe(0);
      for (let i = 0; i < 3; i++) await guess();
      expect(await told()).toBe(1);
      harness.clock.advance(DAY_MS);
      for (let i = 0; i < 5; i++) await guess();
      expect(await told()).toBe(2);
    },
  );

  it("is void once the password is changed", async () => {
    const { account, secret } = await withApp();
    const { pending } = await logIn(account);
    const { session } = await harness.logInProven(account);
    const changed = { newPassword: "Sampaguita77", confirmNewPassword: "Sampaguita77" };
    const given = { oldPassword: PASSWORD, ...changed };
    taken(await harness.passwordChange.change(harness.perya, session, given, "EN"));
    expect(codeOf(await finish(pending, codeFor(secret)))).toBe("link_spent");
  });

  it("stores its pending token as a hash", async () => {
    const { account } = await withApp();
    const { pending } = await logIn(account);
    const { rows } = await harness.db.pool.query("SELECT * FROM pending_logins");
    expect(JSON.stringify(rows)).not.toContain(pending);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(pending).toString("hex"));
  });
});

function codeFor(secret: string, timestamp = harness.clock.now()): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp });
}

/** Six digits that are right in none of the steps valid now or in the next hour. */
function notOf(secret: string): string {
  const near = new Set(
    Array.from({ length: 130 }, (_, i) => codeFor(secret, harness.clock.now() + (i - 5) * STEP_MS)),
  );
  for (let guess = 0; ; guess++) {
    const code = String(guess).padStart(6, "0");
    if (!near.has(code)) return code;
  }
}

/** A member with two-factor login, a few steps ago. */
async function withApp(
  given: NewAccount = {},
): Promise<{ account: Account; secret: string; codes: string[] }> {
  const account = await harness.makeAccount(given);
  const { session } = await harness.logInProven(account);
  const { secret } = taken(await harness.twoFactor.begin(harness.perya, session));
  const codes = taken(
    await harness.twoFactor.confirm(harness.perya, session, codeFor(secret), "EN"),
  );
  harness.clock.advance(3 * STEP_MS);
  return { account, secret, codes };
}

async function logIn(
  { username }: Account,
  password = PASSWORD,
  from: Device = PHONE,
): Promise<PendingLogin> {
  const form = { type: "username" as const, username, password };
  const result = taken(await harness.logins.login(harness.perya, form, from));
  if (!("pending" in result)) throw new Error("the session was opened at once");
  return result;
}

function finish(
  pending: string,
  code: string,
  from: Device = PHONE,
): ReturnType<typeof harness.logins.finishSecondFactor> {
  return harness.logins.finishSecondFactor(harness.perya, { pending, code }, from);
}

function switchOff(session: Session, code: string) {
  return harness.twoFactor.remove(harness.perya, session, code, "EN");
}

async function countSessions({ id }: Account): Promise<number | null> {
  return (await harness.db.pool.query("SELECT FROM sessions WHERE member_id = $1", [id])).rowCount;
}

async function outcomesOf({ id }: Account): Promise<string[]> {
  const { rows } = await harness.db.pool.query<{ outcome: string }>(
    "SELECT outcome FROM login_events WHERE member_id = $1 ORDER BY at, id",
    [id],
  );
  return rows.map(({ outcome }) => outcome);
}

function takeCode(memberId: string, code: string): Promise<boolean> {
  return isTaken(harness.db.pool, harness.totp.judge(memberId, code));
}
