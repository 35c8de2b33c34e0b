/// <reference path="./catalogue.d.ts" />
import { type Catalogue, createTexts, type Text as TextsOf } from "@perya/client/texts";
import type activity from "../locales/en/activity.json";
import type agent from "../locales/en/agent.json";
import type app from "../locales/en/app.json";
import type auth from "../locales/en/auth.json";
import type cashier from "../locales/en/cashier.json";
import type errors from "../locales/en/errors.json";
import type fairness from "../locales/en/fairness.json";
import type feedback from "../locales/en/feedback.json";
import type games from "../locales/en/games.json";
import type help from "../locales/en/help.json";
import type home from "../locales/en/home.json";
import type invite from "../locales/en/invite.json";
import type lottery from "../locales/en/lottery.json";
import type manual from "../locales/en/manual.json";
import type member from "../locales/en/member.json";
import type notice from "../locales/en/notice.json";
import type rain from "../locales/en/rain.json";
import type records from "../locales/en/records.json";
import type security from "../locales/en/security.json";
import type shell from "../locales/en/shell.json";
import type social from "../locales/en/social.json";
import type speed from "../locales/en/speed.json";
import type sports from "../locales/en/sports.json";
import { DEFAULT_LANGUAGE } from "./client-config.ts";

export type MessageId = keyof (typeof activity &
  typeof agent &
  typeof app &
  typeof auth &
  typeof cashier &
  typeof errors &
  typeof fairness &
  typeof feedback &
  typeof games &
  typeof help &
  typeof home &
  typeof invite &
  typeof lottery &
  typeof manual &
  typeof member &
  typeof notice &
  typeof rain &
  typeof records &
  typeof security &
  typeof shell &
  typeof social &
  typeof speed &
  typeof sports);

/** Texts that load with the first screen that needs them. */
export type LaterTexts = "agent" | "fairness" | "manual" | "rain" | "sports";

const ENGLISH: Catalogue<LaterTexts> = {
  tag: "en",
  load: () => import("virtual:catalogue/EN"),
  later: {
    agent: () => import("virtual:catalogue/EN/agent"),
    fairness: () => import("virtual:catalogue/EN/fairness"),
    manual: () => import("virtual:catalogue/EN/manual"),
    rain: () => import("virtual:catalogue/EN/rain"),
    sports: () => import("virtual:catalogue/EN/sports"),
  },
};
/** Languages that have texts of their own; the others show English. */
const CATALOGUES: Readonly<Record<string, Catalogue<LaterTexts>>> = {
  TY: {
    tag: "fil",
    load: () => import("virtual:catalogue/TY"),
    later: {
      agent: () => import("virtual:catalogue/TY/agent"),
      fairness: () => import("virtual:catalogue/TY/fairness"),
      manual: () => import("virtual:catalogue/TY/manual"),
      rain: () => import("virtual:catalogue/TY/rain"),
      sports: () => import("virtual:catalogue/TY/sports"),
    },
  },
  EN: ENGLISH,
};

export type { TextValues } from "@perya/client/texts";
export type Text = TextsOf<MessageId>;
export const {
  textOf,
  currentLanguage,
  hasTexts,
  storedLanguage,
  switchLanguage,
  withTexts,
  useText,
} = createTexts<MessageId, LaterTexts>({
  catalogues: CATALOGUES,
  fallback: ENGLISH,
  initial: { language: DEFAULT_LANGUAGE, tag: "fil" },
  storageKey: "MC_LANGUAGE",
  findOther: async (code) => (await import("./languages.ts")).languageOf(code),
});
