import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { GivenLogin } from "./login-body.ts";

vi.mock("../../shell/server.ts", () => ({ api: { serverNow: () => Date.now() } }));
vi.mock("../../shell/text.ts", () => ({ textOf: (id: string) => id }));
vi.mock("@perya/ui/notify", () => ({ notify: { success: () => undefined } }));

const SESSION = {
  token: "half",
  merchantCode: "perya",
  userName: "maria",
  type: 0,
  firstTimeLogin: false,
};
const LOGIN: GivenLogin = {
  type: "username",
  username: "maria",
  password: "Fiesta2026",
  countryDialingCode: "+63",
  remember: false,
  typed: true,
};
const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  const values = new Map<string, string>();
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
  vi.stubGlobal("localStorage", storage);
  vi.stubGlobal("sessionStorage", storage);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function heldAfter(login: GivenLogin): Promise<() => string | null> {
  const { finishLogin } = await import("./finish-login.ts");
  const { heldPassword } = await import("./held-password.ts");
  finishLogin(SESSION, login);
  return heldPassword;
}

it.each([
  ["username", "Fiesta2026"],
  ["sms", ""],
] as const)(
  "[A3-12] a remembered log-in by %s is stored with its country's code",
  async (type, password) => {
    const { finishLogin } = await import("./finish-login.ts");
    const { rememberedLogins } = await import("./remembered-login.ts");
    const remember = vi.spyOn(rememberedLogins, "remember").mockResolvedValue(undefined);
    finishLogin(SESSION, { ...LOGIN, type, countryDialingCode: "+971", remember: true });
    expect(remember.mock.calls).toEqual([
      [{ type, username: "maria", password, countryDialingCode: "+971" }],
    ]);
  },
);

it("[A2.3-03] a log-in that is not to be remembered deletes the remembered one", async () => {
  const { finishLogin } = await import("./finish-login.ts");
  const { rememberedLogins } = await import("./remembered-login.ts");
  const forget = vi.spyOn(rememberedLogins, "forget");
  const remember = vi.spyOn(rememberedLogins, "remember").mockResolvedValue(undefined);
  finishLogin(SESSION, { ...LOGIN, remember: true });
  expect([forget.mock.calls.length, remember.mock.calls.length]).toEqual([0, 1]);
  finishLogin(SESSION, LOGIN);
  expect([forget.mock.calls.length, remember.mock.calls.length]).toEqual([1, 1]);
});

describe("the password of a log-in", () => {
  it("[A2.6-03] is held for a change where the player typed it, and not where the form filled it in", async () => {
    expect((await heldAfter(LOGIN))()).toBe(LOGIN.password);
    vi.resetModules();
    expect((await heldAfter({ ...LOGIN, typed: false }))()).toBeNull();
  });

  it("is held for ten minutes, and no longer where the clock is set back", async () => {
    const held = await heldAfter(LOGIN);
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS - 1);
    expect(held()).toBe(LOGIN.password);
    vi.setSystemTime(Date.now() + 1);
    expect(held()).toBeNull();
    vi.setSystemTime(Date.now() - 5 * MINUTE_MS);
    expect(held()).toBeNull();

    vi.resetModules();
    const again = await heldAfter(LOGIN);
    vi.setSystemTime(Date.now() - MINUTE_MS);
    expect(again()).toBeNull();
  });
});
