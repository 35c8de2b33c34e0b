import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import type { Plugin } from "vite";

const LOCALES = fileURLToPath(new URL("../src/locales/", import.meta.url));
const PREFIX = "virtual:catalogue/";

/** Gives each language of `src/locales` as one compiled module, `virtual:catalogue/TY`. */
export function catalogues(): Plugin {
  return {
    name: "catalogues",
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return null;
      const folder = join(LOCALES, id.slice(PREFIX.length + 1).toLowerCase());
      if (!existsSync(folder)) throw new Error(`there is no catalogue in ${folder}`);
      const compiled: Record<string, unknown> = {};
      for (const name of readdirSync(folder).sort()) {
        const file = join(folder, name);
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
