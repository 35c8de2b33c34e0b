import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import {
  type ExternalLoginDesk,
  openExternalLoginDesk,
  PHONE,
} from "../../../../../tests/server/external-login-desk.ts";
import { entered } from "../../../../../tests/server/identity-desk.ts";
import { insertInvitationCode } from "./identity.ts";
import type { RegistrationFields } from "./registration.ts";

const WITH_ADDRESS = ["fe", "gil", "hana", "ivy", "jo", "kiko"];
const PEOPLE = {
  cora: {},
  ...Object.fromEntries(
    WITH_ADDRESS.map((name) => [name, { email: `${name}@gmail.test`, email_verified: true }]),
  ),
};

let desk: ExternalLoginDesk;

beforeAll(async () => {
  desk = await openExternalLoginDesk("external registrations", PEOPLE);
});

afterAll(() => desk?.close());

beforeEach(() => desk.clock.advance(DAY_MS));

describe("the registration of an account outside", () => {
  it("opens nothing before the form is sent, and takes its ticket once", async () => {
    const before = await desk.members();
    const { ticket, given } = await desk.stranger("fe");
    expect(ticket).toEqual({
      ticket: given.flow,
      expiresAt: desk.clock.now() + 20 * MINUTE_MS,
      provider: "google",
      email: "fe@gmail.test",
      requires: { username: false, mobileNum: false },
    });
    expect(await desk.members()).toBe(before);
    const made = entered(
      await desk.logins.register(desk.perya, given, { username: "Fe_2026" }, PHONE),
    );
    expect(made).toMatchObject({ firstLogin: true, member: { username: "fe_2026", type: 0 } });
    expect(codeOf(await desk.logins.register(desk.perya, given, {}, PHONE))).toBe(
      "external_login_failed",
    );
    expect(entered(await desk.logIn({ login: "fe" })).member).toEqual(made.member);
  });

  it("keeps its ticket through a form with faults, for twenty minutes, in its browser", async () => {
    const brand = await desk.brandWith({});
    const { given } = await desk.stranger("gil", { merchant: brand });
    const tries: [RegistrationFields, string][] = [
      [{ username: "no spaces!" }, "username bad_format"],
      [{ birthday: "2015-01-01" }, "birthday too_young"],
      [{ affiliateCode: "NOBODY" }, "affiliateCode not_allowed"],
      [{ email: "another@gmail.test" }, "email not_allowed"],
      [{ nickname: "not asked for" }, "nickname not_allowed"],
    ];
    for (const [form, code] of tries) {
      expect(codeOf(await desk.logins.register(brand, given, form, PHONE)), code).toBe(code);
    }
    const { browser } = await desk.begin();
    for (const other of [browser, undefined]) {
      const stolen = await desk.logins.register(brand, { ...given, browser: other }, {}, PHONE);
      expect(codeOf(stolen)).toBe("external_login_failed");
    }
    expect(codeOf(await desk.logins.register(desk.perya, given, {}, PHONE))).toBe(
      "external_login_failed",
    );
    // A ticket is no login, and a login's proof is no ticket.
    expect(codeOf(await desk.logins.finish(brand, given, PHONE))).toBe("external_login_failed");
    const flow = await desk.backFrom({ login: "gil" }, { merchant: brand });
    expect(codeOf(await desk.logins.register(brand, flow, {}, PHONE))).toBe(
      "external_login_failed",
    );
    desk.clock.advance(20 * MINUTE_MS);
    expect(codeOf(await desk.logins.register(brand, given, {}, PHONE))).toBe(
      "external_login_failed",
    );
  });

  it("that is sent twice at one moment makes one member and one session", async () => {
    const { given } = await desk.stranger("hana");
    const before = await desk.members();
    const form = { username: "hana_2026" };
    const sent = await Promise.all(
      [1, 2, 3].map(() => desk.logins.register(desk.perya, given, form, PHONE)),
    );
    expect(sent.map(codeOf).sort()).toEqual([...Array(2).fill("external_login_failed"), "ok"]);
    expect(await desk.members()).toBe(before + 1);
    // Of two tickets each is good for a login.
    const brand = await desk.brandWith({});
    const [one, other] = [
      await desk.stranger("hana", { merchant: brand }),
      await desk.stranger("hana", { merchant: brand }),
    ];
    const both = await Promise.all(
      [one, other].map((ticket) => desk.logins.register(brand, ticket.given, form, PHONE)),
    );
    expect(new Set(both.map((result) => entered(result).member.id)).size).toBe(1);
    expect(codeOf(await desk.logins.register(brand, other.given, form, PHONE))).toBe(
      "external_login_failed",
    );
  });

  it("demands the brand's birthday, invitation and age as any registration does", async () => {
    const brand = await desk.brandWith({ birthday: true, affiliateCode: true });
    const { given } = await desk.stranger("ivy", { merchant: brand });
    const empty = await desk.logins.register(brand, given, {}, PHONE);
    expect(!empty.ok && empty.error.fields).toEqual([
      { field: "affiliateCode", code: "required" },
      { field: "birthday", code: "required" },
    ]);
    const inviter = await desk.addMember(brand, "inviter", "inviter@gmail.test");
    const invitation = { merchantId: brand.id, code: "IVY2026", memberId: inviter };
    await insertInvitationCode(desk.db.pool, invitation, desk.clock.now());
    const form = { birthday: "1999-12-31", affiliateCode: "ivy2026" };
    const made = entered(await desk.logins.register(brand, given, form, PHONE));
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
    const brand = await desk.brandWith({ email: true });
    const { ticket, given } = await desk.stranger("cora", { merchant: brand });
    expect(ticket.email).toBeNull();
    expect(codeOf(await desk.logins.register(brand, given, {}, PHONE))).toBe("email required");
    const form = { email: "cora@example.com" };
    const made = entered(await desk.logins.register(brand, given, form, PHONE));
    const { rows } = await desk.db.pool.query(
      "SELECT email, email_verified_at FROM members WHERE id = $1",
      [made.member.id],
    );
    expect(rows).toEqual([{ email: "cora@example.com", email_verified_at: null }]);
  });

  it("wants a name where names alone register, and a proven number where numbers do", async () => {
    const byName = await desk.brandWith({}, { username: true, mobile: false });
    const named = await desk.stranger("jo", { merchant: byName });
    expect(named.ticket.requires).toEqual({ username: true, mobileNum: false });
    const nameless = await desk.logins.register(byName, named.given, {}, PHONE);
    expect(codeOf(nameless)).toBe("username required");
    entered(await desk.logins.register(byName, named.given, { username: "jo_2026" }, PHONE));

    const byNumber = await desk.brandWith({}, { username: false, mobile: true });
    const numbered = await desk.stranger("jo", { merchant: byNumber });
    expect(numbered.ticket.requires).toEqual({ username: false, mobileNum: true });
    const { given } = numbered;
    expect(codeOf(await desk.logins.register(byNumber, given, {}, PHONE))).toBe(
      "mobileNum required",
    );
    const number = { countryDialingCode: "+63", mobileNum: "9171112223" };
    expect(codeOf(await desk.logins.register(byNumber, given, number, PHONE))).toBe(
      "verificationCode required",
    );
    const asked = {
      ...number,
      asker: { browser: PHONE.asker },
      purpose: "register" as const,
      humanCheck: await desk.solvedCheck(),
      ...{ address: PHONE.address, deviceHash: null, language: "EN" },
    };
    taken(await desk.smsCodes.request(byNumber, asked));
    const verificationCode = desk.codeSentTo("+639171112223");
    const form = { ...number, verificationCode };
    const made = entered(await desk.logins.register(byNumber, given, form, PHONE));
    expect(made.member.username).toBe(`player_${made.member.id.slice(-8)}`);
    const again = await desk.stranger("kiko", { merchant: byNumber });
    const refused = await desk.logins.register(byNumber, again.given, form, PHONE);
    expect(codeOf(refused)).toBe("verificationCode mismatch");
  });
});
