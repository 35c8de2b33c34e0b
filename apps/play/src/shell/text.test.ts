// @vitest-environment jsdom
import { act, createElement } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import en from "../locales/en/agent.json" with { type: "json" };
import ty from "../locales/ty/agent.json" with { type: "json" };

beforeEach(() => {
  localStorage.clear();
  // Loaded texts stay, so each test begins without any.
  vi.resetModules();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  ["EN", "1,234.5", /Nov 20, 2026/, "Close"],
  ["DE", "1.234,5", /20\.11\.2026/, "Close"],
  ["FA", "۱٬۲۳۴٫۵", /۱۴۰۵/, "Close"],
])(
  "[G2.12-05] numbers and dates follow %s, and a text that it lacks is English",
  async (language, number, day, close) => {
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
    const { switchLanguage, useText } = await import("./text.ts");
    await switchLanguage(language);
    const place = document.createElement("div");
    const root = createRoot(place);
    const Shown = () => {
      const text = useText();
      const shown = [text.number(1_234.5), text.when(Date.UTC(2026, 10, 20, 11))];
      return createElement("p", null, [...shown, text.t("shell.close")].join("|"));
    };
    await act(async () => root.render(createElement(Shown)));
    const [shownNumber, shownDay, shownClose] = place.textContent?.split("|") ?? [];
    await act(async () => root.unmount());
    expect([shownNumber, shownClose]).toEqual([number, close]);
    expect(shownDay).toMatch(day);
  },
);

it("[G2.12-02 G2.12-04] of two languages chosen one after the other the last one counts, whichever texts load first", async () => {
  const { currentLanguage, storedLanguage, switchLanguage, textOf } = await import("./text.ts");
  // Japanese is looked up in the list of all languages first, which loads by itself.
  await Promise.all([switchLanguage("JA"), switchLanguage("TY")]);
  expect([currentLanguage(), storedLanguage()]).toEqual(["TY", "TY"]);
  expect(textOf("shell.close")).not.toBe("Close");
});

describe("texts that load later", () => {
  it("come with the screen that needs them, and in every language after it", async () => {
    const { switchLanguage, textOf, withTexts } = await import("./text.ts");
    await switchLanguage("TY");
    expect(textOf("agent.accept")).toBe("agent.accept");
    expect(textOf("shell.close")).not.toBe("shell.close");
    const code = { default: "a screen" };
    // The language changes while they load.
    const [loaded] = await Promise.all([
      withTexts("agent", Promise.resolve(code)),
      switchLanguage("EN"),
    ]);
    expect(loaded).toBe(code);
    expect(textOf("agent.accept")).toBe(en["agent.accept"]);
    await switchLanguage("TY");
    expect(textOf("agent.accept")).toBe(ty["agent.accept"]);
    // A language without texts of its own shows the English ones.
    await switchLanguage("JA");
    expect(textOf("agent.accept")).toBe(en["agent.accept"]);
  });

  it("fail the screen if they do not load, and the screen says so", async () => {
    const { withTexts } = await import("./text.ts");
    await expect(withTexts("agent", Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  });
});
