import { beforeEach, describe, expect, it, vi } from "vitest";
import { createRememberedLogins, type KeyKeeper, rememberedLogins } from "./remembered-login.ts";

const LOGIN = {
  type: "username",
  username: "maria",
  password: "Fiesta2026 ñ",
  countryDialingCode: "+63",
} as const;

function createKeys(): KeyKeeper & { key: CryptoKey | null } {
  const keys: KeyKeeper & { key: CryptoKey | null } = {
    key: null,
    load: async () => keys.key,
    keep: async (key) => {
      keys.key = key;
    },
    drop: async () => {
      keys.key = null;
    },
  };
  return keys;
}

function createStore() {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}

let keys: ReturnType<typeof createKeys>;
let store: ReturnType<typeof createStore>;
const logins = () => createRememberedLogins(() => store, keys);
const stored = () => store.values.get("MC_REMEMBERED_LOGIN") ?? "";

beforeEach(() => {
  keys = createKeys();
  store = createStore();
});

describe("a remembered log-in", () => {
  it("[A2.3-03 A3-12] comes back whole at the next visit", async () => {
    await logins().remember(LOGIN);
    expect(Object.keys(JSON.parse(stored()))).toEqual([
      "type",
      "username",
      "password",
      "countryDialingCode",
    ]);
    expect(await logins().read()).toEqual(LOGIN);
  });

  it("keeps only the name after a sign-out: the sealed password and its key are gone", async () => {
    await logins().remember(LOGIN);
    await logins().forgetPassword();
    expect(JSON.parse(stored())).toEqual({ ...LOGIN, password: "" });
    expect(keys.key).toBeNull();
    expect(await logins().read()).toEqual({ ...LOGIN, password: "" });
  });

  it("loses its password before a sign-out waits for anything, even if its key cannot be deleted", async () => {
    await logins().remember(LOGIN);
    keys.drop = () => Promise.reject(new Error("IndexedDB did not answer"));
    const forgetting = logins().forgetPassword();
    expect(JSON.parse(stored())).toEqual({ ...LOGIN, password: "" });
    await forgetting;
    expect(JSON.parse(stored())).toEqual({ ...LOGIN, password: "" });
  });

  it("is reduced to a name within a second where the browser's own store does not answer", async () => {
    vi.useFakeTimers();
    const opening: { onsuccess?: () => void; result: { close(): void } } = {
      result: { close: vi.fn() },
    };
    vi.stubGlobal("indexedDB", { open: () => opening });
    vi.stubGlobal("localStorage", store);
    store.setItem("MC_REMEMBERED_LOGIN", JSON.stringify({ ...LOGIN, password: "sealed" }));
    const reading = rememberedLogins.read();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await reading).toEqual({ ...LOGIN, password: "" });
    opening.onsuccess?.();
    expect(opening.result.close).toHaveBeenCalledOnce();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("keeps its password where the browser's own store needs seconds to open", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let kept: unknown;
    const request = (result: unknown, afterMs: number) => {
      const asked: { result: unknown; onsuccess?: () => void } = { result };
      setTimeout(() => asked.onsuccess?.(), afterMs);
      return asked;
    };
    const table = {
      get: () => request(kept, 10),
      put: (key: unknown) => {
        kept = key;
        return request(undefined, 10);
      },
    };
    const database = { transaction: () => ({ objectStore: () => table }), close: () => undefined };
    vi.stubGlobal("indexedDB", { open: () => request(database, 4_000) });
    vi.stubGlobal("localStorage", store);
    let isDone = false;
    const remembering = rememberedLogins.remember(LOGIN).then(() => {
      isDone = true;
    });
    while (!isDone) {
      await vi.advanceTimersByTimeAsync(500);
      // The key is made outside of these timers.
      await new Promise(setImmediate);
    }
    await remembering;
    expect(JSON.parse(stored()).password).not.toBe("");
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("is not created by a sign-out where nothing was remembered", async () => {
    await logins().forgetPassword();
    expect(store.values.size).toBe(0);
  });

  it("[A3-13] has its password sealed under a key that no script can export", async () => {
    await logins().remember(LOGIN);
    const { password } = JSON.parse(stored());
    expect(stored()).not.toContain(LOGIN.password);
    const bytes = Buffer.from(password, "base64");
    expect(bytes.toString("base64")).toBe(password);
    expect(bytes.toString("utf8")).not.toContain(LOGIN.password);
    expect(keys.key?.extractable).toBe(false);
    expect(keys.key?.algorithm).toMatchObject({ name: "AES-GCM", length: 256 });
  });

  it("[A3-13] is sealed differently each time, so equal passwords do not show", async () => {
    await logins().remember(LOGIN);
    const first = stored();
    await logins().remember(LOGIN);
    expect(stored()).not.toBe(first);
  });

  it("keeps the name alone where the key is another, or the text was tampered with", async () => {
    await logins().remember(LOGIN);
    keys.key = null;
    expect(await logins().read()).toEqual({ ...LOGIN, password: "" });
    const other = createKeys();
    await createRememberedLogins(createStore, other).remember(LOGIN);
    keys.key = other.key;
    expect(await logins().read()).toEqual({ ...LOGIN, password: "" });
  });

  it("[A2.6-06] takes a new password for its own name alone", async () => {
    await logins().remember(LOGIN);
    await logins().changePassword("jun", "Another2026");
    expect((await logins().read())?.password).toBe(LOGIN.password);
    await logins().changePassword("Maria", "Another2026");
    expect((await logins().read())?.password).toBe("Another2026");
  });

  it("takes no new password after a sign-out, however its player logged in since", async () => {
    await logins().remember(LOGIN);
    await logins().forgetPassword();
    await logins().changePassword("Maria", "Another2026");
    expect(await logins().read()).toEqual({ ...LOGIN, password: "" });
  });

  it("is empty where storage holds something else, or after it is forgotten", async () => {
    store.setItem("MC_REMEMBERED_LOGIN", "{not json");
    expect(await logins().read()).toBeNull();
    await logins().remember(LOGIN);
    logins().forget();
    expect(await logins().read()).toBeNull();
  });
});
