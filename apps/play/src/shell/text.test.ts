// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";
import en from "../locales/en/agent.json" with { type: "json" };
import ty from "../locales/ty/agent.json" with { type: "json" };

beforeEach(() => {
  localStorage.clear();
  // Texts that have come stay; each test begins without any.
  vi.resetModules();
});

describe("texts that come later", () => {
  it("are there with the screen that asks for them, and in every language after it", async () => {
    const { switchLanguage, textOf, withTexts } = await import("./text.ts");
    await switchLanguage("TY");
    expect(textOf("agent.accept")).toBe("agent.accept");
    expect(textOf("shell.close")).not.toBe("shell.close");
    const code = { default: "a screen" };
    // The language is turned while they are on their way.
    const [loaded] = await Promise.all([
      withTexts("agent", Promise.resolve(code)),
      switchLanguage("EN"),
    ]);
    expect(loaded).toBe(code);
    expect(textOf("agent.accept")).toBe(en["agent.accept"]);
    await switchLanguage("TY");
    expect(textOf("agent.accept")).toBe(ty["agent.accept"]);
    // One without texts of its own shows the English ones.
    await switchLanguage("JA");
    expect(textOf("agent.accept")).toBe(en["agent.accept"]);
  });

  it("that fail to come fail the screen, which says so", async () => {
    const { withTexts } = await import("./text.ts");
    await expect(withTexts("agent", Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  });
});
