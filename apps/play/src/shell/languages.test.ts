import { describe, expect, it } from "vitest";
import { findLanguages, LANGUAGES, languageName, languageOf } from "./languages.ts";

const names = new Intl.DisplayNames(["en"], { type: "language" });
const find = (typed: string) =>
  findLanguages(LANGUAGES, typed, (tag) => names.of(tag) ?? tag).map(({ code }) => code);

/** The tag of each code, and the country of the flag beside it. */
const TAGS_AND_FLAGS = [
  ...["TY fil PH", "EN en US", "CN zh-Hans CN", "TW zh-Hant-TW TW", "HK zh-Hant-HK HK"],
  ...["JA ja JP", "KO ko KR", "VI vi VN", "TH th TH", "ID id ID", "MS ms MY", "KM km KH"],
  ...["LO lo LA", "MY my MM", "HI hi IN", "BN bn BD", "TA ta IN", "TE te IN", "NE ne NP"],
  ...["SI si LK", "UR ur PK", "AR ar SA", "FA fa IR", "HE he IL", "MN mn MN", "RU ru RU"],
  ...["UK uk UA", "TR tr TR", "DE de DE", "FR fr FR", "ES es ES", "PT pt-BR BR", "IT it IT"],
  ...["NL nl NL", "PL pl PL"],
];
/** Names that differ in Unicode's list: shorter, longer, or of the language's other name. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  TY: "Tagalog",
  CN: "简体中文",
  TW: "繁體中文（台灣）",
  HK: "繁體中文（香港）",
  ID: "Bahasa Indonesia",
  MS: "Bahasa Melayu",
  KM: "ភាសាខ្មែរ",
};

/** A language's name for itself by Unicode's list, capitalised. */
function own(tag: string): string {
  const { language } = new Intl.Locale(tag);
  const name = new Intl.DisplayNames([tag], { type: "language" }).of(language) ?? "";
  return name.slice(0, 1).toLocaleUpperCase(tag) + name.slice(1);
}

describe("languages", () => {
  it("[G2.12-01] are 35, each with its own code, name and tag, and a flag", () => {
    expect(LANGUAGES).toHaveLength(35);
    for (const key of ["code", "name", "tag"] as const) {
      expect(new Set(LANGUAGES.map((one) => one[key])).size, key).toBe(35);
    }
    for (const { code, tag, name, flag } of LANGUAGES) {
      // The server's own form of a language.
      expect(code).toMatch(/^[A-Z]{2}$/);
      expect(flag).toMatch(/^[A-Z]{2}$/);
      expect(Intl.getCanonicalLocales(tag)).toEqual([tag]);
      expect(Intl.DateTimeFormat.supportedLocalesOf(tag), tag).toEqual([tag]);
      expect(name).not.toBe("");
    }
    expect(LANGUAGES.slice(0, 2).map(({ code }) => code)).toEqual(["TY", "EN"]);
    expect(languageOf("TY")?.tag).toBe("fil");
    expect(languageOf("XX")).toBeUndefined();
    expect(languageName("KO")).toBe("한국어");
    expect(languageName("XX")).toBe("XX");
  });

  it("[G2.12-01] have their own tag, flag and name", () => {
    expect(LANGUAGES.map(({ code, tag, flag }) => `${code} ${tag} ${flag}`)).toEqual(
      TAGS_AND_FLAGS,
    );
    for (const { code, tag, name } of LANGUAGES)
      expect(name, code).toBe(OWN_NAMES[code] ?? own(tag));
  });

  it("[G2.12-05] run from right to left where their scripts do", () => {
    const scripts = (tag: string) => new Intl.Locale(tag).maximize().script ?? "";
    for (const { tag, dir } of LANGUAGES) {
      expect(dir, tag).toBe(["Arab", "Hebr"].includes(scripts(tag)) ? "rtl" : "ltr");
    }
  });

  it("are found by their own name, the reader's name for them, and their code or tag", () => {
    expect(find("tagal")).toEqual(["TY"]);
    expect(find("chinese")).toEqual(["CN", "TW", "HK"]);
    expect(find("中文")).toEqual(["CN", "TW", "HK"]);
    expect(find("portugues")).toEqual(["PT"]);
    expect(find("tieng viet")).toEqual(["VI"]);
    expect(find("한국")).toEqual(["KO"]);
    expect(find("ไทย")).toEqual(["TH"]);
    expect(find("KM")).toEqual(["KM"]);
    expect(find("zh-hans")).toEqual(["CN"]);
    expect(find("  ")).toHaveLength(35);
    expect(find("klingon")).toEqual([]);
  });
});
