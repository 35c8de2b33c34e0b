import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type AccountHarness,
  NEW,
  openAccountHarness,
  PASSWORD,
  PUBLIC_URL,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { makeBrand } from "../../../../../../tests/server/fixtures.ts";
import type { Merchant } from "../../brand/brand.ts";
import { inboxOf } from "../defence/abuse-counts.ts";
import { deviceHashOf, KnownDevices } from "../defence/known-devices.ts";
import { hasNamedInboxFirst, type MemberRow } from "../members/members.store.ts";
import { sweepMailLinks } from "./mail-links.store.ts";

const ASKED = { address: "203.0.113.7", language: "EN" };

let harness: AccountHarness;
/** A brand that recovers by phone. */
let phones: Merchant;

beforeAll(async () => {
  harness = await openAccountHarness("recovery by mail");
  phones = await makeBrand(harness.db.pool, harness.clock, { settings: { recoveryByPhone: true } });
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a forgotten password, by e-mail", () => {
  it("[A2.5-01] is set by the link that is mailed to the account's own address", async () => {
    const { account, email } = await harness.withEmail();
    const { halves } = await harness.logIn(account);
    taken(await harness.forgot(account.username.toUpperCase(), email.toUpperCase()));
    const token = await harness.linkTo(email);
    expect(taken(await harness.byMail.linkOwner(harness.perya, token)).username).toBe(
      account.username,
    );
    taken(await harness.setByLink(token));
    expect(await harness.passwordOf(account, NEW)).toBe(true);
    expect(await harness.isOpen(account, halves)).toBe(false);
    const told = present(await harness.newestTo(email), "the mail");
    expect(told.subject).toBe(`Your ${harness.perya.name} password was changed`);
  });

  it("answers alike, after the same work, whether or not anyone has the name or the address", async () => {
    const { account, email } = await harness.withEmail();
    const sent = harness.outbox.messages().length;
    harness.passwords.work = 0;
    for (const [username, given] of [
      [account.username, "another@example.com"],
      ["nobody_at_all", email],
      ["nobody_at_all", "nobody@example.com"],
    ] as const) {
      expect(await harness.forgot(username, given)).toEqual({ ok: true, value: undefined });
    }
    await harness.sendMails();
    expect(harness.outbox.messages()).toHaveLength(sent);
    expect(harness.passwords.work).toBe(0);
  });

  it("[A2.4-10] writes in the caller's language, of the brand and its minimum age", async () => {
    const { account, email } = await harness.withEmail();
    taken(await harness.forgot(account.username, email, "TY"));
    const mail = present(await harness.newestTo(email), "the mail");
    expect(mail.subject).toBe(`Bagong password para sa ${harness.perya.name}`);
    expect(mail.text).toContain(`Hi ${account.username},`);
    expect(mail.text).toContain(`${PUBLIC_URL}/m/reset?token=`);
    expect(mail.text).toContain("30 minuto");
    expect(mail.text).toContain(`${harness.perya.settings.minimumAge} taong gulang`);
    taken(await harness.forgot(account.username, email, "ZH"));
    const english = present(await harness.newestTo(email), "the mail");
    expect(english.text).toContain(`Only for ages ${harness.perya.settings.minimumAge} and over`);
    const from18 = await makeBrand(harness.db.pool, harness.clock, {
      settings: { minimumAge: 18 },
    });
    const young = "young@example.com";
    const { username } = await harness.makeAccount({ merchant: from18, email: young });
    const asked = { username, email: young };
    for (const [language, line] of [
      ["TY", "18 taong gulang"],
      ["EN", "Only for ages 18 and over"],
    ] as const) {
      taken(await harness.byMail.forgot(from18, asked, { ...ASKED, language }));
      expect((await harness.newestTo(young))?.text).toContain(line);
    }
  });

  it("takes a link once, even if many use it at the same time", async () => {
    const { account, email } = await harness.withEmail();
    taken(await harness.forgot(account.username, email));
    const token = await harness.linkTo(email);
    const both = await Promise.all([
      harness.setByLink(token, "Sampaguita71"),
      harness.setByLink(token, "Sampaguita72"),
    ]);
    expect(both.map(codeOf).sort()).toEqual(["link_spent", "ok"]);
    expect(codeOf(await harness.setByLink(token))).toBe("link_spent");
    expect(codeOf(await harness.byMail.linkOwner(harness.perya, token))).toBe("link_spent");
  });

  it("takes a link for half an hour, from the newest mail only, and at its own brand only", async () => {
    const { account, email } = await harness.withEmail();
    taken(await harness.forgot(account.username, email));
    const first = await harness.linkTo(email);
    taken(await harness.forgot(account.username, email));
    const second = await harness.linkTo(email);
    expect(second).not.toBe(first);
    expect(codeOf(await harness.setByLink(first))).toBe("link_spent");
    expect(codeOf(await harness.setByLink(second, NEW, harness.fiesta))).toBe("link_spent");
    harness.clock.advance(30 * MINUTE_MS - 1);
    taken(await harness.byMail.linkOwner(harness.perya, second));
    harness.clock.advance(1);
    expect(codeOf(await harness.setByLink(second))).toBe("link_spent");
    expect(codeOf(await harness.setByLink("A".repeat(43)))).toBe("link_spent");
  });

  it("keeps a link valid after a refused password: bad, common, like the name, unequal, or the old one", async () => {
    const { account, email } = await harness.withEmail();
    taken(await harness.forgot(account.username, email));
    const token = await harness.linkTo(email);
    expect(codeOf(await harness.setByLink(token, "short"))).toBe("newPassword too_short");
    expect(codeOf(await harness.setByLink(token, "password123"))).toBe("newPassword too_common");
    expect(codeOf(await harness.setByLink(token, `${account.username}X9`))).toBe(
      "newPassword too_common",
    );
    const unlike = { token, newPassword: NEW, confirmNewPassword: `${NEW}8` };
    expect(codeOf(await harness.byMail.setByLink(harness.perya, unlike, "EN"))).toBe(
      "confirmNewPassword mismatch",
    );
    expect(codeOf(await harness.setByLink(token, PASSWORD))).toBe("modify.new.old.same");
    expect(await harness.passwordOf(account, PASSWORD)).toBe(true);
    taken(await harness.setByLink(token));
  });

  it("stores links as hashes only, and the sweep deletes expired ones", async () => {
    const { account, email } = await harness.withEmail();
    taken(await harness.forgot(account.username, email));
    const token = await harness.linkTo(email);
    const { rows } = await harness.db.pool.query("SELECT * FROM mail_links");
    const text = JSON.stringify(rows);
    expect(text).not.toContain(token);
    expect(text).not.toContain(Buffer.from(token).toString("hex"));
    harness.clock.advance(30 * MINUTE_MS);
    await sweepMailLinks(harness.db.pool, harness.clock.now());
    expect((await harness.db.pool.query("SELECT FROM mail_links")).rowCount).toBe(0);
  });

  it("sends an asker three mails an hour to an unverified address, under any number of names, and others theirs", async () => {
    const { account: owner, email } = await harness.withEmail(true);
    const sent = harness.outbox.messages().length;
    for (let i = 0; i < 5; i++) {
      const stranger = await harness.makeAccount({ email, emailVerified: false });
      taken(await harness.forgot(stranger.username, email.toUpperCase()));
      await harness.sendMails();
    }
    expect(harness.outbox.messages()).toHaveLength(sent + 3);
    taken(await harness.forgot(owner.username, email));
    const another = await harness.makeAccount({ email, emailVerified: false });
    const elsewhere = { address: "198.51.100.9", language: "EN" };
    const given = { username: another.username, email };
    taken(await harness.byMail.forgot(harness.perya, given, elsewhere));
    await harness.sendMails();
    expect(harness.outbox.messages()).toHaveLength(sent + 5);
  });

  it("sends a name three mails an hour, and one address twenty, for known names or not", async () => {
    const { account, email } = await harness.withEmail();
    for (const username of [account.username, "nobody_at_all"]) {
      for (let i = 0; i < 3; i++) taken(await harness.forgot(username, email));
      const full = await harness.forgot(username, email);
      expect(full).toMatchObject({
        error: { code: "rate_limited", retryAt: harness.clock.now() + HOUR_MS },
      });
    }
    for (let i = 0; i < 14; i++) taken(await harness.forgot(`nobody_${i}`, email));
    expect(codeOf(await harness.forgot("nobody_more", email))).toBe("rate_limited");
    const elsewhere = { address: "198.51.100.9", language: "EN" };
    const given = { username: "nobody_more", email };
    taken(await harness.byMail.forgot(harness.perya, given, elsewhere));
    harness.clock.advance(HOUR_MS);
    taken(await harness.forgot(account.username, email));
  });

  it("reaches an owner who asks from elsewhere or on a phone of theirs, however often strangers asked", async () => {
    const { account, email } = await harness.withEmail();
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const phone = async () => {
      const token = await devices.tokenOf(undefined);
      await devices.note(account.id, token);
      return deviceHashOf(token);
    };
    const own = await phone();
    harness.clock.advance(DAY_MS);
    const another = await phone();
    const sent = harness.outbox.messages().length;
    const from = async (address: string, times: number, deviceHash: Buffer | null = null) => {
      const given = { username: account.username, email };
      const by = { address, language: "EN", deviceHash };
      let taken = 0;
      for (let time = 0; time < times; time++) {
        if ((await harness.byMail.forgot(harness.perya, given, by)).ok) taken += 1;
        await harness.sendMails();
        harness.clock.advance(1);
      }
      return taken;
    };
    expect(await from("198.51.100.1", 4)).toBe(3);
    // One customer's network gets half of what all have.
    for (const [block, most] of [3, 3, 0].entries()) {
      expect(await from(`2001:db8:1:${block}::1`, 3)).toBe(most);
    }
    expect(await from("198.51.100.2", 4)).toBe(3);
    expect(await from("198.51.100.3", 1)).toBe(0);
    // A phone that was once logged in to the account delays no other.
    expect(await from("198.51.100.1", 4, another)).toBe(3);
    expect(await from("198.51.100.1", 4, own)).toBe(3);
    expect(harness.outbox.messages()).toHaveLength(sent + 18);
    const stranger = deviceHashOf(await devices.tokenOf(undefined));
    expect(await from("198.51.100.3", 1, stranger)).toBe(0);
  });

  it("reaches a phone of the member who named an inbox first, however often phones of others that name it asked", async () => {
    const { account: owner, email } = await harness.withEmail();
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const comesFrom = async (
      { id, username }: { id: string; username: string },
      named = email.toUpperCase(),
    ) => {
      const token = await devices.tokenOf(undefined);
      await devices.note(id, token);
      const sent = harness.outbox.messages().length;
      const given = { username, email: named };
      const by = { address: "198.51.100.1", language: "EN", deviceHash: deviceHashOf(token) };
      await harness.byMail.forgot(harness.perya, given, by);
      await harness.sendMails();
      return harness.outbox.messages().length - sent;
    };
    const others = [];
    for (let i = 0; i < 13; i++) {
      harness.clock.advance(1);
      others.push(await harness.makeAccount({ email, emailVerified: false }));
    }
    const mails: number[] = [];
    for (const other of others) mails.push(await comesFrom(other));
    // Accounts and phones cost nothing: together they get as many mails as one stranger.
    expect(mails).toEqual([1, 1, 1, ...Array.from({ length: 10 }, () => 0)]);
    // Another spelling is the same inbox, so nobody becomes the first to name it.
    const mark = email.replace("@", "+another@");
    const marked = await harness.makeAccount({ email: mark, emailVerified: false });
    expect(await comesFrom(marked, mark)).toBe(0);
    expect(await comesFrom(owner)).toBe(1);
    // A member who has verified it comes before all others.
    harness.clock.advance(HOUR_MS);
    await harness.makeAccount({ email, emailVerified: true });
    for (const other of others.slice(0, 3)) expect(await comesFrom(other)).toBe(1);
    expect(await comesFrom(owner)).toBe(0);
    // The limit is per day, not only per hour.
    harness.clock.advance(HOUR_MS);
    for (const other of others) expect(await comesFrom(other)).toBe(0);
    harness.clock.advance(DAY_MS);
    expect(await comesFrom(owner)).toBe(1);
  });

  it("can be requested twenty times an hour on a known phone, for any number of made-up addresses", async () => {
    const { account, email } = await harness.withEmail(true);
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const token = await devices.tokenOf(undefined);
    await devices.note(account.id, token);
    const by = { address: "198.51.100.1", language: "EN", deviceHash: deviceHashOf(token) };
    const ask = async (typed: string) =>
      codeOf(
        await harness.byMail.forgot(
          harness.perya,
          { username: account.username, email: typed },
          by,
        ),
      );
    const codes: string[] = [];
    for (let nth = 0; nth < 21; nth++) codes.push(await ask(`made${nth}.up@example.com`));
    expect(codes).toEqual([...Array.from({ length: 20 }, () => "ok"), "rate_limited"]);
    harness.clock.advance(HOUR_MS);
    expect(await ask(email)).toBe("ok");
  });

  it("counts one inbox under every spelling that reaches it, here as in the database", async () => {
    const inboxes = [
      ["one.two@gmail.com", "onetwo@GMAIL.com", "O.ne.Two+mark@googlemail.com"],
      ["onetwo@example.com", "onetwo+mark@example.com"],
      // With other providers, dots make another person's address, and a mark alone is a name.
      ["one.two@example.com"],
      ["+mark@example.com"],
      ["one.two@mail.gmail.com"],
    ];
    const named = inboxes.map((spellings) => new Set(spellings.map(inboxOf)));
    expect(named.map(({ size }) => size)).toEqual(inboxes.map(() => 1));
    expect(new Set(named.flatMap((one) => [...one])).size).toBe(inboxes.length);
    for (const spellings of inboxes) {
      const isFirst: boolean[] = [];
      for (const email of spellings) {
        harness.clock.advance(1);
        const { id } = await harness.makeAccount({ email, emailVerified: false });
        // The function reads nothing else of its row.
        const row = { id, merchant_id: harness.perya.id } as MemberRow;
        isFirst.push(await hasNamedInboxFirst(harness.db.pool, row));
      }
      expect(isFirst, spellings.join()).toEqual(spellings.map((_, nth) => nth === 0));
    }
  });

  it("reaches the owner's old phone, whatever a thief's phones that are a day old ask for", async () => {
    const { account, email } = await harness.withEmail(true);
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const phone = async () => {
      const token = await devices.tokenOf(undefined);
      await devices.note(account.id, token);
      return deviceHashOf(token);
    };
    const own = await phone();
    harness.clock.advance(300 * DAY_MS);
    const thiefs = await Promise.all(Array.from({ length: 8 }, phone));
    harness.clock.advance(DAY_MS);
    const given = { username: account.username, email };
    const from = async (deviceHash: Buffer | null, times: number) => {
      const codes: string[] = [];
      for (let time = 0; time < times; time++) {
        const by = { address: "198.51.100.1", language: "EN", deviceHash };
        codes.push(codeOf(await harness.byMail.forgot(harness.perya, given, by)));
        harness.clock.advance(1);
      }
      return codes;
    };
    const all: string[] = [];
    for (const one of thiefs) all.push(...(await from(one, 3)));
    expect(all).toContain("rate_limited");
    expect(await from(own, 3)).toEqual(["ok", "ok", "ok"]);
  });

  it("reaches a phone of the owner's at an address whose limit others have used up", async () => {
    const { account, email } = await harness.withEmail();
    const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
    const token = await devices.tokenOf(undefined);
    await devices.note(account.id, token);
    for (let i = 0; i < 20; i++) taken(await harness.forgot(`nobody_${i}`, email));
    expect(codeOf(await harness.forgot(account.username, email))).toBe("rate_limited");
    const given = { username: account.username, email };
    const by = { ...ASKED, deviceHash: deviceHashOf(token) };
    taken(await harness.byMail.forgot(harness.perya, given, by));
  });

  it("counts an IPv6 /48 as sixteen addresses, however many of its blocks ask", async () => {
    const ask = (i: number, net: string) =>
      harness.byMail.forgot(
        harness.perya,
        { username: `nobody_${net}_${i}`, email: "nobody@example.com" },
        { address: `2001:db8:${net}:${(i % 30).toString(16)}::1`, language: "EN" },
      );
    const codes: string[] = [];
    for (let i = 0; i < 322; i++) codes.push(codeOf(await ask(i, "5")));
    expect(codes.indexOf("rate_limited")).toBe(320);
    taken(await ask(0, "6"));
  });

  it("counts the requests of one address per brand", async () => {
    const given = (nobody: string) => ({ username: nobody, email: "nobody@example.com" });
    const address = { address: "198.51.100.77", language: "EN" };
    const ask = (brand: Merchant, i: number) =>
      harness.byMail.forgot(brand, given(`nobody_${i}`), address);
    for (let i = 0; i < 20; i++) taken(await ask(harness.perya, i));
    expect(codeOf(await ask(harness.perya, 20))).toBe("rate_limited");
    taken(await ask(harness.fiesta, 20));
  });

  it("knows only the members of its brand", async () => {
    const { account, email } = await harness.withEmail();
    const sent = harness.outbox.messages().length;
    const given = { username: account.username, email };
    taken(await harness.byMail.forgot(harness.fiesta, given, ASKED));
    await harness.sendMails();
    expect(harness.outbox.messages()).toHaveLength(sent);
  });

  it("[A2.5-03] is off if the brand recovers by phone, and if no mail can be sent", async () => {
    const given = { username: "maria", email: "maria@example.com" };
    expect(codeOf(await harness.byMail.forgot(phones, given, ASKED))).toBe("feature_off");
    expect(
      codeOf(await harness.partsWith({ mailer: null }).byMail.forgot(harness.perya, given, ASKED)),
    ).toBe("feature_off");
  });
});
