import { describe, expect, it } from "vitest";
import { deviceName } from "./device-name.ts";

describe("the name of a device", () => {
  const ANDROID =
    "Mozilla/5.0 (Linux; Android 14; SM-A155F) AppleWebKit/537.36 (KHTML, like Gecko)";
  it.each([
    [`${ANDROID} Chrome/126.0 Mobile Safari/537.36`, "Chrome · Android"],
    [
      `${ANDROID} SamsungBrowser/25.0 Chrome/121.0 Mobile Safari/537.36`,
      "Samsung Internet · Android",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1",
      "Safari · iPhone",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0",
      "Edge · Windows",
    ],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", "Firefox · Linux"],
    ["curl/8.5.0", null],
    ["", null],
  ])("of %s is read from its user agent", (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name);
  });
});
