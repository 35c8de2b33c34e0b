import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { catalogues } from "../../../packages/client/build/catalogues.ts";

const LOCALES = fileURLToPath(new URL("../src/locales/", import.meta.url));
/** Files of texts that load with their screens: see `LaterTexts`. */
const LATER = ["agent", "fairness", "manual", "rain", "sports"];

/** The texts of the app. */
export function ownTexts(): Plugin {
  return catalogues(LOCALES, LATER);
}
