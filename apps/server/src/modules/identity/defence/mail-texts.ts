import type { ExternalProvider } from "@perya/contract/external-login";
import { DAY_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { escapeHtml } from "../../../platform/escape-html.ts";
import type { Mail } from "../../../platform/mail/mail.ts";
import type { Merchant } from "../../brand/brand.ts";

/** A payment password that was reset without the earlier one pays nothing for this long. */
export const RESET_WAIT_MS = DAY_MS;

/** The recipient of a mail, its language and its brand. */
export interface Letter {
  readonly merchant: Merchant;
  readonly language: string;
  readonly to: string;
  readonly username: string;
}

/** The link that sets a new password. */
export function resetMail(letter: Letter, url: string, lifeMs: number): Mail {
  const { merchant } = letter;
  const minutes = lifeMs / MINUTE_MS;
  return isTagalog(letter)
    ? mailOf(letter, `Bagong password para sa ${merchant.name}`, [
        greetingOf(letter),
        `May humiling ng bagong password para sa account mo sa ${merchant.name}. Pindutin ang link para makapag-set ng bago. Gagana ito nang ${minutes} minuto at isang beses lang.`,
        { label: "Mag-set ng bagong password", url },
        "Kung hindi ikaw ang humiling, huwag pansinin ang email na ito. Walang magbabago sa account mo.",
      ])
    : mailOf(letter, `A new password for ${merchant.name}`, [
        greetingOf(letter),
        `Someone asked for a new password for your account with ${merchant.name}. Open the link to set one. It works for ${minutes} minutes, and once.`,
        { label: "Set a new password", url },
        "If it was not you, ignore this e-mail. Nothing about your account changes.",
      ]);
}

/** Tells the owner, who may not be the one who did it. */
export function passwordChangedMail(letter: Letter, at: Instant): Mail {
  const { merchant } = letter;
  const time = timeOf(letter, at);
  return isTagalog(letter)
    ? mailOf(letter, `Napalitan ang password mo sa ${merchant.name}`, [
        greetingOf(letter),
        `Napalitan ang password ng account mo noong ${time}. Na-logout ang ibang device.`,
        "Kung hindi ikaw ang gumawa nito, mag-set agad ng bagong password gamit ang “Nakalimutan ang password” at kontakin ang customer service.",
      ])
    : mailOf(letter, `Your ${merchant.name} password was changed`, [
        greetingOf(letter),
        `The password of your account was changed on ${time}. Other devices were logged out.`,
        "If it was not you, set a new one at once with “Forgot password” and contact customer service.",
      ]);
}

/** The link by which a member verifies an address. */
export function verifyEmailMail(letter: Letter, url: string): Mail {
  const { merchant } = letter;
  return isTagalog(letter)
    ? mailOf(letter, `I-verify ang email mo para sa ${merchant.name}`, [
        greetingOf(letter),
        `Pindutin ang link para makumpirma na sa iyo ang email na ito. Gagana ito nang isang araw.`,
        { label: "I-verify ang email", url },
        "Kung hindi sa iyo ang account na ito, huwag pansinin ang email.",
      ])
    : mailOf(letter, `Verify your e-mail for ${merchant.name}`, [
        greetingOf(letter),
        "Open the link to confirm that this address is yours. It works for a day.",
        { label: "Verify this e-mail", url },
        "If this account is not yours, ignore this e-mail.",
      ]);
}

/** To the address that the account had until now. */
export function emailChangedMail(letter: Letter, at: Instant): Mail {
  const { merchant } = letter;
  const time = timeOf(letter, at);
  return isTagalog(letter)
    ? mailOf(letter, `Napalitan ang email ng account mo sa ${merchant.name}`, [
        greetingOf(letter),
        `Ibang email na ang gamit ng account mo simula ${time}. Hindi ka na padadalhan dito.`,
        "Kung hindi ikaw ang gumawa nito, kontakin agad ang customer service.",
      ])
    : mailOf(letter, `The e-mail of your ${merchant.name} account was changed`, [
        greetingOf(letter),
        `Your account uses another e-mail since ${time}. Nothing more will come to this one.`,
        "If it was not you, contact customer service at once.",
      ]);
}

/** Two-factor login was switched on or off, perhaps by somebody else. */
export function twoFactorMail(letter: Letter, on: boolean, at: Instant): Mail {
  const { merchant } = letter;
  const time = timeOf(letter, at);
  if (isTagalog(letter)) {
    const state = on ? "naka-on na" : "naka-off na";
    return mailOf(letter, `Ang two-factor login mo sa ${merchant.name} ay ${state}`, [
      greetingOf(letter),
      `Simula ${time}, ${state} ang two-factor login ng account mo.`,
      NOT_ME_TY,
    ]);
  }
  const state = on ? "on" : "off";
  return mailOf(letter, `Two-factor login of your ${merchant.name} account is ${state}`, [
    greetingOf(letter),
    `Two-factor login of your account is ${state} since ${time}.`,
    NOT_ME_EN,
  ]);
}

/** The codes for a lost authenticator were renewed; the earlier ones are no longer valid. */
export function recoveryCodesMail(letter: Letter, at: Instant): Mail {
  const { merchant } = letter;
  const time = timeOf(letter, at);
  return isTagalog(letter)
    ? mailOf(letter, `Mga bagong recovery code para sa account mo sa ${merchant.name}`, [
        greetingOf(letter),
        `May ginawang mga bagong recovery code para sa account mo noong ${time}. Hindi na gagana ang mga luma.`,
        NOT_ME_TY,
      ])
    : mailOf(letter, `New recovery codes for your ${merchant.name} account`, [
        greetingOf(letter),
        `New recovery codes were made for your account on ${time}. The old ones no longer work.`,
        NOT_ME_EN,
      ]);
}

/** Somebody passed the first step of the log-in and is guessing the code of the second. */
export function wrongCodesMail(letter: Letter, at: Instant): Mail {
  const { merchant } = letter;
  const time = timeOf(letter, at);
  return isTagalog(letter)
    ? mailOf(letter, `Ilang maling code sa login mo sa ${merchant.name}`, [
        greetingOf(letter),
        `May nag-login sa account mo hanggang sa code ng authenticator, at ilang beses nagbigay ng maling code, pinakahuli noong ${time}. Hindi nabuksan ang account gamit ang mga code na iyon.`,
        "Kung ikaw iyon, i-check ang oras ng phone mo o gumamit ng recovery code. Kung hindi, may nakakaalam na ng password mo: palitan ito agad at kontakin ang customer service.",
      ])
    : mailOf(letter, `Several wrong codes at your ${merchant.name} log-in`, [
        greetingOf(letter),
        `Somebody logged in to your account as far as the code of your authenticator, and gave several wrong codes, the latest on ${time}. Those codes did not open your account.`,
        "If it was you, check the time of your phone, or use a recovery code. If it was not, somebody knows your password: change it at once and contact customer service.",
      ]);
}

/** An account at a provider logs the member in from now on, or no longer. */
export function externalAccountMail(
  letter: Letter,
  { provider, added }: { readonly provider: ExternalProvider; readonly added: boolean },
  at: Instant,
): Mail {
  const { merchant } = letter;
  const name = PROVIDERS[provider];
  const time = timeOf(letter, at);
  if (isTagalog(letter)) {
    const done = added ? "Na-link" : "Inalis";
    const state = added ? "puwede nang" : "hindi na puwedeng";
    return mailOf(letter, `${done} ang ${name} login sa account mo sa ${merchant.name}`, [
      greetingOf(letter),
      `Simula ${time}, ${state} gamitin ang ${name} account na iyon para mag-login.`,
      NOT_ME_TY,
    ]);
  }
  const done = added ? "added to" : "taken off";
  const state = added ? "opens your account" : "opens your account no more";
  return mailOf(letter, `${name} login was ${done} your ${merchant.name} account`, [
    greetingOf(letter),
    `Since ${time} that ${name} account ${state}.`,
    NOT_ME_EN,
  ]);
}

/** A passkey opens the account from now on, or no longer; the person who made it chose its name. */
export function passkeyMail(letter: Letter, added: boolean, at: Instant): Mail {
  const { merchant } = letter;
  const time = timeOf(letter, at);
  if (isTagalog(letter)) {
    const done = added ? "May bagong passkey" : "May inalis na passkey";
    return mailOf(letter, `${done} sa account mo sa ${merchant.name}`, [
      greetingOf(letter),
      `${done} sa account mo noong ${time}.`,
      NOT_ME_TY,
    ]);
  }
  const done = added ? "added to" : "removed from";
  return mailOf(letter, `A passkey was ${done} your ${merchant.name} account`, [
    greetingOf(letter),
    `A passkey was ${done} your account on ${time}.`,
    NOT_ME_EN,
  ]);
}

/** @param masked the new number, of which this shows the owner enough */
export function mobileChangedMail(letter: Letter, masked: string, at: Instant): Mail {
  const { merchant } = letter;
  const time = timeOf(letter, at);
  return isTagalog(letter)
    ? mailOf(letter, `Napalitan ang mobile number ng account mo sa ${merchant.name}`, [
        greetingOf(letter),
        `Ang mobile number ng account mo ay ${masked} na simula ${time}.`,
        NOT_ME_TY,
      ])
    : mailOf(letter, `The mobile number of your ${merchant.name} account was changed`, [
        greetingOf(letter),
        `The mobile number of your account is ${masked} since ${time}.`,
        NOT_ME_EN,
      ]);
}

export function paymentPasswordMail(letter: Letter, at: Instant): Mail {
  const { merchant } = letter;
  const time = timeOf(letter, at);
  return isTagalog(letter)
    ? mailOf(letter, `Napalitan ang payment password mo sa ${merchant.name}`, [
        greetingOf(letter),
        `Napalitan ang payment password ng account mo noong ${time}.`,
        NOT_ME_TY,
      ])
    : mailOf(letter, `Your ${merchant.name} payment password was changed`, [
        greetingOf(letter),
        `The payment password of your account was changed on ${time}.`,
        NOT_ME_EN,
      ]);
}

/** It was reset by somebody who did not give the earlier one. */
export function paymentPasswordResetMail(letter: Letter, at: Instant): Mail {
  const { merchant } = letter;
  const [time, pays] = [timeOf(letter, at), timeOf(letter, at + RESET_WAIT_MS)];
  return isTagalog(letter)
    ? mailOf(letter, `Na-reset ang payment password mo sa ${merchant.name}`, [
        greetingOf(letter),
        `Na-reset ang payment password ng account mo noong ${time} nang hindi ibinigay ang dati. Hindi ito magagamit sa pag-withdraw hanggang ${pays}.`,
        NOT_ME_TY,
      ])
    : mailOf(letter, `Your ${merchant.name} payment password was reset`, [
        greetingOf(letter),
        `The payment password of your account was set anew on ${time} without the one before. It confirms no withdrawal until ${pays}.`,
        NOT_ME_EN,
      ]);
}

/** The first withdrawal to a destination, which a thief may have requested. */
export function newDestinationMail(
  letter: Letter,
  { destination, amount }: { readonly destination: string; readonly amount: string },
  at: Instant,
): Mail {
  const { merchant } = letter;
  const time = timeOf(letter, at);
  return isTagalog(letter)
    ? mailOf(letter, `Withdrawal sa bagong number mula sa account mo sa ${merchant.name}`, [
        greetingOf(letter),
        `Noong ${time}, may humiling na mag-withdraw ng ${amount} mula sa account mo papunta sa ${destination}. Ngayon lang ginamit ang number na ito.`,
        "Kung ikaw ang humiling, wala kang kailangang gawin.",
        "Kung hindi ikaw, palitan agad ang password mo: mahihinto nito ang withdrawal na hindi pa naipapadala. Pagkatapos ay kontakin ang customer service.",
      ])
    : mailOf(letter, `A withdrawal to a new number from your ${merchant.name} account`, [
        greetingOf(letter),
        `On ${time} a withdrawal of ${amount} from your account to ${destination} was asked for. The number was not used before.`,
        "If it was you, there is nothing to do.",
        "If it was not you, change your password at once: that stops a withdrawal that has not been sent yet. Then contact customer service.",
      ]);
}

const NOT_ME_EN = "If it was not you, change your password at once and contact customer service.";
const NOT_ME_TY =
  "Kung hindi ikaw ang gumawa nito, palitan agad ang password mo at kontakin ang customer service.";
/** A dot followed by a letter, as before the last part of a web address. */
const LINKED = /\.\p{L}/u;
const PROVIDERS = { google: "Google", facebook: "Facebook" } as const;

/** A paragraph, or a link in a paragraph of its own. */
type Part = string | { readonly label: string; readonly url: string };

function mailOf(letter: Letter, subject: string, parts: readonly Part[]): Mail {
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
function timeOf(letter: Letter, at: Instant): string {
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
