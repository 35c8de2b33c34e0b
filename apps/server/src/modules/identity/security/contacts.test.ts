import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Account,
  type AccountHarness,
  openAccountHarness,
  PHONE,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import type { Session } from "../sessions/session.ts";

let harness: AccountHarness;

beforeAll(async () => {
  harness = await openAccountHarness("contacts");
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("an e-mail address", () => {
  it("becomes the account's once its link is opened, and the earlier one gets a mail", async () => {
    const [before, after] = [harness.freshEmail(), harness.freshEmail()];
    const account = await harness.makeAccount({ email: before, emailVerified: true });
    const { session } = await harness.logInProven(account);
    taken(await sendLink(session, after));
    expect(await harness.security.overview(session)).toMatchObject({
      email: { masked: "p•••@example.com", verified: true },
      pendingEmail: "p•••@example.com",
    });
    expect(await emailOf(account)).toBe(before);
    const token = await harness.linkTo(after);
    expect(taken(await verify(token))).toEqual({ email: after });
    expect(await emailOf(account)).toBe(after);
    expect((await harness.security.overview(session)).pendingEmail).toBeNull();
    const told = present(await harness.newestTo(before), "the mail");
    expect(told.subject).toContain("was changed");
    expect(codeOf(await verify(token))).toBe("link_spent");
  });

  it("can be verified for a day, by the newest link, at its own brand", async () => {
    const email = harness.freshEmail();
    const { session } = await harness.logInProven(await harness.makeAccount());
    taken(await sendLink(session, email));
    const first = await harness.linkTo(email);
    taken(await sendLink(session, email));
    const second = await harness.linkTo(email);
    expect(codeOf(await verify(first))).toBe("link_spent");
    expect(codeOf(await harness.contacts.verifyEmail(harness.fiesta, second, "EN"))).toBe(
      "link_spent",
    );
    // A link of one purpose is not valid for the other.
    expect(codeOf(await harness.byMail.linkOwner(harness.perya, second))).toBe("link_spent");
    harness.clock.advance(DAY_MS);
    expect(codeOf(await verify(second))).toBe("link_spent");
  });

  it.each([
    ["a log-out of it", async (asked: Opened) => harness.sessions.end(asked.session.id)],
    [
      "its owner, of this one",
      async (asked: Opened, owner: Opened) =>
        taken(await harness.security.endSession(owner.session, asked.session.id)),
    ],
    [
      "its owner, of all others",
      async (_: Opened, owner: Opened) => harness.security.endOtherSessions(owner.session),
    ],
    [
      "another log-in in its browser",
      async (asked: Opened, owner: Opened) => {
        const { rows } = await harness.db.pool.query("SELECT * FROM members WHERE id = $1", [
          owner.session.memberId,
        ]);
        const held = { ...PHONE, session: asked.halves.cookie };
        await harness.sessions.start(rows[0], held, "password");
      },
    ],
  ])("cannot be verified once the session that asked has ended, by %s", async (_, end) => {
    const email = harness.freshEmail();
    const account = await harness.makeAccount({ email, emailVerified: true });
    const [thief, owner] = [await harness.logInProven(account), await harness.logInProven(account)];
    const theirs = harness.freshEmail();
    taken(await sendLink(thief.session, theirs));
    const token = await harness.linkTo(theirs);
    await end(thief, owner);
    expect(codeOf(await verify(token))).toBe("link_spent");
    expect((await harness.security.overview(owner.session)).pendingEmail).toBeNull();
    expect(await emailOf(account)).toBe(email);
  });

  it("belongs to the first who opens a link, and a request does not tell whose it is", async () => {
    const email = harness.freshEmail();
    await harness.makeAccount({ email });
    const one = await harness.logInProven(await harness.makeAccount());
    const two = await harness.logInProven(await harness.makeAccount());
    taken(await sendLink(one.session, email.toUpperCase()));
    const first = await harness.linkTo(email.toUpperCase());
    taken(await sendLink(two.session, email));
    const second = await harness.linkTo(email);
    taken(await verify(first));
    expect(codeOf(await verify(second))).toBe("email_taken");
    const elsewhere = await harness.makeAccount({ merchant: harness.fiesta });
    const there = await harness.logInProven(elsewhere);
    taken(
      await harness.contacts.sendEmailLink(harness.fiesta, there.session, email, {
        address: "203.0.113.7",
        language: "EN",
      }),
    );
    const third = await harness.linkTo(email);
    taken(await harness.contacts.verifyEmail(harness.fiesta, third, "EN"));
  });

  it("gets three links an hour from one member, six from one address and twelve from all", async () => {
    const email = harness.freshEmail();
    const from = async (address: string, times: number, to = email) => {
      const { session } = await harness.logInProven(await harness.makeAccount());
      const by = { address, language: "EN" };
      const codes = [];
      for (let time = 0; time < times; time++) {
        codes.push(codeOf(await harness.contacts.sendEmailLink(harness.perya, session, to, by)));
      }
      return codes.filter((code) => code === "ok").length;
    };
    expect(await from("203.0.113.7", 4)).toBe(3);
    // Another member behind the same address has as many of their own.
    expect(await from("203.0.113.7", 4)).toBe(3);
    expect(await from("203.0.113.7", 1)).toBe(0);
    // Another spelling of the same inbox.
    expect(await from("203.0.113.7", 1, email.replace("@", "+spam@"))).toBe(0);
    expect(await from("2001:db8:1:1::1", 3)).toBe(3);
    expect(await from("2001:db8:1:2::1", 3)).toBe(3);
    expect(await from("198.51.100.1", 1)).toBe(0);
    harness.clock.advance(HOUR_MS);
    for (const block of [1, 2, 3]) {
      expect(await from(`2001:db8:1:${block}::1`, 3)).toBe(block === 3 ? 0 : 3);
    }
  });

  it("loses none of its links to a mail server that is away", async () => {
    const { session } = await harness.logInProven(await harness.makeAccount());
    const [email, by] = [harness.freshEmail(), { address: "203.0.113.8", language: "EN" }];
    const away = harness.partsWith({
      mailer: { send: async () => refuse("unavailable") },
    }).contacts;
    for (let tries = 0; tries < 5; tries++) {
      const sent = await away.sendEmailLink(harness.perya, session, email, by);
      expect(codeOf(sent)).toBe("message_unavailable");
    }
    taken(await harness.contacts.sendEmailLink(harness.perya, session, email, by));
  });

  it("that no mail reaches is refused as wrong; if the server is away the member can try again", async () => {
    const { session } = await harness.logInProven(await harness.makeAccount());
    const answers: [Result<void, "refused" | "unavailable">, string][] = [
      [refuse("refused"), "email bad_format"],
      [refuse("unavailable"), "message_unavailable"],
      [ok(undefined), "ok"],
    ];
    for (const [answer, code] of answers) {
      const sender = harness.partsWith({ mailer: { send: async () => answer } }).contacts;
      const sent = await sender.sendEmailLink(harness.perya, session, harness.freshEmail(), {
        address: "203.0.113.7",
        language: "EN",
      });
      expect(codeOf(sent)).toBe(code);
      const { pendingEmail } = await harness.security.overview(session);
      // A mail whose answer was lost may arrive, and its link is valid then.
      expect(pendingEmail === null).toBe(!answer.ok && answer.error === "refused");
    }
    const mute = await harness
      .partsWith({ mailer: null })
      .contacts.sendEmailLink(harness.perya, session, harness.freshEmail(), {
        address: "203.0.113.7",
        language: "EN",
      });
    expect(codeOf(mute)).toBe("feature_off");
  });
});

describe("a mobile number", () => {
  it("becomes the account's by the code that was sent to it", async () => {
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    const mobileNum = harness.freshMobile();
    const { expirationTime } = taken(await harness.sendCode(session, `0${mobileNum}`));
    expect(expirationTime).toBe(harness.clock.now() + MINUTE_MS);
    const code = await harness.codeTo(mobileNum);
    const wrong = code === "000000" ? "111111" : "000000";
    expect(codeOf(await harness.verifyMobile(session, mobileNum, wrong))).toBe("code_wrong");
    expect(taken(await harness.verifyMobile(session, mobileNum, code))).toEqual({
      masked: `+63${mobileNum.slice(0, 3)}•••${mobileNum.slice(-4)}`,
    });
    expect((await harness.security.overview(session)).mobile?.verified).toBe(true);
    expect(codeOf(await harness.verifyMobile(session, mobileNum, code))).toBe("code_wrong");
    expect(codeOf(await harness.sendCode(session, "917"))).toBe("mobileNum too_short");
  });

  it("that becomes the account's is announced to a verified address, masked", async () => {
    const email = harness.freshEmail();
    const { session } = await harness.logInProven(
      await harness.makeAccount({ email, emailVerified: true }),
    );
    const mobileNum = harness.freshMobile();
    taken(await harness.sendCode(session, mobileNum));
    const { masked } = taken(
      await harness.verifyMobile(session, mobileNum, await harness.codeTo(mobileNum)),
    );
    const mail = present(await harness.newestTo(email), "the mail");
    expect(mail.subject).toContain("mobile number");
    expect(mail.text).toContain(masked);
    expect(mail.text).not.toContain(mobileNum);
  });

  it("is verified only in the session that asked for its code", async () => {
    const mobileNum = harness.freshMobile();
    const account = await harness.makeAccount();
    const { session } = await harness.logInProven(account);
    taken(await harness.sendCode(session, mobileNum));
    const code = await harness.codeTo(mobileNum);
    const again = (await harness.logInProven(account)).session;
    const stranger = (await harness.logInProven(await harness.makeAccount())).session;
    for (const other of [again, stranger]) {
      for (let i = 0; i < 6; i++) {
        expect(codeOf(await harness.verifyMobile(other, mobileNum, code))).toBe("code_wrong");
      }
    }
    taken(await harness.verifyMobile(session, mobileNum, code));
  });

  it("that another member has verified stays theirs; at another brand it is free", async () => {
    const mobileNum = harness.freshMobile();
    await harness.makeAccount({ mobile: mobileNum });
    const { session } = await harness.logInProven(await harness.makeAccount());
    taken(await harness.sendCode(session, mobileNum));
    const code = await harness.codeTo(mobileNum);
    expect(codeOf(await harness.verifyMobile(session, mobileNum, code))).toBe("mobile_taken");
    harness.clock.advance(MINUTE_MS);
    const there = await harness.logInProven(
      await harness.makeAccount({ merchant: harness.fiesta }),
    );
    taken(await harness.sendCode(there.session, mobileNum, harness.fiesta));
    const other = await harness.codeTo(mobileNum);
    taken(await harness.verifyMobile(there.session, mobileNum, other, harness.fiesta));
  });
});

type Opened = Awaited<ReturnType<AccountHarness["logIn"]>>;

function sendLink(session: Session, email: string) {
  return harness.contacts.sendEmailLink(harness.perya, session, email, {
    address: "203.0.113.7",
    language: "EN",
  });
}

function verify(token: string) {
  return harness.contacts.verifyEmail(harness.perya, token, "EN");
}

async function emailOf({ id }: Account): Promise<string> {
  const { rows } = await harness.db.pool.query("SELECT email FROM members WHERE id = $1", [id]);
  return rows[0].email;
}
