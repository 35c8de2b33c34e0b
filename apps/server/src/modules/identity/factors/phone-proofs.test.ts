import { HOUR_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { decodeProtectedHeader } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { manualClock } from "../../../../../../tests/server/fixtures.ts";
import {
  type PhoneService,
  startPhoneService,
} from "../../../../../../tests/server/phone-service.ts";
import {
  createTestDatabase,
  type TestDatabase,
} from "../../../../../../tests/setup/test-database.ts";
import { createLogger } from "../../../platform/log.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import { Unavailable } from "../../../platform/unavailable.ts";
import { createPhoneProofs, type PhoneProofs, phoneServiceHosts } from "./phone-proofs.ts";

const NUMBER = "+639171234567";
const clock = manualClock();
const realNow = Date.now;
let db: TestDatabase;
let service: PhoneService;
let proofs: PhoneProofs;

beforeAll(async () => {
  db = await createTestDatabase();
});

afterAll(() => db?.drop());

beforeEach(async () => {
  clock.advance(10 * MINUTE_MS);
  service = await startPhoneService(clock);
  proofs = proofsOf({});
});

afterEach(() => service.close());

function proofsOf(more: { keysTimeoutMs?: number; keysCooldownMs?: number }): PhoneProofs {
  const log = createLogger({ level: "silent" });
  return createPhoneProofs({ pool: db.pool, clock, log, service: service.config, ...more });
}

const judged = async (token: string, channel = "phone") =>
  (await proofs.judge(channel, token))?.number ?? null;

/** In seconds, as in tokens. */
const now = () => Math.floor(clock.now() / SECOND_MS);

describe("a token of the service that proves numbers", () => {
  it("[A7-40] proves the number that it names, by the service's own keys", async () => {
    const number = { dialingCode: "+63", mobileNum: "9171234567" };
    expect(await judged(await service.token(NUMBER))).toEqual(number);
    // A caller may leave the channel out.
    expect(await judged(await service.token(NUMBER), "")).toEqual(number);
    expect(service.keysAsked()).toBe(1);
  });

  const WRONG: Readonly<Record<string, (at: number) => Readonly<Record<string, unknown>>>> = {
    "of another issuer": () => ({ iss: "https://securetoken.google.com/another-project" }),
    "of an issuer elsewhere": () => ({ iss: "https://elsewhere.test/perya-of-a-test" }),
    "for another project": () => ({ aud: "another-project" }),
    "that has expired": (at) => ({ exp: at }),
    "that never expires": () => ({ exp: undefined }),
    "of five minutes ago": (at) => ({ auth_time: at - 300 }),
    "that was renewed, of a proof of five minutes ago": (at) => ({ iat: at, auth_time: at - 300 }),
    "of a proof to come": (at) => ({ auth_time: at + 31 }),
    "that is made later": (at) => ({ iat: at + 31 }),
    "that tells no time of its proof": () => ({ auth_time: undefined }),
    "that tells no time of its making": () => ({ iat: undefined }),
    "of nobody": () => ({ sub: "" }),
    "by a password": () => ({ firebase: { sign_in_provider: "password" } }),
    "that says not by what": () => ({ firebase: {} }),
    "without a number": () => ({ phone_number: undefined }),
    "of digits without a country": () => ({ phone_number: "09171234567" }),
    "of a number that no country has": () => ({ phone_number: "+63917123" }),
    "of a fixed line": () => ({ phone_number: "+63285551234" }),
  };
  it.each(Object.keys(WRONG))("proves nothing if it is one %s", async (what) => {
    expect(await judged(await service.token(NUMBER, WRONG[what]?.(now())))).toBeNull();
  });

  it.each(["another key", "no signature", "shared secret"] as const)(
    "proves nothing if it is forged by %s",
    async (how) => {
      expect(await judged(await service.forged(NUMBER, how))).toBeNull();
    },
  );

  it("proves nothing if it was changed, is missing, or comes by a channel that is not ours", async () => {
    const token = await service.token(NUMBER);
    const [head = "", , signature = ""] = token.split(".");
    const [, other = ""] = (await service.token("+639179999999")).split(".");
    for (const made of [`${head}.${other}.${signature}`, "", "a token", `${token}x`]) {
      expect(await judged(made), made).toBeNull();
    }
    expect(await judged(token, "whatsapp")).toBeNull();
  });

  it("is valid for five minutes by our clock, also if the service's clock is a little ahead", async () => {
    const token = await service.token(NUMBER);
    clock.advance(5 * MINUTE_MS - 1);
    expect(await judged(token)).not.toBeNull();
    clock.advance(1);
    expect(await judged(token)).toBeNull();
    const ahead = { auth_time: now() + 29, iat: now() + 29 };
    expect(await judged(await service.token(NUMBER, ahead))).not.toBeNull();
  });
});

describe("a proof of a number", () => {
  it("counts once, whichever token of the service names it, and says that it was taken", async () => {
    const token = await service.token(NUMBER);
    const first = await proofs.judge("phone", token);
    // A token from a refresh token carries the same proof.
    const renewed = await service.token(NUMBER, { auth_time: now(), iat: now() + 5 });
    const second = await proofs.judge("phone", renewed);
    expect(await second?.wasTaken(db.pool)).toBe(false);
    const takes = [first, second, first].map((proof) => proof?.take(db.pool));
    expect((await Promise.all(takes)).filter((taken) => taken === true)).toHaveLength(1);
    expect(await second?.wasTaken(db.pool)).toBe(true);
    clock.advance(SECOND_MS);
    const next = await proofs.judge("phone", await service.token(NUMBER));
    expect(await next?.take(db.pool)).toBe(true);
  });

  it("is not taken if the work that it is for is undone", async () => {
    const proof = await proofs.judge("phone", await service.token(NUMBER));
    const undone = withTransaction(db.pool, async (client) => {
      expect(await proof?.take(client)).toBe(true);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await proof?.take(db.pool)).toBe(true);
  });
});

describe("the keys of the service", () => {
  it("are fetched again if a token names another one, and the one that was removed opens nothing", async () => {
    proofs = proofsOf({ keysCooldownMs: 0 });
    const old = await service.token(NUMBER);
    expect(await judged(old)).not.toBeNull();
    await service.rotate();
    expect(await judged(await service.token(NUMBER))).not.toBeNull();
    expect(service.keysAsked()).toBe(2);
    expect(await judged(old)).toBeNull();
  });

  it("are not fetched again for each token with a made-up key", async () => {
    await judged(await service.token(NUMBER));
    const real = await service.token(NUMBER);
    const head = { ...decodeProtectedHeader(real), kid: "made up" };
    const [, ...rest] = real.split(".");
    const part = Buffer.from(JSON.stringify(head)).toString("base64url");
    const made = [part, ...rest].join(".");
    // The key may be newer than the last fetch: nobody can tell yet.
    for (let i = 0; i < 20; i++) await expect(judged(made)).rejects.toThrow(Unavailable);
    expect(service.keysAsked()).toBe(1);
    proofs = proofsOf({});
    expect(await judged(made)).toBeNull();
  });

  it("reject no token as wrong that is signed by a key published since the last fetch", async () => {
    await judged(await service.token(NUMBER));
    await service.rotate();
    await expect(judged(await service.token(NUMBER))).rejects.toThrow(Unavailable);
  });

  it("that are known stay in use while the service is away, for as long as they may be kept", async () => {
    const log = createLogger({ level: "silent" });
    const kept = createPhoneProofs({ pool: db.pool, clock, log, service: service.config });
    expect(await kept.judge("phone", await service.token(NUMBER))).not.toBeNull();
    const elapsed = vi.spyOn(Date, "now").mockImplementation(() => realNow() + 5 * HOUR_MS);
    service.keys("broken");
    expect(await kept.judge("phone", await service.token(NUMBER))).not.toBeNull();
    elapsed.mockImplementation(() => realNow() + 7 * HOUR_MS);
    await expect(kept.judge("phone", await service.token(NUMBER))).rejects.toThrow(Unavailable);
    elapsed.mockRestore();
  });

  it("that cannot be fetched are logged once, and once more when they came again", async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ level: "warn", destination });
    const more = { keysCooldownMs: 0, keysLifeMs: 0 };
    proofs = createPhoneProofs({ pool: db.pool, clock, log, service: service.config, ...more });
    const fails = async () => {
      service.keys("broken");
      for (let i = 0; i < 5; i++) {
        await expect(judged(await service.token(NUMBER))).rejects.toThrow(Unavailable);
      }
      service.keys("told");
    };
    await fails();
    expect(lines).toHaveLength(1);
    expect(await judged(await service.token(NUMBER))).not.toBeNull();
    await fails();
    expect(lines).toHaveLength(2);
  });

  it.each(["silent", "broken"] as const)(
    "that cannot be fetched, as the service is %s, are awaited no longer than the time-out, and judge nothing",
    async (how) => {
      proofs = proofsOf({ keysTimeoutMs: 200 });
      service.keys(how);
      const token = await service.token(NUMBER);
      await expect(proofs.judge("phone", token)).rejects.toThrow(Unavailable);
      // The next call finds the service mended.
      service.keys("told");
      expect(await judged(token)).not.toBeNull();
    },
  );

  it("that nobody serves judge nothing", async () => {
    const token = await service.token(NUMBER);
    await service.close();
    await expect(proofs.judge("phone", token)).rejects.toThrow(Unavailable);
  });
});

describe("the hosts of the service", () => {
  it("are Google's with reCAPTCHA, the configured one, or none", () => {
    const google = phoneServiceHosts({ ...service.config, serviceUrl: null });
    expect(google.scripts).toEqual([
      "https://www.google.com/recaptcha/",
      "https://www.gstatic.com/recaptcha/",
    ]);
    expect(google.connections).toContain("https://identitytoolkit.googleapis.com");
    const { serviceUrl } = service.config;
    expect(phoneServiceHosts(service.config)).toEqual({
      ...{ scripts: [], frames: [], connections: [serviceUrl] },
    });
    expect(phoneServiceHosts(null)).toEqual({ scripts: [], connections: [], frames: [] });
  });
});
