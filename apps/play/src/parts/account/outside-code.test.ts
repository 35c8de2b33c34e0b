// @vitest-environment jsdom
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { switchLanguage } from "../../shell/text.ts";
import { sendOutside } from "./outside-code.ts";
import { NumberRefused } from "./outside-faults.ts";

/** The calls of the service's own library; the service itself is a third party's. */
const called = vi.hoisted(() => ({
  made: [] as string[],
  elsewhere: [] as string[],
  sentBy: [] as { readonly key: string; readonly number: string; readonly tag: string | null }[],
  confirmed: [] as string[],
  signedOut: 0,
  answers: true,
}));

vi.mock("@firebase/app", () => ({
  initializeApp: ({ apiKey }: { apiKey: string }, name: string) => ({ apiKey, name }),
}));
vi.mock("@firebase/auth", () => ({
  inMemoryPersistence: "in memory",
  initializeAuth: ({ apiKey, name }: { apiKey: string; name: string }) => {
    called.made.push(name);
    return { apiKey, languageCode: null };
  },
  connectAuthEmulator: (_: unknown, address: string) => void called.elsewhere.push(address),
  RecaptchaVerifier: class {
    clear() {}
  },
  signInWithPhoneNumber: async (
    { apiKey, languageCode }: { apiKey: string; languageCode: string | null },
    number: string,
  ) => {
    called.sentBy.push({ key: apiKey, number, tag: languageCode });
    if (!called.answers) await new Promise(() => {});
    return {
      confirm: async (code: string) => {
        called.confirmed.push(code);
        if (code === "000000") throw Object.assign(new Error("no"), { code: "auth/code-expired" });
        return { user: { getIdToken: async () => `word of ${code}` } };
      },
    };
  },
  signOut: async () => void called.signedOut++,
}));

const NUMBER = { countryDialingCode: "+63", mobileNum: "9171234567" };
const at = (apiKey: string, address: string | null = null) => ({ apiKey, address });
const send = (apiKey: string, address: string | null = null) =>
  sendOutside(at(apiKey, address), NUMBER, "fil-PH");

beforeAll(() => switchLanguage("EN"));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a service is opened once per page, and separately per key and address", async () => {
  await send("house");
  await send("house");
  expect(called.made).toEqual(["house null"]);
  await send("other");
  await send("other", "https://phones.example");
  await send("other", "https://phones.example");
  expect(called.made.slice(1)).toEqual(["other null", "other https://phones.example"]);
  expect(called.elsewhere).toEqual(["https://phones.example"]);
  expect(called.sentBy.map(({ key }) => key)).toEqual([
    "house",
    "house",
    "other",
    "other",
    "other",
  ]);
  expect(new Set(called.sentBy.map(({ number }) => number))).toEqual(new Set(["+639171234567"]));
  // A check's language has no country.
  expect(new Set(called.sentBy.map(({ tag }) => tag))).toEqual(new Set(["fil"]));
});

it("an invalid number is refused, and nothing is sent", async () => {
  const before = called.sentBy.length;
  for (const mobileNum of ["123", "0281234567"]) {
    const sent = sendOutside(at("house"), { ...NUMBER, mobileNum }, "en");
    await expect(sent).rejects.toBeInstanceOf(NumberRefused);
  }
  expect(called.sentBy).toHaveLength(before);
});

it("the service sees each code once, and the same code gets the same proof", async () => {
  const code = await send("house");
  called.confirmed.length = 0;
  await expect(code.prove("000000")).rejects.toMatchObject({ problem: { code: "code_wrong" } });
  expect(await code.prove("111111")).toBe("word of 111111");
  expect(await code.prove("111111")).toBe("word of 111111");
  expect(await code.prove("222222")).toBe("word of 222222");
  expect(called.confirmed).toEqual(["000000", "111111", "222222"]);
  expect(called.signedOut).toBe(2);
});

it("a human check that nobody passes ends after two minutes, and leaves nothing on the page", async () => {
  called.answers = false;
  const sent = send("house").then(
    () => "sent",
    ({ problem }) => problem.code,
  );
  await vi.advanceTimersByTimeAsync(119_999);
  expect(document.body.childElementCount).toBe(1);
  expect(await Promise.race([sent, Promise.resolve("waits")])).toBe("waits");
  await vi.advanceTimersByTimeAsync(1);
  expect(await sent).toBe("message_unavailable");
  expect(document.body.childElementCount).toBe(0);
  called.answers = true;
});
