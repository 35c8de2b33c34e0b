import { describe, expect, it } from "vitest";
import type { Merchant } from "../../brand/brand.ts";
import { resetMail, verifyEmailMail } from "./mail-texts.ts";
import { newsMail } from "./owner-news.ts";

const AT = Date.parse("2026-11-26T04:00:00Z");
const URL_OF_LINK = "https://perya.test/m/verifyEmail#token";

/** The parts of a brand that a mail needs. */
const merchant = {
  ...{ name: "Perya", zone: "Asia/Manila", settings: { minimumAge: 21 } },
} as unknown as Merchant; // the texts read nothing else of it

describe("a mail", () => {
  it.each([
    ...["www.thief.example", "thief.ph", "maria@thief.example", "a.B"].map((name) => [name, "Hi,"]),
    ...["maria", "maria_1", "maria.1990", "maria."].map((name) => [name, `Hi ${name},`]),
  ])("greets %s with %s, so that no mail program makes a link of a name", (username, greeting) => {
    for (const language of ["EN", "TY"]) {
      for (const mail of allTo(username, language)) {
        expect(mail.text.split("\n")[0], mail.subject).toBe(greeting);
        expect(mail.html, mail.subject).toContain(`<p>${greeting}</p>`);
        if (greeting === "Hi,") expect(JSON.stringify(mail)).not.toContain(username);
      }
    }
  });
});

function allTo(username: string, language: string) {
  const letter = { merchant, language, to: "someone@example.ph", username };
  const external = { what: "externalAccount", provider: "google", added: true } as const;
  const destination = {
    what: "newDestination",
    destination: "GCash •12",
    amount: "PHP 1",
  } as const;
  return [
    resetMail(letter, URL_OF_LINK, 600_000),
    verifyEmailMail(letter, URL_OF_LINK),
    newsMail(letter, { what: "password" }, AT),
    newsMail(letter, { what: "email" }, AT),
    newsMail(letter, { what: "twoFactor", on: true }, AT),
    newsMail(letter, { what: "recoveryCodes" }, AT),
    newsMail(letter, { what: "wrongCodes" }, AT),
    newsMail(letter, external, AT),
    newsMail(letter, { what: "passkey", added: true }, AT),
    newsMail(letter, { what: "mobile", masked: "+63 9•• 12" }, AT),
    newsMail(letter, { what: "paymentPassword", reset: false }, AT),
    newsMail(letter, { what: "paymentPassword", reset: true }, AT),
    newsMail(letter, destination, AT),
  ];
}
