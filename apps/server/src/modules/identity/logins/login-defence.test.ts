import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { openCaptchaReader } from "../../../../../../tests/server/captcha-reader.ts";
import { makeBrand } from "../../../../../../tests/server/fixtures.ts";
import {
  entered,
  type Identity,
  openIdentityHarness,
} from "../../../../../../tests/server/identity-harness.ts";
import { NoTurn } from "../../../platform/turns.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { Captchas } from "../defence/captcha.ts";
import type { Device } from "../sessions/sessions.ts";
import { sweepLogins } from "./logins.store.ts";

const PASSWORD = "Fiesta2026";

const WRONG = "Wrong2026";

/** The answer of a log-in that asks for a captcha. */
const ASKED = "captcha_wrong";

const AT_HOME = {
  address: "203.0.113.7",
  userAgent: "the owner's phone",
  host: "perya.test",
  asker: "a browser at home",
};

const ABROAD = { address: "198.51.100.9", userAgent: "the owner's new phone" };

/** Captchas as an attacker meets them who reads every one. */
const READ_BY_ALL: Captchas = {
  make: () => Promise.reject(new Error("nobody looks at it")),
  check: async () => true,
  checkIn: async () => true,
};

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;

let perya: Merchant;

let fiesta: Merchant;

let names = 0;

beforeAll(async () => {
  harness = await openIdentityHarness("login defence");
  perya = await makeBrand(harness.db.pool, harness.clock, {
    settings: { flags: { MOBILEVERCODELOGIN3: true }, agentHosts: ["Agents.Perya.Test"] },
  });
  fiesta = await makeBrand(harness.db.pool, harness.clock, { settings: { flags: {} } });
});

afterAll(() => harness.close());

beforeEach(() => harness.clock.advance(2 * DAY_MS));

describe("a failed login", () => {
  it("gives the same answer for a wrong password and an unknown name, after as much work", async () => {
    const { work, identity } = counting();
    const { username } = await owner();
    const rows = async () =>
      (await harness.db.pool.query("SELECT FROM login_events")).rowCount ?? 0;
    const written = await rows();
    const wrong = await login(username, WRONG, ABROAD, identity);
    expect([work.compared, (await rows()) - written]).toEqual([1, 1]);
    const unknown = await login(freshName(), WRONG, ABROAD, identity);
    expect([work.compared, (await rows()) - written]).toEqual([2, 2]);
    expect(wrong).toEqual(unknown);
    expect(wrong).toMatchObject({ error: { code: "login_failed", captchaRequired: true } });
  });

  it("is not counted if nobody had time to judge the password, on a known phone or not", async () => {
    const { username, device } = await owner();
    const passwords = {
      hash: async () => "",
      matches: () => Promise.reject(new NoTurn("too many wait for this")),
      isDated: () => false,
    };
    const identity = harness.makeIdentity({ passwords });
    for (const from of [ABROAD, device]) {
      for (let i = 0; i < 8; i++) {
        await expect(login(username, PASSWORD, from, identity)).rejects.toThrow(NoTurn);
      }
      expect(codeOf(await login(username, PASSWORD, from, counting().identity))).toBe("ok");
    }
  });

  it("of an unknown name leaves a row without the name, for a day", async () => {
    const { identity } = counting();
    const name = freshName();
    await login(name, WRONG, ABROAD, identity);
    const nobodys = () =>
      harness.db.pool.query("SELECT * FROM login_events WHERE member_id IS NULL");
    const { rows } = await nobodys();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(name);
    harness.clock.advance(DAY_MS + 1);
    await sweepLogins(harness.db.pool, harness.clock.now());
    expect((await nobodys()).rowCount).toBe(0);
  });

  it("[A2.3-10] asks for a captcha from then on, which counts once, right or wrong", async () => {
    const { username } = await owner();
    expect(await login(username, WRONG)).toMatchObject({ error: { captchaRequired: true } });
    expect(codeOf(await login(username))).toBe("captcha_wrong");
    const misread = await harness.readCaptcha(perya);
    const wrongly = { ...misread, captcha: misread.captcha === "00000" ? "11111" : "00000" };
    expect(codeOf(await login(username, PASSWORD, ABROAD, undefined, wrongly))).toBe(
      "captcha_wrong",
    );
    expect(codeOf(await login(username, PASSWORD, ABROAD, undefined, misread))).toBe(
      "captcha_wrong",
    );
    const read = await harness.readCaptcha(perya);
    expect(codeOf(await login(username, PASSWORD, ABROAD, undefined, read))).toBe("ok");
    // A success forgets the failures.
    expect(codeOf(await login(username))).toBe("ok");
  });

  it("takes no captcha of another brand, and none older than five minutes", async () => {
    const { username } = await owner();
    await login(username, WRONG);
    const foreign = await harness.readCaptcha(fiesta);
    expect(codeOf(await login(username, PASSWORD, ABROAD, undefined, foreign))).toBe(
      "captcha_wrong",
    );
    const old = await harness.readCaptcha(perya);
    harness.clock.advance(5 * MINUTE_MS);
    expect(codeOf(await login(username, PASSWORD, ABROAD, undefined, old))).toBe("captcha_wrong");
  });

  it("if repeated makes the next try wait, twice as long each time, even with the password", async () => {
    const { username } = await owner();
    const tried = async (password: string) =>
      login(username, password, ABROAD, undefined, await harness.readCaptcha(perya));
    for (let i = 0; i < 5; i++) expect(codeOf(await tried(WRONG))).toBe("login_failed");
    for (const delay of [2, 4, 8, 16]) {
      const retryAt = harness.clock.now() + delay * SECOND_MS;
      expect(await tried(PASSWORD)).toMatchObject({ error: { code: "rate_limited", retryAt } });
      harness.clock.set(retryAt);
      expect(codeOf(await tried(WRONG))).toBe("login_failed");
    }
    harness.clock.advance(32 * SECOND_MS);
    expect(codeOf(await tried(PASSWORD))).toBe("ok");
  });

  it("makes nobody wait for a clock that was ahead, and still counts", async () => {
    const { username } = await owner();
    const tried = async (password: string) =>
      login(username, password, ABROAD, undefined, await harness.readCaptcha(perya));
    const began = harness.clock.now();
    harness.clock.advance(30 * DAY_MS);
    for (let i = 0; i < 5; i++) expect(codeOf(await tried(WRONG))).toBe("login_failed");
    harness.clock.set(began);
    expect(codeOf(await tried(WRONG))).toBe("login_failed");
    expect(await tried(PASSWORD)).toMatchObject({
      error: { code: "rate_limited", retryAt: began + 4 * SECOND_MS },
    });
    harness.clock.set(began + 4 * SECOND_MS);
    expect(codeOf(await tried(PASSWORD))).toBe("ok");
  });

  it("asks for no captcha after a quarter of an hour, and is deleted by the sweep after a day", async () => {
    const { username } = await owner();
    await login(username, WRONG);
    harness.clock.advance(15 * MINUTE_MS);
    expect(codeOf(await login(username))).toBe("ok");
    await login(freshName(), WRONG);
    harness.clock.advance(DAY_MS + 1);
    await sweepLogins(harness.db.pool, harness.clock.now());
    const { rows } = await harness.db.pool.query(
      "SELECT count(*)::int AS left FROM login_failures",
    );
    expect(rows).toEqual([{ left: 0 }]);
  });

  it("is listed in the member's own history, with the logins that succeeded", async () => {
    const { username, id } = await owner();
    harness.clock.advance(SECOND_MS);
    await login(username, WRONG, ABROAD);
    await login(freshName(), WRONG, ABROAD);
    const { rows } = await harness.db.pool.query(
      `SELECT method, outcome, address, user_agent FROM login_events WHERE member_id = $1
       ORDER BY at, id`,
      [id],
    );
    expect(rows).toEqual([
      {
        method: "password",
        outcome: "done",
        address: AT_HOME.address,
        user_agent: AT_HOME.userAgent,
      },
      {
        method: "password",
        outcome: "wrong",
        address: ABROAD.address,
        user_agent: ABROAD.userAgent,
      },
    ]);
  });

  it("of many names from one address asks for a captcha, then makes that address wait", async () => {
    const { identity } = counting();
    const outcomes: string[] = [];
    const from = { address: "192.0.2.66", userAgent: "a machine" };
    for (let i = 0; i < 31; i++) {
      outcomes.push(codeOf(await login(freshName(), WRONG, from, identity)));
    }
    expect(outcomes.slice(0, 30)).toEqual(Array(30).fill("login_failed"));
    expect(outcomes[30]).toBe("captcha_wrong");
    const reading = counting(READ_BY_ALL).identity;
    for (let i = 0; i < 90; i++) await login(freshName(), WRONG, from, reading);
    expect(codeOf(await login(freshName(), WRONG, from, reading))).toBe("rate_limited");
    // Others, and a known device, log in from elsewhere and from there.
    const home = await owner();
    expect(codeOf(await login(home.username, PASSWORD, { ...home.device, ...from }))).toBe("ok");
    expect(codeOf(await login(home.username, PASSWORD, ABROAD))).toBe("ok");
  });

  it("takes no simple captcha in place of one of digits", async () => {
    const { username } = await owner();
    await login(username, WRONG);
    const sum = await openCaptchaReader(harness.db.pool, harness.clock, harness.entropy).read(
      perya.id,
    );
    expect(codeOf(await login(username, PASSWORD, ABROAD, harness.identity, sum))).toBe(ASKED);
  });

  it("of many names from one IPv6 /48 asks for a captcha as it does for sixteen addresses", async () => {
    const { identity } = counting();
    const from = (i: number, net: string) => ({
      address: `2001:db8:${net}:${(i % 60).toString(16)}::1`,
      userAgent: "a machine",
    });
    const outcomes: string[] = [];
    for (let i = 0; i < 482; i++) {
      outcomes.push(codeOf(await login(freshName(), WRONG, from(i, "5"), identity)));
    }
    expect(outcomes.indexOf("captcha_wrong")).toBe(480);
    expect(codeOf(await login(freshName(), WRONG, from(0, "6"), identity))).toBe("login_failed");
    // A login that succeeds from there is no failure of the block.
    harness.clock.advance(HOUR_MS);
    const { username } = await owner();
    expect(codeOf(await login(username, PASSWORD, from(1, "5"), identity))).toBe("ok");
    const { rows } = await harness.db.pool.query(
      "SELECT failures FROM login_failures WHERE subject = 'address:2001:db8:5::/48'",
    );
    expect(rows).toEqual([{ failures: 0 }]);
  }, 60_000);
});

describe("a known device", () => {
  it("is named by a cookie that the database stores as a hash only", async () => {
    const { device } = await owner();
    expect(device.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const { rows } = await harness.db.pool.query("SELECT * FROM known_devices");
    expect(JSON.stringify(rows)).not.toContain(device.token);
  });

  it("keeps its cookie over the logins of all who share it, and takes none that we did not issue", async () => {
    const first = await owner();
    const again = entered(await login(first.username, PASSWORD, first.device));
    expect(again.deviceToken).toBe(first.device.token);
    const sister = await owner(first.device);
    expect(sister.device.token).toBe(first.device.token);
    const chosen = { ...ABROAD, token: "A".repeat(43) };
    const given = entered(await login(first.username, PASSWORD, chosen));
    expect(given.deviceToken).not.toBe(chosen.token);
  });

  it("of one member counts as a stranger's for another", async () => {
    const { device } = await owner();
    const victim = await owner();
    const { identity } = counting(READ_BY_ALL);
    for (let i = 0; i < 5; i++) await login(victim.username, WRONG, device, identity);
    // Counted with all others' tries, not with the device's own.
    expect(codeOf(await login(victim.username, WRONG, ABROAD, identity))).toBe("rate_limited");
  });

  it("is slowed by its own failures, which delay nobody else", async () => {
    const { username, device } = await owner();
    const { identity } = counting(READ_BY_ALL);
    for (let i = 0; i < 5; i++) await login(username, WRONG, device, identity);
    expect(codeOf(await login(username, PASSWORD, device, identity))).toBe("rate_limited");
    expect(codeOf(await login(username, PASSWORD, ABROAD, identity))).toBe("ok");
    harness.clock.advance(2 * SECOND_MS);
    expect(codeOf(await login(username, PASSWORD, device, identity))).toBe("ok");
  });

  it("may log in from two of its tabs at the same moment", async () => {
    const { username, device } = await owner();
    const both = await Promise.all([
      login(username, PASSWORD, device),
      login(username, PASSWORD, device),
    ]);
    expect(both.map(codeOf)).toEqual(["ok", "ok"]);
  });

  it("stays known after any number of later devices, and is forgotten after 400 days", async () => {
    const { id, username, device } = await owner();
    for (let i = 0; i < 45; i++) {
      harness.clock.advance(SECOND_MS);
      entered(await login(username, PASSWORD, ABROAD));
    }
    // Those known longest, and those used last.
    expect(await devicesOf(id)).toBe(40);
    const again = entered(await login(username, PASSWORD, device));
    expect(again.deviceToken).toBe(device.token);
    harness.clock.advance(400 * DAY_MS);
    await harness.identity.devices.sweep();
    expect(await devicesOf(id)).toBe(0);
  });
});

describe("ten thousand tries on one name from as many addresses", () => {
  const TRIES = 10_000;
  const from = (i: number) => ({
    address: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
    userAgent: "a machine",
  });

  it("at one moment are judged once, or five times if every captcha is read", async () => {
    const { username } = await owner();
    const blind = counting();
    await inParallel(TRIES / 10, (i) => login(username, WRONG, from(i), blind.identity));
    expect(blind.work.compared).toBe(1);
    const other = await owner();
    const reading = counting(READ_BY_ALL);
    await inParallel(TRIES, (i) => login(other.username, WRONG, from(i), reading.identity));
    expect(reading.work.compared).toBe(5);
  }, 120_000);

  it("over an hour are judged a few times, and never lock out the owner's own phone", async () => {
    const { username, device } = await owner();
    const { work, identity } = counting(READ_BY_ALL);
    let own = 0;
    for (let i = 0; i < TRIES; i++) {
      harness.clock.advance((HOUR_MS / TRIES) | 0);
      await login(username, WRONG, from(i), identity);
      if (i % 1_000 === 0) {
        const before = work.compared;
        expect(codeOf(await login(username, PASSWORD, device, identity))).toBe("ok");
        own += work.compared - before;
      }
    }
    expect(work.compared - own).toBeGreaterThanOrEqual(5);
    expect(work.compared - own).toBeLessThan(20);

    // A new phone of the owner waits for its turn, answers the captcha and logs in.
    const read = await harness.readCaptcha(perya);
    const early = await login(username, PASSWORD, ABROAD, undefined, read);
    expect(early).toMatchObject({ error: { code: "rate_limited", captchaRequired: true } });
    const { retryAt = 0 } = early.ok ? {} : early.error;
    expect(retryAt).toBeLessThanOrEqual(harness.clock.now() + 15 * MINUTE_MS);
    harness.clock.set(retryAt - 1);
    expect(codeOf(await login(username, PASSWORD, ABROAD))).toBe("rate_limited");
    harness.clock.set(retryAt);
    const later = await harness.readCaptcha(perya);
    expect(codeOf(await login(username, PASSWORD, ABROAD, undefined, later))).toBe("ok");
  }, 120_000);
});

describe("the kind of host at which a login arrives", () => {
  it("[A8-12] lets no operator into the player site, and says so only after the password", async () => {
    const { id, username } = await owner();
    await harness.db.pool.query("UPDATE members SET type = 90 WHERE id = $1", [id]);
    harness.clock.advance(SECOND_MS);
    expect(codeOf(await login(username, WRONG))).toBe("login_failed");
    harness.clock.advance(SECOND_MS);
    const read = await harness.readCaptcha(perya);
    expect(codeOf(await login(username, PASSWORD, ABROAD, undefined, read))).toBe(
      "not_member_account",
    );
    const { rows } = await harness.db.pool.query(
      `SELECT outcome FROM login_events WHERE member_id = $1 ORDER BY at DESC, id DESC LIMIT 1`,
      [id],
    );
    expect(rows).toEqual([{ outcome: "refused" }]);
  });

  it("[A8-13] logs in only agents if the host is theirs", async () => {
    const { id, username } = await owner();
    const site = { ...ABROAD, host: "agents.perya.test" };
    expect(codeOf(await login(username, PASSWORD, ABROAD))).toBe("ok");
    for (const [type, code] of [
      [0, "not_agent_account"],
      [40, "not_agent_account"],
      [1, "ok"],
      [2, "ok"],
      [41, "ok"],
      [42, "ok"],
    ] as const) {
      harness.clock.advance(HOUR_MS);
      await harness.db.pool.query("UPDATE members SET type = $2 WHERE id = $1", [id, type]);
      expect(codeOf(await login(username, PASSWORD, site)), `type ${type}`).toBe(code);
    }
  });

  it("[A8-13] registers nobody and gives no free play if the host is the agents'", async () => {
    const site = { ...ABROAD, host: "agents.perya.test" };
    const form = { username: freshName(), password: PASSWORD, confirmPassword: PASSWORD };
    expect(codeOf(await harness.identity.registrations.register(perya, form, site))).toBe(
      "not_agent_account",
    );
    const flags = { ...perya.settings.flags, FREEPLAY3: true };
    const playing = { ...perya, settings: { ...perya.settings, flags } };
    expect(codeOf(await harness.identity.freePlay.start(playing, site))).toBe("not_agent_account");
    expect(codeOf(await harness.identity.freePlay.start(playing, ABROAD))).toBe("ok");
    expect(codeOf(await harness.identity.registrations.register(perya, form, ABROAD))).toBe("ok");
  });
});

/** The module with password work that is counted and not done. */
function counting(captchas: Captchas = harness.captchas): {
  readonly work: { compared: number };
  readonly identity: Identity;
} {
  const work = { compared: 0 };
  const passwords = {
    hash: async () => "",
    async matches(stored: string | null, password: string) {
      work.compared += 1;
      return stored !== null && password === PASSWORD;
    },
    isDated: () => false,
  };
  return { work, identity: harness.makeIdentity({ passwords, captchas }) };
}

/** A member who has logged in from a device, at home unless the test says otherwise. */
async function owner(at: Device = AT_HOME) {
  const username = freshName();
  const registration = { username, password: PASSWORD, confirmPassword: PASSWORD };
  const { id } = taken(await harness.identity.registrations.register(perya, registration, at));
  const { deviceToken } = entered(await login(username, PASSWORD, at));
  return { id, username, device: { ...at, token: deviceToken ?? undefined } };
}

function login(
  username: string,
  password = PASSWORD,
  device: Device = ABROAD,
  identity = harness.identity,
  read: { captchaId?: string; captcha?: string } = {},
) {
  const { captchaId, captcha } = read;
  return identity.logins.login(
    perya,
    { type: "username", username, password, captchaId, captcha },
    device,
  );
}

async function devicesOf(memberId: string): Promise<number> {
  const { rows } = await harness.db.pool.query(
    "SELECT count(*)::int AS known FROM known_devices WHERE member_id = $1",
    [memberId],
  );
  return rows[0]?.known;
}

/** As many at once as the database has connections. */
async function inParallel(times: number, work: (i: number) => Promise<unknown>): Promise<void> {
  const WIDTH = 50;
  for (let i = 0; i < times; i += WIDTH) {
    await Promise.all(Array.from({ length: WIDTH }, (_, k) => work(i + k)));
  }
}

function freshName(): string {
  names += 1;
  return `owner_${names}`;
}
