import { DAY_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import {
  type ExternalLoginHarness,
  openExternalLoginHarness,
  PHONE,
} from "../../../../../../tests/server/external-login-harness.ts";
import { entered } from "../../../../../../tests/server/identity-harness.ts";
import type { RegistrationFields } from "../accounts/registration-form.ts";
import { insertInvitationCode } from "../identity.ts";

const WITH_ADDRESS = ["fe", "gil", "hana", "ivy", "jo", "kiko"];
const PEOPLE = {
  cora: {},
  ...Object.fromEntries(
    WITH_ADDRESS.map((name) => [name, { email: `${name}@gmail.test`, email_verified: true }]),
  ),
};

let harness: ExternalLoginHarness;

beforeAll(async () => {
  harness = await openExternalLoginHarness("external registrations", PEOPLE);
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("the registration of an external account", () => {
  it("opens nothing before the form is sent, and takes its ticket once", async () => {
    const before = await harness.members();
    const { ticket, given } = await harness.stranger("fe");
    expect(ticket).toEqual({
      ticket: given.flow,
      expiresAt: harness.clock.now() + 20 * MINUTE_MS,
      provider: "google",
      email: "fe@gmail.test",
      requires: { username: false, mobileNum: false },
    });
    expect(await harness.members()).toBe(before);
    const made = entered(
      await harness.logins.register(harness.perya, given, { username: "Fe_2026" }, PHONE),
    );
    expect(made).toMatchObject({ firstLogin: true, member: { username: "fe_2026", type: 0 } });
    expect(codeOf(await harness.logins.register(harness.perya, given, {}, PHONE))).toBe(
      "external_login_failed",
    );
    expect(entered(await harness.logIn({ login: "fe" })).member).toEqual(made.member);
  });

  it("keeps its ticket through a form with faults, for twenty minutes, in its browser", async () => {
    const brand = await harness.brandWith({});
    const { given } = await harness.stranger("gil", { merchant: brand });
    const tries: [RegistrationFields, string][] = [
      [{ username: "no spaces!" }, "username bad_format"],
      [{ birthday: "2015-01-01" }, "birthday too_young"],
      [{ affiliateCode: "NOBODY" }, "affiliateCode not_allowed"],
      [{ email: "another@gmail.test" }, "email not_allowed"],
      [{ nickname: "not asked for" }, "nickname not_allowed"],
    ];
    for (const [form, code] of tries) {
      expect(codeOf(await harness.logins.register(brand, given, form, PHONE)), code).toBe(code);
    }
    const { browser } = await harness.begin();
    for (const other of [browser, undefined]) {
      const stolen = await harness.logins.register(brand, { ...given, browser: other }, {}, PHONE);
      expect(codeOf(stolen)).toBe("external_login_failed");
    }
    expect(codeOf(await harness.logins.register(harness.perya, given, {}, PHONE))).toBe(
      "external_login_failed",
    );
    // A ticket is no login, and a login's proof is no ticket.
    expect(codeOf(await harness.logins.finish(brand, given, PHONE))).toBe("external_login_failed");
    const flow = await harness.backFrom({ login: "gil" }, { merchant: brand });
    expect(codeOf(await harness.logins.register(brand, flow, {}, PHONE))).toBe(
      "external_login_failed",
    );
    harness.clock.advance(20 * MINUTE_MS);
    expect(codeOf(await harness.logins.register(brand, given, {}, PHONE))).toBe(
      "external_login_failed",
    );
  });

  it("that is sent twice at one moment makes one member and one session", async () => {
    const { given } = await harness.stranger("hana");
    const before = await harness.members();
    const form = { username: "hana_2026" };
    const sent = await Promise.all(
      [1, 2, 3].map(() => harness.logins.register(harness.perya, given, form, PHONE)),
    );
    expect(sent.map(codeOf).sort()).toEqual([...Array(2).fill("external_login_failed"), "ok"]);
    expect(await harness.members()).toBe(before + 1);
    // Each of two tickets is valid for a login.
    const brand = await harness.brandWith({});
    const [one, other] = [
      await harness.stranger("hana", { merchant: brand }),
      await harness.stranger("hana", { merchant: brand }),
    ];
    const both = await Promise.all(
      [one, other].map((ticket) => harness.logins.register(brand, ticket.given, form, PHONE)),
    );
    expect(new Set(both.map((result) => entered(result).member.id)).size).toBe(1);
    expect(codeOf(await harness.logins.register(brand, other.given, form, PHONE))).toBe(
      "external_login_failed",
    );
  });

  it("demands the brand's birthday, invitation and age as every registration does", async () => {
    const brand = await harness.brandWith({ birthday: true, affiliateCode: true });
    const { given } = await harness.stranger("ivy", { merchant: brand });
    const empty = await harness.logins.register(brand, given, {}, PHONE);
    expect(!empty.ok && empty.error.fields).toEqual([
      { field: "affiliateCode", code: "required" },
      { field: "birthday", code: "required" },
    ]);
    const inviter = await harness.addMember(brand, "inviter", "inviter@gmail.test");
    const invitation = { merchantId: brand.id, code: "IVY2026", memberId: inviter };
    await insertInvitationCode(harness.db.pool, invitation, harness.clock.now());
    const form = { birthday: "1999-12-31", affiliateCode: "ivy2026" };
    const made = entered(await harness.logins.register(brand, given, form, PHONE));
    const { rows } = await harness.db.pool.query(
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

  it("asks for the address that the provider did not tell, if the brand wants one", async () => {
    const brand = await harness.brandWith({ email: true });
    const { ticket, given } = await harness.stranger("cora", { merchant: brand });
    expect(ticket.email).toBeNull();
    expect(codeOf(await harness.logins.register(brand, given, {}, PHONE))).toBe("email required");
    const form = { email: "cora@example.com" };
    const made = entered(await harness.logins.register(brand, given, form, PHONE));
    const { rows } = await harness.db.pool.query(
      "SELECT email, email_verified_at FROM members WHERE id = $1",
      [made.member.id],
    );
    expect(rows).toEqual([{ email: "cora@example.com", email_verified_at: null }]);
  });

  it("demands a name if only names register, and a verified number if numbers do", async () => {
    const byName = await harness.brandWith({}, { username: true, mobile: false });
    const named = await harness.stranger("jo", { merchant: byName });
    expect(named.ticket.requires).toEqual({ username: true, mobileNum: false });
    const nameless = await harness.logins.register(byName, named.given, {}, PHONE);
    expect(codeOf(nameless)).toBe("username required");
    entered(await harness.logins.register(byName, named.given, { username: "jo_2026" }, PHONE));

    const byNumber = await harness.brandWith({}, { username: false, mobile: true });
    const numbered = await harness.stranger("jo", { merchant: byNumber });
    expect(numbered.ticket.requires).toEqual({ username: false, mobileNum: true });
    const { given } = numbered;
    expect(codeOf(await harness.logins.register(byNumber, given, {}, PHONE))).toBe(
      "mobileNum required",
    );
    const number = { countryDialingCode: "+63", mobileNum: "9171112223" };
    expect(codeOf(await harness.logins.register(byNumber, given, number, PHONE))).toBe(
      "verificationCode required",
    );
    const asked = {
      ...number,
      asker: { browser: PHONE.asker },
      purpose: "register" as const,
      humanCheck: await harness.solvedCheck(),
      ...{ address: PHONE.address, deviceHash: null, language: "EN" },
    };
    taken(await harness.smsCodes.request(byNumber, asked));
    const verificationCode = harness.codeSentTo("+639171112223");
    const form = { ...number, verificationCode };
    const made = entered(await harness.logins.register(byNumber, given, form, PHONE));
    expect(made.member.username).toBe(`player_${made.member.id.slice(-8)}`);
    const again = await harness.stranger("kiko", { merchant: byNumber });
    const refused = await harness.logins.register(byNumber, again.given, form, PHONE);
    expect(codeOf(refused)).toBe("verificationCode mismatch");
  });
});
