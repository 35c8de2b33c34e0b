import { type Messages, setupI18n } from "@lingui/core";
import { create } from "zustand";
import { readStorage, writeStorage } from "./browser-storage.ts";

export type TextValues = Readonly<Record<string, string | number>>;

type Load = () => Promise<{ default: Messages }>;

/** The texts of a language; those that are `later` load with the first screen that needs them. */
export interface Catalogue<Later extends string> {
  /** BCP 47 of the texts, for `lang` and their plurals. */
  readonly tag: string;
  readonly load: Load;
  readonly later: Readonly<Record<Later, Load>>;
}

/** A language as it is shown: its code for the server, its tag for dates, its direction. */
interface ShownLanguage {
  readonly code: string;
  readonly tag: string;
  readonly dir: "ltr" | "rtl";
}

interface TextsOptions<Later extends string> {
  /** By the code of each language that has texts of its own. */
  readonly catalogues: Readonly<Record<string, Catalogue<Later>>>;
  /** The texts that all other languages show. */
  readonly fallback: Catalogue<Later>;
  /** The language before a reader chooses one. It has texts of its own. */
  readonly initial: { readonly language: string; readonly tag: string };
  /** The choice's name in local storage. */
  readonly storageKey: string;
  /** Finds a language without texts of its own by its code. */
  readonly findOther: (code: string) => Promise<ShownLanguage | undefined>;
}

interface LanguageState {
  /** As the server knows it: TY, EN. */
  readonly language: string;
  /** BCP 47 of the language, which its texts may lack: dates and numbers are written by it. */
  readonly tag: string;
}

export interface Text<Id extends string> {
  readonly t: (id: Id, values?: TextValues) => string;
  readonly language: string;
  /** BCP 47, for names that the browser knows in every language. */
  readonly tag: string;
  /** `Nob 20, 2026, 8:45 PM`: an instant in the reader's own zone. */
  readonly when: (atMs: number) => string;
  readonly time: (atMs: number) => string;
  readonly number: (value: number) => string;
}

/** The texts of a page, in one language at a time. */
export function createTexts<Id extends string, Later extends string>(options: TextsOptions<Later>) {
  const { catalogues, fallback, initial, storageKey, findOther } = options;
  const i18n = setupI18n();
  /** The catalogue on show. */
  let shown = fallback;
  /** How often a language was chosen. */
  let choices = 0;
  const wanted = new Set<Later>();
  /** Changes only after the new catalogue has loaded, so nothing is ever shown half-translated. */
  const useLanguage = create<LanguageState>(() => initial);

  /** With all texts that a screen has asked for, even while this was loading. */
  async function messagesOf({ load, later }: Catalogue<Later>): Promise<Messages> {
    const { default: messages } = await load();
    for (const texts of wanted) Object.assign(messages, (await later[texts]()).default);
    return messages;
  }

  /** Loads the list of all languages only for one without texts; an unknown one is the default. */
  async function describe(code: string): Promise<ShownLanguage> {
    const own = catalogues[code];
    if (own !== undefined) return { code, tag: own.tag, dir: "ltr" };
    return (await findOther(code)) ?? describe(initial.language);
  }

  function textOf(id: Id, values?: TextValues): string {
    return i18n._(id, values === undefined ? undefined : { ...values });
  }

  return {
    textOf,
    currentLanguage: (): string => useLanguage.getState().language,
    /** Whether a language has texts of its own. */
    hasTexts: (code: string): boolean => Object.hasOwn(catalogues, code),
    /** The player's own choice, or null. */
    storedLanguage: (): string | null => readStorage("localStorage", storageKey),
    /**
     * Loads a language's texts and shows them, without a reload; remembers the choice. A language
     * without texts shows the fallback's and still sets dates, numbers and the direction. Of two
     * languages chosen before the first one's texts have loaded, the last one counts.
     */
    async switchLanguage(chosen: string): Promise<void> {
      choices += 1;
      const choice = choices;
      const { code, tag, dir } = await describe(chosen);
      const catalogue = catalogues[code] ?? fallback;
      const messages = await messagesOf(catalogue);
      if (choice !== choices) return;
      i18n.loadAndActivate({ locale: catalogue.tag, messages });
      shown = catalogue;
      const page = document.documentElement;
      // Screen readers read the text that is shown.
      page.lang = catalogue.tag;
      page.dir = dir;
      writeStorage("localStorage", storageKey, code);
      useLanguage.setState({ language: code, tag });
    },
    /**
     * For `lazy`: resolves to a screen's code once its later texts have loaded.
     * @param code the import of the code
     */
    async withTexts<M>(texts: Later, code: Promise<M>): Promise<M> {
      wanted.add(texts);
      const { tag, later } = shown;
      const [loaded, { default: messages }] = await Promise.all([code, later[texts]()]);
      i18n.load(tag, messages);
      return loaded;
    },
    /** The texts of the current language; the component is drawn again when it changes. */
    useText(): Text<Id> {
      const { language, tag } = useLanguage();
      return {
        t: textOf,
        language,
        tag,
        when: (atMs) => formatterOf(tag, "when").format(atMs),
        time: (atMs) => formatterOf(tag, "time").format(atMs),
        number: (value) => numbersIn(tag).format(value),
      };
    },
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
