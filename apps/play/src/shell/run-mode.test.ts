import { describe, expect, it } from "vitest";
import { isInstalled, runModeOf } from "./run-mode.ts";

const TAB = { userAgent: "Mozilla/5.0 (Linux; Android 14)", displayedAlone: false };

describe("how the page runs", () => {
  it("[A2.4-17] is detected as the app's shell, a tab, or a home screen of two kinds", () => {
    expect(runModeOf({ ...TAB, webClip: undefined })).toBe("H5");
    expect(runModeOf({ ...TAB, webClip: false })).toBe("H5");
    expect(runModeOf({ ...TAB, displayedAlone: true, webClip: undefined })).toBe("PWA");
    expect(runModeOf({ ...TAB, displayedAlone: true, webClip: true })).toBe("WEBCLIP");
    const userAgent = `${TAB.userAgent} PeryaApp/1.2`;
    expect(runModeOf({ userAgent, displayedAlone: false, webClip: undefined })).toBe("APP");
  });

  it("is an installed app's only from the home screen", () => {
    expect((["APP", "H5", "PWA", "WEBCLIP"] as const).filter(isInstalled)).toEqual([
      "PWA",
      "WEBCLIP",
    ]);
  });
});
