import { create } from "zustand";
import { isInstalled, runMode } from "./run-mode.ts";

/** Chromium's own install question; the DOM library has no type for it. */
interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
  readonly userChoice: Promise<{ readonly outcome: "accepted" | "dismissed" }>;
}

const useInstallPrompt = create<{ readonly prompt: InstallPrompt | null }>(() => ({
  prompt: null,
}));

/** The browser offers it once, soon after the page loads, so it is kept from the start. */
export function keepInstallPrompt(): void {
  window.addEventListener("beforeinstallprompt", (event) => {
    // We ask at a place and time of our own.
    event.preventDefault();
    // The browser's event of this name is such a prompt.
    useInstallPrompt.setState({ prompt: event as InstallPrompt });
  });
  window.addEventListener("appinstalled", () => useInstallPrompt.setState({ prompt: null }));
}

/** Asks the browser to install the app; null where it cannot, or has done so. */
export function useInstall(): (() => Promise<void>) | null {
  const prompt = useInstallPrompt((state) => state.prompt);
  if (prompt === null) return null;
  return async () => {
    // A prompt is valid for one question.
    useInstallPrompt.setState({ prompt: null });
    await prompt.prompt();
    await prompt.userChoice;
  };
}

/** Whether the app can be offered: the page runs in a browser, not as the app. */
export function runsInBrowser(): boolean {
  const mode = runMode();
  return mode !== "APP" && !isInstalled(mode);
}
