import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

const LOCALES = fileURLToPath(new URL("../src/locales/", import.meta.url));
const PREFIX = "virtual:catalogue/";

/** Files of texts that come with the screens they are for, rather than with the first page. */
const LATER = ["agent", "fairness", "manual", "rain", "sports"];

/**
 * Gives each language of `src/locales` as one compiled module, `virtual:catalogue/TY`, but for
 * the texts that come later, each file of which is one too: `virtual:catalogue/TY/agent`.
 */
export function catalogues(): Plugin {
  return {
    name: "catalogues",
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return null;
      const [language = "", later] = id.slice(PREFIX.length + 1).split("/");
      const folder = join(LOCALES, language.toLowerCase());
      if (!existsSync(folder)) throw new Error(`there is no catalogue in ${folder}`);
      const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ""));
      const wanted = names.filter((name) =>
        later === undefined ? !LATER.includes(name) : name === later,
      );
      const compiled: Record<string, unknown> = {};
      for (const name of wanted.sort()) {
        const file = join(folder, `${name}.json`);
        this.addWatchFile(file);
        const texts: Record<string, string> = JSON.parse(readFileSync(file, "utf8"));
        for (const [key, text] of Object.entries(texts)) {
          compiled[key] = compileMessageOrThrow(text);
        }
      }
      // Text in a string is parsed faster than an object literal of this size.
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(compiled))});`;
    },
  };
}
