import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type Language = "ty" | "en";

/** The app's own texts: a journey finds a control by the name that players see. */
export function textsOf(
  language: Language,
): (id: string, values?: Record<string, string>) => string {
  const folder = fileURLToPath(
    new URL(`../../apps/play/src/locales/${language}/`, import.meta.url),
  );
  const texts: Record<string, string> = {};
  for (const file of readdirSync(folder)) {
    Object.assign(texts, JSON.parse(readFileSync(folder + file, "utf8")));
  }
  return (id, values = {}) => {
    const text = texts[id];
    if (text === undefined) throw new Error(`no text ${id} in ${language}`);
    return text.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? "");
  };
}
