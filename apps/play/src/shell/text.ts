/// <reference path="../catalogue.d.ts" />
import { type Messages, setupI18n } from "@lingui/core";
import { create } from "zustand";
import type activity from "../locales/en/activity.json";
import type auth from "../locales/en/auth.json";
import type cashier from "../locales/en/cashier.json";
import type errors from "../locales/en/errors.json";
import type fairness from "../locales/en/fairness.json";
import type feedback from "../locales/en/feedback.json";
import type games from "../locales/en/games.json";
import type help from "../locales/en/help.json";
import type home from "../locales/en/home.json";
import type invite from "../locales/en/invite.json";
import type member from "../locales/en/member.json";
import type notice from "../locales/en/notice.json";
import type records from "../locales/en/records.json";
import type security from "../locales/en/security.json";
import type shell from "../locales/en/shell.json";
import { DEFAULT_LANGUAGE } from "./client-config.ts";

export type MessageId = keyof (typeof activity &
  typeof auth &
  typeof cashier &
  typeof errors &
  typeof fairness &
  typeof feedback &
  typeof games &
  typeof help &
  typeof home &
  typeof invite &
  typeof member &
  typeof notice &
  typeof records &
  typeof security &
  typeof shell);

export type TextValues = Readonly<Record<string, string | number>>;

interface Catalogue {
  /** BCP 47, for `lang`, numbers and dates. */
  readonly tag: string;
  /** The language's own name for itself. */
  readonly name: string;
  readonly load: () => Promise<{ default: Messages }>;
}

/** Languages that have texts of their own; others of the brand's list show English. */
const CATALOGUES: Readonly<Record<string, Catalogue>> = {
  TY: { tag: "fil", name: "Tagalog", load: () => import("virtual:catalogue/TY") },
  EN: { tag: "en", name: "English", load: () => import("virtual:catalogue/EN") },
};
const FALLBACK_LANGUAGE = "EN";
const STORAGE_KEY = "MC_LANGUAGE";

const i18n = setupI18n();

interface LanguageState {
  /** As the server knows it: TY, EN. */
  readonly language: string;
  readonly tag: string;
}

/** Changes only after the new catalogue is there, so nothing is ever shown half-translated. */
const useLanguage = create<LanguageState>(() => ({ language: DEFAULT_LANGUAGE, tag: "fil" }));

export function currentLanguage(): string {
  return useLanguage.getState().language;
}

export function languageName(code: string): string {
  return CATALOGUES[code]?.name ?? code;
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

/** Loads a language's texts and shows them, without a reload; remembers the choice. */
export async function switchLanguage(language: string): Promise<void> {
  const catalogue = CATALOGUES[language] ?? CATALOGUES[FALLBACK_LANGUAGE];
  if (catalogue === undefined) return;
  const { default: messages } = await catalogue.load();
  i18n.loadAndActivate({ locale: catalogue.tag, messages });
  document.documentElement.lang = catalogue.tag;
  try {
    localStorage.setItem(STORAGE_KEY, language);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  useLanguage.setState({ language, tag: catalogue.tag });
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
    number: (value) => i18n.number(value),
  };
}

const STYLES = {
  when: { dateStyle: "medium", timeStyle: "short" },
  time: { timeStyle: "short" },
} as const;
const formatters = new Map<string, Intl.DateTimeFormat>();

/** A formatter takes longer to make than to use. */
function formatterOf(tag: string, style: keyof typeof STYLES): Intl.DateTimeFormat {
  const key = `${tag} ${style}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(tag, STYLES[style]);
  formatters.set(key, made);
  return made;
}
