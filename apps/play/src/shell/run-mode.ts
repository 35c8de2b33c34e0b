/** How the page runs: in the app's shell, in a browser, or from the home screen in two ways. */
export type RunMode = "APP" | "H5" | "PWA" | "WEBCLIP";

/** The app shell's mark in its user agent. */
const APP_SHELL = /\bPeryaApp\//;

interface Surroundings {
  readonly userAgent: string;
  /** The display mode that the browser reports is `standalone`. */
  readonly displayedAlone: boolean;
  /** Safari's own flag; absent in every other browser. */
  readonly webClip: boolean | undefined;
}

/** One detection decides on the header `device` and on `registerMethod`. */
export function runModeOf({ userAgent, displayedAlone, webClip }: Surroundings): RunMode {
  if (APP_SHELL.test(userAgent)) return "APP";
  if (webClip === true) return "WEBCLIP";
  if (!displayedAlone) return "H5";
  return webClip === undefined ? "PWA" : "WEBCLIP";
}

export function runMode(): RunMode {
  const webClip = "standalone" in navigator ? navigator.standalone === true : undefined;
  return runModeOf({
    userAgent: navigator.userAgent,
    displayedAlone: matchMedia("(display-mode: standalone)").matches,
    webClip,
  });
}

/** Started from the home screen. */
export function isInstalled(mode: RunMode): boolean {
  return mode === "PWA" || mode === "WEBCLIP";
}
