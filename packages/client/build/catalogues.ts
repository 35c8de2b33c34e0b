import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

const PREFIX = "virtual:catalogue/";

/**
 * Compiles each language's folder to one module, `virtual:catalogue/TY`, without the later texts,
 * whose files become one module each: `virtual:catalogue/TY/agent`.
 * @param locales a folder per language, with files of texts
 * @param later names of files that load with their screens, not with the first page
 */
export function catalogues(locales: string, later: readonly string[]): Plugin {
  return {
    name: "catalogues",
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return null;
      const [language = "", one] = id.slice(PREFIX.length + 1).split("/");
      const folder = join(locales, language.toLowerCase());
      if (!existsSync(folder)) throw new Error(`there is no catalogue in ${folder}`);
      const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ""));
      const wanted = names.filter((name) =>
        one === undefined ? !later.includes(name) : name === one,
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
