import { DAY_MS, HOUR_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { openCaptchaReader } from "../../../../../../tests/server/captcha-reader.ts";
import { makeBrand } from "../../../../../../tests/server/fixtures.ts";
import {
  type Identity,
  openIdentityHarness,
} from "../../../../../../tests/server/identity-harness.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { Device } from "../sessions/sessions.ts";

const PASSWORD = "Sampaguita77";
const PHONE = { address: "203.0.113.7", userAgent: "a phone" };
/** Quick to hash: these tests make hundreds. */
const passwords = {
  hash: async (password: string) => password,
  matches: async () => true,
  isDated: () => false,
};

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;
let identity: Identity;
let perya: Merchant;
let fiesta: Merchant;
let names = 0;

beforeAll(async () => {
  harness = await openIdentityHarness("new accounts");
  identity = harness.makeIdentity({ passwords });
  perya = await makeBrand(harness.db.pool, harness.clock);
  fiesta = await makeBrand(harness.db.pool, harness.clock);
});

afterAll(() => harness?.close());

beforeEach(() => harness.clock.advance(2 * DAY_MS));

describe("new accounts of one block of addresses", () => {
  it.each([
    ["one address", () => "203.0.113.7"],
    ["a /64 of IPv6", (i: number) => `2001:db8:1:2::${(i + 1).toString(16)}`],
  ])(
    "are at most two of a script's hundred at once from %s, if it reads no captcha",
    async (_what, addressOf) => {
      const tries = await Promise.all(
        Array.from({ length: 100 }, (_, i) => register({ ...PHONE, address: addressOf(i) })),
      );
      const codes = tries.map(codeOf);
      expect(codes.filter((code) => code === "ok").length).toBeLessThanOrEqual(2);
      for (const code of codes) expect(["ok", "captcha_wrong", "rate_limited"]).toContain(code);
      const refused = tries.find((one) => !one.ok && one.error.code === "captcha_wrong");
      expect(refused).toMatchObject({ error: { captchaRequired: true } });
    },
  );

  it("are at most twenty an hour and a hundred a day, if every captcha is read", async () => {
    for (let hour = 0; hour < 6; hour++) {
      const made = [];
      for (let i = 0; i < 22; i++) made.push(codeOf(await registerReading(PHONE)));
      const wanted = hour < 5 ? 20 : 0;
      expect(
        made.filter((code) => code === "ok"),
        `hour ${hour}`,
      ).toHaveLength(wanted);
      expect(new Set(made.slice(wanted))).toEqual(new Set(["rate_limited"]));
      harness.clock.advance(HOUR_MS);
    }
    harness.clock.advance(DAY_MS);
    expect(codeOf(await register(PHONE))).toBe("ok");
  }, 60_000);

  it("count for the /48 around the block as well", async () => {
    const newAccounts = { ...perya.settings.newAccounts, blockDaily: 2, captchaAfter: 100 };
    const brand = await makeBrand(harness.db.pool, harness.clock, { settings: { newAccounts } });
    const codes = [];
    for (let i = 0; i < 40; i++) {
      const address = `2001:db8:7:${i.toString(16)}::1`;
      codes.push(codeOf(await register({ ...PHONE, address }, brand)));
    }
    expect(codes.filter((code) => code === "ok")).toHaveLength(32);
    expect(codes.at(-1)).toBe("rate_limited");
  });

  it("are thirty-two a day per /48, two from each /64 in it, if no captcha is read", async () => {
    const addresses = Array.from(
      { length: 40 },
      (_, i) => `2001:db8:9:${(i >> 1).toString(16)}::1`,
    );
    const codes = [];
    for (const address of addresses) codes.push(codeOf(await register({ ...PHONE, address })));
    expect(codes).toEqual([...Array(32).fill("ok"), ...Array(8).fill("captcha_wrong")]);
    const device = { ...PHONE, address: "2001:db8:9:ffff::1" };
    expect(codeOf(await registerReading(device))).toBe("ok");
  });

  it("are refused if the captcha that was read is of the simple kind", async () => {
    for (let i = 0; i < 2; i++) taken(await register(PHONE));
    const { captchaId, captcha } = await openCaptchaReader(
      harness.db.pool,
      harness.clock,
      harness.entropy,
    ).read(perya.id);
    expect(codeOf(await register(PHONE, perya, { captchaId, captcha }))).toBe("captcha_wrong");
  });

  it("are counted per brand, and not at all if they were not made", async () => {
    for (let i = 0; i < 2; i++) expect(codeOf(await register(PHONE))).toBe("ok");
    expect(codeOf(await register(PHONE))).toBe("captcha_wrong");
    expect(codeOf(await register(PHONE, fiesta))).toBe("ok");
    const reserved = { username: "reserved_name" };
    expect(codeOf(await registerReading(PHONE, perya, reserved))).toBe("ok");
    for (let i = 0; i < 30; i++) {
      expect(codeOf(await registerReading(PHONE, perya, reserved))).toBe("username taken");
    }
    expect(codeOf(await registerReading(PHONE))).toBe("ok");
  });
});

describe("new accounts of one device", () => {
  it("are counted by its cookie from any address: five a day, with a captcha from the third", async () => {
    const first = taken(await register({ ...PHONE, address: "198.51.100.1" }));
    const token = first.deviceToken;
    const at = (i: number) => ({ ...PHONE, address: `198.51.100.${i}`, token });
    expect(codeOf(await register(at(2)))).toBe("ok");
    expect(codeOf(await register(at(3)))).toBe("captcha_wrong");
    for (let i = 4; i < 7; i++) expect(codeOf(await registerReading(at(i)))).toBe("ok");
    expect(codeOf(await registerReading(at(8)))).toBe("rate_limited");
    expect(codeOf(await register({ ...PHONE, address: "198.51.100.9" }))).toBe("ok");
    harness.clock.advance(DAY_MS);
    expect(codeOf(await register(at(10)))).toBe("ok");
  });

  it("keep the cookie that the first one was given, and take none that a script made up", async () => {
    const first = taken(await register({ ...PHONE, address: "198.51.100.21" }));
    const device = { ...PHONE, address: "198.51.100.22", token: first.deviceToken };
    expect(taken(await register(device)).deviceToken).toBe(first.deviceToken);
    const token = "A".repeat(43);
    const madeUp = taken(await register({ ...PHONE, address: "198.51.100.23", token }));
    expect(madeUp.deviceToken).not.toBe(token);
  });
});

describe("trial accounts", () => {
  it("are limited to sixty an hour per block and brand", async () => {
    const trials = await Promise.all(
      Array.from({ length: 70 }, () => identity.freePlay.start(perya, PHONE)),
    );
    expect(trials.map(codeOf).filter((code) => code === "ok")).toHaveLength(60);
    expect(codeOf(await identity.freePlay.start(perya, PHONE))).toBe("rate_limited");
    expect(codeOf(await identity.freePlay.start(fiesta, PHONE))).toBe("ok");
    harness.clock.advance(HOUR_MS);
    expect(codeOf(await identity.freePlay.start(perya, PHONE))).toBe("ok");
  });

  it.each(["open", "giveTrialCredit"] as const)(
    "that were not made count for nothing, as when the ledger fails to %s",
    async (broken) => {
      const wallets = { open: async () => undefined, giveTrialCredit: async () => undefined };
      const fails = () => Promise.reject(new Error("the ledger is away"));
      const failing = harness.makeIdentity({ passwords, wallets: { ...wallets, [broken]: fails } });
      for (let i = 0; i < 61; i++) {
        await expect(failing.freePlay.start(perya, PHONE)).rejects.toThrow("the ledger is away");
      }
      expect(codeOf(await identity.freePlay.start(perya, PHONE))).toBe("ok");
    },
  );
});

function register(device: Device, merchant = perya, more: object = {}) {
  names += 1;
  const form = { username: `scripted_${names}`, password: PASSWORD, confirmPassword: PASSWORD };
  return identity.registrations.register(merchant, { ...form, ...more }, device);
}

/** Registers as a person who reads the picture. */
async function registerReading(device: Device, merchant = perya, more: object = {}) {
  const { captchaId, captcha } = await harness.readCaptcha(merchant);
  return register(device, merchant, { captchaId, captcha, ...more });
}
