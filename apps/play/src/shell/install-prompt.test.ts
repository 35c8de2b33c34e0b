import { afterEach, expect, it, vi } from "vitest";
import { runsInBrowser } from "./install-prompt.ts";

afterEach(() => vi.unstubAllGlobals());

it.each([
  ["in a browser's tab", "Mozilla/5.0", false, undefined, true],
  ["in a tab of Safari", "Mozilla/5.0", false, false, true],
  ["as an installed app", "Mozilla/5.0", true, undefined, false],
  ["as a web clip", "Mozilla/5.0", false, true, false],
  ["in the app's own shell", "Mozilla/5.0 PeryaApp/1.2", false, undefined, false],
])(
  "[G2.5-13] the app is offered where the page does not run as one: %s",
  (_, userAgent, alone, standalone, isOffered) => {
    vi.stubGlobal("matchMedia", () => ({ matches: alone }));
    vi.stubGlobal("navigator", { userAgent, ...(standalone === undefined ? {} : { standalone }) });
    expect(runsInBrowser()).toBe(isOffered);
  },
);
