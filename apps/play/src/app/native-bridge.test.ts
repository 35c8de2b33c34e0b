import { describe, expect, it, vi } from "vitest";
import { openOutside } from "./native-bridge.ts";

describe("the app's shell", () => {
  it("[G7-18] opens outside addresses by the bridge of its phone, in Safari or on Android", () => {
    const postMessage = vi.fn();
    const openInBrowser = vi.fn();
    const url = "https://t.me/perya";
    expect(
      openOutside(url, { webkit: { messageHandlers: { openInSafari: { postMessage } } } }),
    ).toBe(true);
    expect(postMessage).toHaveBeenCalledExactlyOnceWith(url);
    expect(openOutside(url, { PeryaAndroid: { openInBrowser } })).toBe(true);
    expect(openInBrowser).toHaveBeenCalledExactlyOnceWith(url);
  });

  it("leaves a link alone where it has no bridge", () => {
    expect(openOutside("https://t.me/perya", {})).toBe(false);
    expect(openOutside("https://t.me/perya", { webkit: { messageHandlers: {} } })).toBe(false);
  });
});
