import { writeStorage } from "@perya/client/browser-storage";
import { runMode } from "../shell/run-mode.ts";

/** The only theme; the choice is stored like any other (specification, accounts §1). */
const THEME = "dark";
const STORAGE_KEY = "MC_THEME";

/** Always dark, whatever the device prefers; inside the app's shell with its own style too. */
export function applyStyle(root: HTMLElement): void {
  root.dataset.theme = THEME;
  root.classList.toggle("app-shell", runMode() === "APP");
  writeStorage("localStorage", STORAGE_KEY, THEME);
}
