import { EXTERNAL_PROVIDERS } from "@perya/contract/external-login";
import { DAY_MS, type Instant } from "@perya/kernel/instant";
import { z } from "zod";
import type { Mail } from "../../../platform/mail/mail.ts";
import { type Letter, mailOf, type Texts, timeOf } from "./mail-texts.ts";

/** A payment password that was reset without the earlier one pays nothing for this long. */
export const RESET_WAIT_MS = DAY_MS;

export const ownerNews = z.discriminatedUnion("what", [
  z.object({ what: z.literal("password") }),
  z.object({ what: z.literal("email") }),
  z.object({ what: z.literal("mobile"), masked: z.string() }),
  z.object({ what: z.literal("paymentPassword"), reset: z.boolean() }),
  z.object({ what: z.literal("twoFactor"), on: z.boolean() }),
  z.object({ what: z.literal("recoveryCodes") }),
  z.object({ what: z.literal("wrongCodes") }),
  z.object({ what: z.literal("passkey"), added: z.boolean() }),
  z.object({
    what: z.literal("externalAccount"),
    provider: z.enum(EXTERNAL_PROVIDERS),
    added: z.boolean(),
  }),
  z.object({ what: z.literal("newDestination"), destination: z.string(), amount: z.string() }),
]);

/** What was done to an account; contains only what its owner's mail may show. */
export type OwnerNews = z.infer<typeof ownerNews>;

type NewsOf = { readonly [News in OwnerNews as News["what"]]: News };

interface Said {
  readonly brand: string;
  readonly time: string;
  readonly pays: string;
}

export function newsMail(letter: Letter, news: OwnerNews, at: Instant): Mail {
  const [time, pays] = [timeOf(letter, at), timeOf(letter, at + RESET_WAIT_MS)];
  return mailOf(letter, textsOf(news.what, news, { brand: letter.merchant.name, time, pays }));
}

function textsOf<What extends keyof NewsOf>(what: What, news: NewsOf[What], said: Said): Texts {
  return TEXTS[what](news, said);
}

const NOT_ME_EN = "If it was not you, change your password at once and contact customer service.";
const NOT_ME_TY =
  "Kung hindi ikaw ang gumawa nito, palitan agad ang password mo at kontakin ang customer service.";
const PROVIDERS = { google: "Google", facebook: "Facebook" } as const;

const TEXTS: { readonly [What in keyof NewsOf]: (news: NewsOf[What], said: Said) => Texts } = {
  password: (_, { brand, time }) => ({
    en: [
      `Your ${brand} password was changed`,
      `The password of your account was changed on ${time}. Other devices were logged out.`,
      "If it was not you, set a new one at once with “Forgot password” and contact customer service.",
    ],
    ty: [
      `Napalitan ang password mo sa ${brand}`,
      `Napalitan ang password ng account mo noong ${time}. Na-logout ang ibang device.`,
      "Kung hindi ikaw ang gumawa nito, mag-set agad ng bagong password gamit ang “Nakalimutan ang password” at kontakin ang customer service.",
    ],
  }),
  /** To the address that the account had until now. */
  email: (_, { brand, time }) => ({
    en: [
      `The e-mail of your ${brand} account was changed`,
      `Your account uses another e-mail since ${time}. Nothing more will come to this one.`,
      "If it was not you, contact customer service at once.",
    ],
    ty: [
      `Napalitan ang email ng account mo sa ${brand}`,
      `Ibang email na ang gamit ng account mo simula ${time}. Hindi ka na padadalhan dito.`,
      "Kung hindi ikaw ang gumawa nito, kontakin agad ang customer service.",
    ],
  }),
  mobile: ({ masked }, { brand, time }) => ({
    en: [
      `The mobile number of your ${brand} account was changed`,
      `The mobile number of your account is ${masked} since ${time}.`,
      NOT_ME_EN,
    ],
    ty: [
      `Napalitan ang mobile number ng account mo sa ${brand}`,
      `Ang mobile number ng account mo ay ${masked} na simula ${time}.`,
      NOT_ME_TY,
    ],
  }),
  paymentPassword: ({ reset }, said) =>
    reset ? paymentPasswordReset(said) : paymentPassword(said),
  twoFactor: ({ on }, { brand, time }) => {
    const [state, ty] = on ? ["on", "naka-on na"] : ["off", "naka-off na"];
    return {
      en: [
        `Two-factor login of your ${brand} account is ${state}`,
        `Two-factor login of your account is ${state} since ${time}.`,
        NOT_ME_EN,
      ],
      ty: [
        `Ang two-factor login mo sa ${brand} ay ${ty}`,
        `Simula ${time}, ${ty} ang two-factor login ng account mo.`,
        NOT_ME_TY,
      ],
    };
  },
  recoveryCodes: (_, { brand, time }) => ({
    en: [
      `New recovery codes for your ${brand} account`,
      `New recovery codes were made for your account on ${time}. The old ones no longer work.`,
      NOT_ME_EN,
    ],
    ty: [
      `Mga bagong recovery code para sa account mo sa ${brand}`,
      `May ginawang mga bagong recovery code para sa account mo noong ${time}. Hindi na gagana ang mga luma.`,
      NOT_ME_TY,
    ],
  }),
  /** Somebody passed the first step of the log-in and is guessing the code of the second. */
  wrongCodes: (_, { brand, time }) => ({
    en: [
      `Several wrong codes at your ${brand} log-in`,
      `Somebody logged in to your account as far as the code of your authenticator, and gave several wrong codes, the latest on ${time}. Those codes did not open your account.`,
      "If it was you, check the time of your phone, or use a recovery code. If it was not, somebody knows your password: change it at once and contact customer service.",
    ],
    ty: [
      `Ilang maling code sa login mo sa ${brand}`,
      `May nag-login sa account mo hanggang sa code ng authenticator, at ilang beses nagbigay ng maling code, pinakahuli noong ${time}. Hindi nabuksan ang account gamit ang mga code na iyon.`,
      "Kung ikaw iyon, i-check ang oras ng phone mo o gumamit ng recovery code. Kung hindi, may nakakaalam na ng password mo: palitan ito agad at kontakin ang customer service.",
    ],
  }),
  /** The person who made it chose its name, which is not told. */
  passkey: ({ added }, { brand, time }) => {
    const done = added ? "added to" : "removed from";
    const ty = added ? "May bagong passkey" : "May inalis na passkey";
    return {
      en: [
        `A passkey was ${done} your ${brand} account`,
        `A passkey was ${done} your account on ${time}.`,
        NOT_ME_EN,
      ],
      ty: [`${ty} sa account mo sa ${brand}`, `${ty} sa account mo noong ${time}.`, NOT_ME_TY],
    };
  },
  externalAccount: ({ provider, added }, { brand, time }) => {
    const name = PROVIDERS[provider];
    const [done, state] = added
      ? ["added to", "opens your account"]
      : ["taken off", "opens your account no more"];
    const [ty, may] = added ? ["Na-link", "puwede nang"] : ["Inalis", "hindi na puwedeng"];
    return {
      en: [
        `${name} login was ${done} your ${brand} account`,
        `Since ${time} that ${name} account ${state}.`,
        NOT_ME_EN,
      ],
      ty: [
        `${ty} ang ${name} login sa account mo sa ${brand}`,
        `Simula ${time}, ${may} gamitin ang ${name} account na iyon para mag-login.`,
        NOT_ME_TY,
      ],
    };
  },
  /** The first withdrawal to a destination, which a thief may have requested. */
  newDestination: ({ destination, amount }, { brand, time }) => ({
    en: [
      `A withdrawal to a new number from your ${brand} account`,
      `On ${time} a withdrawal of ${amount} from your account to ${destination} was asked for. The number was not used before.`,
      "If it was you, there is nothing to do.",
      "If it was not you, change your password at once: that stops a withdrawal that has not been sent yet. Then contact customer service.",
    ],
    ty: [
      `Withdrawal sa bagong number mula sa account mo sa ${brand}`,
      `Noong ${time}, may humiling na mag-withdraw ng ${amount} mula sa account mo papunta sa ${destination}. Ngayon lang ginamit ang number na ito.`,
      "Kung ikaw ang humiling, wala kang kailangang gawin.",
      "Kung hindi ikaw, palitan agad ang password mo: mahihinto nito ang withdrawal na hindi pa naipapadala. Pagkatapos ay kontakin ang customer service.",
    ],
  }),
};

function paymentPassword({ brand, time }: Said): Texts {
  return {
    en: [
      `Your ${brand} payment password was changed`,
      `The payment password of your account was changed on ${time}.`,
      NOT_ME_EN,
    ],
    ty: [
      `Napalitan ang payment password mo sa ${brand}`,
      `Napalitan ang payment password ng account mo noong ${time}.`,
      NOT_ME_TY,
    ],
  };
}

/** It was reset by somebody who did not give the earlier one. */
function paymentPasswordReset({ brand, time, pays }: Said): Texts {
  return {
    en: [
      `Your ${brand} payment password was reset`,
      `The payment password of your account was set anew on ${time} without the one before. It confirms no withdrawal until ${pays}.`,
      NOT_ME_EN,
    ],
    ty: [
      `Na-reset ang payment password mo sa ${brand}`,
      `Na-reset ang payment password ng account mo noong ${time} nang hindi ibinigay ang dati. Hindi ito magagamit sa pag-withdraw hanggang ${pays}.`,
      NOT_ME_TY,
    ],
  };
}
