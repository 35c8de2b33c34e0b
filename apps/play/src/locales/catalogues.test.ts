import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CompiledMessage, compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import { describe, expect, it } from "vitest";

const LOCALES = dirname(fileURLToPath(import.meta.url));
/** What all apps say stands in the client. */
const SOURCES = [dirname(LOCALES), join(LOCALES, "../../../../packages/client/src")];

type Texts = Readonly<Record<string, string>>;

const en = readLanguage("en");
const ty = readLanguage("ty");
const used = idsInSource();

describe("catalogues", () => {
  it("name an id once in a language", () => {
    expect(en.twice).toEqual([]);
    expect(ty.twice).toEqual([]);
  });

  it("hold the same ids in English and in Tagalog, in the same files", () => {
    expect(ty.byFile).toEqual(en.byFile);
  });

  it("leave no text empty", () => {
    const empty = [en, ty].flatMap(({ texts }) =>
      Object.entries(texts).filter(([, text]) => text.trim() === ""),
    );
    expect(empty).toEqual([]);
  });

  it("take the same values in every language", () => {
    const differing = Object.keys(en.texts).filter(
      (id) => placeholders(en.texts[id]).join() !== placeholders(ty.texts[id]).join(),
    );
    expect(differing).toEqual([]);
  });

  it("hold a name apart from its text by U+2068 and U+2069, so that letters read from the right turn themselves alone", () => {
    const named = [en, ty].flatMap(({ texts }) =>
      Object.entries(texts).filter(([, text]) => text.includes("{name}")),
    );
    expect(named).not.toEqual([]);
    const bare = named.filter(([, text]) => /(?<!\u2068)\{name\}|\{name\}(?!\u2069)/.test(text));
    expect(bare).toEqual([]);
  });

  it("hold every id that the source asks for", () => {
    const missing = [...used.ids].filter((id) => !Object.hasOwn(en.texts, id));
    expect(missing).toEqual([]);
  });

  it("hold every text of an attribute that players read or hear", () => {
    const own =
      /\b(?:aria-label|aria-description|alt|title|placeholder|label)="([^"]*\p{L}{2}[^"]*)"/gu;
    const bare = sources()
      .flatMap((code) => [...code.matchAll(own)].map(([, text = ""]) => text))
      .filter((text) => !Object.hasOwn(en.texts, text));
    // An example of an id, and the form of a date that every language writes so.
    expect(bare.toSorted()).toEqual(["YYYY-MM-DD", "rnd_…"]);
  });

  it("hold no id that nothing asks for", () => {
    const asked = (id: string) => used.ids.has(id) || used.patterns.some((form) => form.test(id));
    expect(Object.keys(en.texts).filter((id) => !asked(id))).toEqual([]);
  });
});

function readLanguage(language: string) {
  const texts: Record<string, string> = {};
  const byFile: Record<string, string[]> = {};
  const twice: string[] = [];
  for (const name of readdirSync(join(LOCALES, language)).sort()) {
    const file: Texts = JSON.parse(readFileSync(join(LOCALES, language, name), "utf8"));
    byFile[name] = Object.keys(file).sort();
    for (const [id, text] of Object.entries(file)) {
      if (Object.hasOwn(texts, id)) twice.push(id);
      texts[id] = text;
    }
  }
  return { texts, byFile, twice };
}

/** Names of the values that a text wants, in its plural branches too; throws on broken ICU. */
function placeholders(text: string | undefined): string[] {
  const names = new Set<string>();
  const walk = (message: CompiledMessage) => {
    for (const token of message) {
      if (typeof token === "string") continue;
      const [name, , format] = token;
      if (name !== "#") names.add(name);
      if (typeof format !== "object" || format === null) continue;
      for (const branch of Object.values(format)) {
        if (Array.isArray(branch)) walk(branch);
        else if (typeof branch === "object" && branch !== null) walk(Object.values(branch));
      }
    }
  };
  walk(compileMessageOrThrow(text ?? ""));
  return [...names].sort();
}

/** Ids stand in the source as whole strings, or as templates whose gap any name may fill. */
function idsInSource() {
  const prefixes = new Set(Object.keys(en.texts).map((id) => id.split(".")[0]));
  const ids = new Set<string>();
  const patterns: RegExp[] = [];
  for (const code of sources()) {
    for (const [, id = ""] of code.matchAll(/"([a-z]+\.[A-Za-z0-9_.-]+)"/g)) {
      if (prefixes.has(id.split(".")[0])) ids.add(id);
    }
    for (const [, form = ""] of code.matchAll(/`([a-z]+\.[A-Za-z0-9_.${}-]*\$\{[^`]*)`/g)) {
      if (!prefixes.has(form.split(".")[0])) continue;
      const parts = form.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(".", "\\."));
      patterns.push(new RegExp(`^${parts.join("[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")}$`));
    }
  }
  return { ids, patterns };
}

/** The code of every file that is no test. */
function sources(): string[] {
  return SOURCES.flatMap((source) =>
    readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((path) => /(?<!\.test)\.tsx?$/.test(path))
      .map((path) => readFileSync(join(source, path), "utf8")),
  );
}
