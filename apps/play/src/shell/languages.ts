import { searchForm } from "./search-form.ts";

/** A language of the picker. */
export interface Language {
  /** The code that the server, the storage and the vendors use. */
  readonly code: string;
  /** BCP 47, for dates, numbers and names that the browser knows. */
  readonly tag: string;
  /** The language's own name for itself. */
  readonly name: string;
  /** ISO 3166-1 alpha-2 of the country of its flag. */
  readonly flag: string;
  readonly dir: "ltr" | "rtl";
}

/** From left to right by default. */
function language(
  code: string,
  tag: string,
  name: string,
  flag: string,
  dir: Language["dir"] = "ltr",
): Language {
  return { code, tag, name, flag, dir };
}

/**
 * Every language that can be chosen (specification, games §2.12): those with texts of their own
 * first, then Asia's, then the others.
 */
export const LANGUAGES: readonly Language[] = [
  language("TY", "fil", "Tagalog", "PH"),
  language("EN", "en", "English", "US"),
  language("CN", "zh-Hans", "简体中文", "CN"),
  language("TW", "zh-Hant-TW", "繁體中文（台灣）", "TW"),
  language("HK", "zh-Hant-HK", "繁體中文（香港）", "HK"),
  language("JA", "ja", "日本語", "JP"),
  language("KO", "ko", "한국어", "KR"),
  language("VI", "vi", "Tiếng Việt", "VN"),
  language("TH", "th", "ไทย", "TH"),
  language("ID", "id", "Bahasa Indonesia", "ID"),
  language("MS", "ms", "Bahasa Melayu", "MY"),
  language("KM", "km", "ភាសាខ្មែរ", "KH"),
  language("LO", "lo", "ລາວ", "LA"),
  language("MY", "my", "မြန်မာ", "MM"),
  language("HI", "hi", "हिन्दी", "IN"),
  language("BN", "bn", "বাংলা", "BD"),
  language("TA", "ta", "தமிழ்", "IN"),
  language("TE", "te", "తెలుగు", "IN"),
  language("NE", "ne", "नेपाली", "NP"),
  language("SI", "si", "සිංහල", "LK"),
  language("UR", "ur", "اردو", "PK", "rtl"),
  language("AR", "ar", "العربية", "SA", "rtl"),
  language("FA", "fa", "فارسی", "IR", "rtl"),
  language("HE", "he", "עברית", "IL", "rtl"),
  language("MN", "mn", "Монгол", "MN"),
  language("RU", "ru", "Русский", "RU"),
  language("UK", "uk", "Українська", "UA"),
  language("TR", "tr", "Türkçe", "TR"),
  language("DE", "de", "Deutsch", "DE"),
  language("FR", "fr", "Français", "FR"),
  language("ES", "es", "Español", "ES"),
  language("PT", "pt-BR", "Português", "BR"),
  language("IT", "it", "Italiano", "IT"),
  language("NL", "nl", "Nederlands", "NL"),
  language("PL", "pl", "Polski", "PL"),
];

const BY_CODE: ReadonlyMap<string, Language> = new Map(LANGUAGES.map((one) => [one.code, one]));

export function languageOf(code: string): Language | undefined {
  return BY_CODE.get(code);
}

export function languageName(code: string): string {
  return BY_CODE.get(code)?.name ?? code;
}

/**
 * Languages that match the typed text: their own name, their code or tag, or their name in the
 * reader's language.
 */
export function findLanguages(
  languages: readonly Language[],
  typed: string,
  nameOf: (tag: string) => string,
): Language[] {
  const wanted = searchForm(typed.trim());
  return languages.filter(
    ({ code, tag, name }) =>
      [name, nameOf(tag)].some((one) => searchForm(one).includes(wanted)) ||
      [code, tag].some((one) => one.toLowerCase() === wanted),
  );
}
