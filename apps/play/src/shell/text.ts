/// <reference path="./catalogue.d.ts" />
import { type Messages, setupI18n } from "@lingui/core";
import { create } from "zustand";
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
import type { Language } from "./languages.ts";

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

export type TextValues = Readonly<Record<string, string | number>>;

/** Texts that come with the first screen that needs them. */
export type LaterTexts = "agent" | "fairness" | "manual" | "rain" | "sports";
type Load = () => Promise<{ default: Messages }>;

interface Catalogue {
  /** BCP 47 of the texts, for `lang` and their plurals. */
  readonly tag: string;
  readonly load: Load;
  readonly later: Readonly<Record<LaterTexts, Load>>;
}

const ENGLISH: Catalogue = {
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
const CATALOGUES: Readonly<Record<string, Catalogue>> = {
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
const STORAGE_KEY = "MC_LANGUAGE";

const i18n = setupI18n();
/** Whose texts are shown. */
let shown = ENGLISH;
/** How often a language was chosen. */
let choices = 0;
const wanted = new Set<LaterTexts>();

interface LanguageState {
  /** As the server knows it: TY, EN. */
  readonly language: string;
  /** BCP 47 of the language, which its texts may lack: dates and numbers are written by it. */
  readonly tag: string;
}

/** Changes only after the new catalogue is there, so nothing is ever shown half-translated. */
const useLanguage = create<LanguageState>(() => ({ language: DEFAULT_LANGUAGE, tag: "fil" }));

export function currentLanguage(): string {
  return useLanguage.getState().language;
}

/** Whether a language has texts of its own. */
export function hasTexts(code: string): boolean {
  return Object.hasOwn(CATALOGUES, code);
}

/** The player's own choice; null for none yet. */
export function storedLanguage(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    // Storage can be forbidden; the site then starts in its own language.
    return null;
  }
}

/**
 * Loads a language's texts and shows them, without a reload; remembers the choice. A language
 * without texts shows the English ones and still turns dates, numbers and the direction. Of two
 * that are chosen before the first one's texts are here, the last one counts.
 */
export async function switchLanguage(chosen: string): Promise<void> {
  choices += 1;
  const choice = choices;
  const { code, tag, dir } = await describe(chosen);
  const catalogue = CATALOGUES[code] ?? ENGLISH;
  const messages = await messagesOf(catalogue);
  if (choice !== choices) return;
  i18n.loadAndActivate({ locale: catalogue.tag, messages });
  shown = catalogue;
  const page = document.documentElement;
  // What is read aloud is the text that stands there.
  page.lang = catalogue.tag;
  page.dir = dir;
  try {
    localStorage.setItem(STORAGE_KEY, code);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  useLanguage.setState({ language: code, tag });
}

/**
 * The code of a screen whose texts come later, once they are there: for `lazy`.
 * @param code what imports it
 */
export async function withTexts<M>(texts: LaterTexts, code: Promise<M>): Promise<M> {
  wanted.add(texts);
  const { tag, later } = shown;
  const [loaded, { default: messages }] = await Promise.all([code, later[texts]()]);
  i18n.load(tag, messages);
  return loaded;
}

/** With all that a screen has asked for, even while this was on its way. */
async function messagesOf({ load, later }: Catalogue): Promise<Messages> {
  const { default: messages } = await load();
  for (const texts of wanted) Object.assign(messages, (await later[texts]()).default);
  return messages;
}

/** The list of all languages comes only for one without texts; what it lacks is the default. */
async function describe(code: string): Promise<Pick<Language, "code" | "tag" | "dir">> {
  const own = CATALOGUES[code];
  if (own !== undefined) return { code, tag: own.tag, dir: "ltr" };
  const { languageOf } = await import("./languages.ts");
  return languageOf(code) ?? describe(DEFAULT_LANGUAGE);
}

/** A text of the current language, for code outside of components. */
export function textOf(id: MessageId, values?: TextValues): string {
  return i18n._(id, values === undefined ? undefined : { ...values });
}

export interface Text {
  readonly t: (id: MessageId, values?: TextValues) => string;
  readonly language: string;
  /** BCP 47, for names that the browser knows in every language. */
  readonly tag: string;
  /** `Nob 20, 2026, 8:45 PM`: an instant in the player's own zone. */
  readonly when: (atMs: number) => string;
  readonly time: (atMs: number) => string;
  readonly number: (value: number) => string;
}

/** The texts of the current language; the component is drawn again when it changes. */
export function useText(): Text {
  const { language, tag } = useLanguage();
  return {
    t: textOf,
    language,
    tag,
    when: (atMs) => formatterOf(tag, "when").format(atMs),
    time: (atMs) => formatterOf(tag, "time").format(atMs),
    number: (value) => numbersIn(tag).format(value),
  };
}

const STYLES = {
  when: { dateStyle: "medium", timeStyle: "short" },
  time: { timeStyle: "short" },
} as const;
const formatters = new Map<string, Intl.DateTimeFormat>();
const numberFormatters = new Map<string, Intl.NumberFormat>();

/** A formatter takes longer to make than to use. */
function formatterOf(tag: string, style: keyof typeof STYLES): Intl.DateTimeFormat {
  const key = `${tag} ${style}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(tag, STYLES[style]);
  formatters.set(key, made);
  return made;
}

function numbersIn(tag: string): Intl.NumberFormat {
  const known = numberFormatters.get(tag);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(tag);
  numberFormatters.set(tag, made);
  return made;
}
