import { type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { escapeHtml } from "../../../platform/escape-html.ts";
import type { Mail } from "../../../platform/mail/mail.ts";
import type { Merchant } from "../../brand/brand.ts";

export interface Letter {
  readonly merchant: Merchant;
  readonly language: string;
  readonly to: string;
  readonly username: string;
}

/** A paragraph, or a link in a paragraph of its own. */
type Part = string | { readonly label: string; readonly url: string };

type Text = readonly [subject: string, ...parts: Part[]];

export interface Texts {
  readonly en: Text;
  readonly ty: Text;
}

export function resetMail(letter: Letter, url: string, lifeMs: number): Mail {
  const { name } = letter.merchant;
  const minutes = lifeMs / MINUTE_MS;
  return mailOf(letter, {
    en: [
      `A new password for ${name}`,
      `Someone asked for a new password for your account with ${name}. Open the link to set one. It works for ${minutes} minutes, and once.`,
      { label: "Set a new password", url },
      "If it was not you, ignore this e-mail. Nothing about your account changes.",
    ],
    ty: [
      `Bagong password para sa ${name}`,
      `May humiling ng bagong password para sa account mo sa ${name}. Pindutin ang link para makapag-set ng bago. Gagana ito nang ${minutes} minuto at isang beses lang.`,
      { label: "Mag-set ng bagong password", url },
      "Kung hindi ikaw ang humiling, huwag pansinin ang email na ito. Walang magbabago sa account mo.",
    ],
  });
}

export function verifyEmailMail(letter: Letter, url: string): Mail {
  const { name } = letter.merchant;
  return mailOf(letter, {
    en: [
      `Verify your e-mail for ${name}`,
      "Open the link to confirm that this address is yours. It works for a day.",
      { label: "Verify this e-mail", url },
      "If this account is not yours, ignore this e-mail.",
    ],
    ty: [
      `I-verify ang email mo para sa ${name}`,
      `Pindutin ang link para makumpirma na sa iyo ang email na ito. Gagana ito nang isang araw.`,
      { label: "I-verify ang email", url },
      "Kung hindi sa iyo ang account na ito, huwag pansinin ang email.",
    ],
  });
}

export function mailOf(letter: Letter, { en, ty }: Texts): Mail {
  const [subject, ...told] = isTagalog(letter) ? ty : en;
  const parts = [greetingOf(letter), ...told];
  const footer = footerOf(letter);
  const text = [
    ...parts.map((part) => (typeof part === "string" ? part : `${part.label}:\n${part.url}`)),
    `--\n${footer}`,
  ].join("\n\n");
  const body = parts.map((part) =>
    typeof part === "string"
      ? `<p>${escapeHtml(part)}</p>`
      : `<p><a href="${escapeHtml(part.url)}">${escapeHtml(part.label)}</a></p>` +
        `<p style="color:#666;word-break:break-all">${escapeHtml(part.url)}</p>`,
  );
  const language = isTagalog(letter) ? "fil" : "en";
  const html =
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">` +
    `<title>${escapeHtml(subject)}</title></head>` +
    '<body style="font:16px/1.5 sans-serif;max-width:32rem;margin:0 auto;padding:1rem">' +
    `${body.join("\n")}\n<hr><p style="color:#666;font-size:.875rem">${escapeHtml(footer)}</p>` +
    "</body></html>";
  return { to: letter.to, subject, text, html };
}

/** A dot followed by a letter, as before the last part of a web address. */
const LINKED = /\.\p{L}/u;

/**
 * Mail programs make a link of a name that reads as a web address, and a person who registers
 * chooses both the name and the address: such an account is greeted without its name.
 */
function greetingOf({ username }: Letter): string {
  return LINKED.test(username) ? "Hi," : `Hi ${username},`;
}

function footerOf(letter: Letter): string {
  const { name, settings } = letter.merchant;
  return isTagalog(letter)
    ? `${name} · Para sa ${settings.minimumAge} taong gulang pataas lang. Maglaro nang responsable.`
    : `${name} · Only for ages ${settings.minimumAge} and over. Please play responsibly.`;
}

/** The brand's own time, with its zone, since a mail may be read anywhere. */
export function timeOf(letter: Letter, at: Instant): string {
  return new Intl.DateTimeFormat(isTagalog(letter) ? "fil" : "en", {
    timeZone: letter.merchant.zone,
    dateStyle: "long",
    timeStyle: "long",
  }).format(at);
}

/** A language without texts of its own gets English. */
function isTagalog({ language }: Letter): boolean {
  return language === "TY";
}
