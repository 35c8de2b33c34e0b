import { DAY_MS, type Entropy, HOUR_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  availableOf,
  makeBrand,
  makeLedger,
  manualClock,
  seededEntropy,
} from "../../../../../tests/server/fixtures.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import type { Merchant } from "../brand/brand.ts";
import { accountOf, type Ledger } from "../ledger/ledger.ts";
import { createCaptchas, Identity, type Session, TRIAL_TYPE } from "./identity.ts";

const PASSWORD = "Fiesta2026";
const DEVICE = { address: "203.0.113.7", userAgent: "a phone" };
const ELSEWHERE = { address: "198.51.100.9", userAgent: "another phone" };
const clock = manualClock();
const drawn: Uint8Array[] = [];
/** Chance that remembers what it gave, so that a test can read a captcha as a person would. */
const entropy: Entropy = remembering(seededEntropy("identity"));
let db: TestDatabase;
let ledger: Ledger;
let captchas: ReturnType<typeof createCaptchas>;
let identity: Identity;
let perya: Merchant;
let fiesta: Merchant;
let names = 0;

beforeAll(async () => {
  db = await createTestDatabase();
  ledger = makeLedger(db);
  captchas = createCaptchas(db.pool, clock, entropy);
  identity = makeIdentity();
  perya = await makeBrand(db.pool, clock);
  fiesta = await makeBrand(db.pool, clock, {
    settings: { flags: { FREEPLAY3: false } },
  });
});

afterAll(async () => {
  await ledger.close();
  await db.drop();
});

beforeEach(() => clock.advance(DAY_MS));

describe("a registration", () => {
  it("makes a member with an open, empty wallet who can log in", async () => {
    const username = freshName();
    const { id } = taken(await register(perya, username));
    expect(await availableOf(ledger, accountOf(id, "PHP"))).toBe(0n);
    const first = taken(await login(perya, username.toUpperCase()));
    expect(first).toMatchObject({ member: { id, username, type: 0 }, firstLogin: true });
    expect(taken(await login(perya, username)).firstLogin).toBe(false);
  });

  it("of a name that is taken is refused, also in other letters and at the same time", async () => {
    const username = freshName();
    const both = await Promise.all([
      register(perya, username),
      register(perya, username.toUpperCase()),
    ]);
    expect(both.map(codeOf).sort()).toEqual(["ok", "username taken"]);
    expect(codeOf(await register(perya, username))).toBe("username taken");
    expect(await identity.isFree(perya, username.toUpperCase())).toBe(false);
    const { rows } = await db.pool.query(
      `SELECT count(*)::int AS wallets FROM members m JOIN ledger_accounts a ON a.owner_id = m.id
       WHERE m.username = $1 AND m.merchant_id = $2`,
      [username, perya.id],
    );
    expect(rows).toEqual([{ wallets: 1 }]);
  });

  it("of the same name with two brands makes two members who know nothing of each other", async () => {
    const username = freshName();
    const one = taken(await register(perya, username));
    expect(await identity.isFree(fiesta, username)).toBe(true);
    const two = taken(await register(fiesta, username, "Another2026"));
    expect(two.id).not.toBe(one.id);
    expect(taken(await login(fiesta, username, "Another2026")).member.id).toBe(two.id);
    expect(codeOf(await login(fiesta, username, PASSWORD))).toBe("login_failed");
    // A failure with one brand asks for no captcha with the other.
    expect(taken(await login(perya, username)).member.id).toBe(one.id);
  });

  it("names every field that breaks the brand's rules, and writes nobody", async () => {
    const bad = {
      username: "no spaces!",
      password: "short",
      confirmPassword: "different",
      nickname: "not asked for",
      email: "not an address",
      birthday: "2010-01-01",
    };
    const refused = await identity.register(perya, bad);
    expect(
      !refused.ok && refused.error.fields?.map(({ field, code }) => `${field} ${code}`),
    ).toEqual([
      "username bad_format",
      "password bad_format",
      "nickname not_allowed",
      "email bad_format",
      "confirmPassword mismatch",
      "birthday too_small",
    ]);
    expect(await identity.isFree(perya, bad.username)).toBe(true);
  });

  it("counts the minimum age in the brand's own calendar days", async () => {
    // 21:00 UTC on the 5th is already the 6th in Manila.
    clock.set(Date.UTC(2031, 2, 5, 21));
    const born = (birthday: string) => register(perya, freshName(), PASSWORD, { birthday });
    expect(codeOf(await born("2010-03-06"))).toBe("ok");
    expect(codeOf(await born("2010-03-07"))).toBe("birthday too_small");
  });
});

describe("a session", () => {
  it("is opened by both halves together, and by neither alone", async () => {
    const { halves } = await loggedIn();
    const stranger = await loggedIn();
    expect(taken(await identity.sessions.find(perya, halves)).caller).toBe("member");
    const { storage, cookie } = halves;
    expect(codeOf(await identity.sessions.find(perya, { storage, cookie: undefined }))).toBe(
      "session_ended",
    );
    const mixed = { storage, cookie: stranger.halves.cookie };
    expect(codeOf(await identity.sessions.find(perya, mixed))).toBe("session_ended");
    const swapped = { storage: cookie, cookie: storage };
    expect(await identity.sessions.find(perya, swapped)).toBeNull();
  });

  it("stands in the database as hashes only", async () => {
    const { halves } = await loggedIn();
    const { rows } = await db.pool.query("SELECT * FROM sessions");
    const text = JSON.stringify(rows);
    for (const half of [halves.storage, halves.cookie]) {
      expect(text).not.toContain(half);
      expect(text).not.toContain(Buffer.from(half).toString("hex"));
    }
  });

  it("of one brand opens nothing with another", async () => {
    const { halves } = await loggedIn();
    expect(await identity.sessions.find(fiesta, halves)).toBeNull();
    // Nor after its own brand has just been asked for it.
    taken(await identity.sessions.find(perya, halves));
    expect(await identity.sessions.find(fiesta, halves)).toBeNull();
  });

  it("ends by logout, at once here and within seconds in another process", async () => {
    const { halves } = await loggedIn();
    const other = makeIdentity();
    const ended: string[] = [];
    identity.sessions.onEnded((id) => ended.push(id));
    const session = taken(await identity.sessions.find(perya, halves));
    taken(await other.sessions.find(perya, halves));
    await identity.sessions.end(session.id);
    expect(ended).toContain(session.id);
    expect(codeOf(await identity.sessions.find(perya, halves))).toBe("session_ended");
    clock.advance(3 * SECOND_MS);
    expect(codeOf(await other.sessions.find(perya, halves))).toBe("session_ended");
  });

  it("leaves the member's other sessions alone when it ends", async () => {
    const { username, halves } = await loggedIn();
    const second = taken(await login(perya, username, PASSWORD, ELSEWHERE));
    await identity.sessions.end(taken(await identity.sessions.find(perya, halves)).id);
    expect(taken(await identity.sessions.find(perya, second.halves)).username).toBe(username);
  });

  it("ends twelve hours after it was last used", async () => {
    const { halves } = await loggedIn();
    for (let i = 0; i < 3; i++) {
      clock.advance(12 * HOUR_MS);
      taken(await identity.sessions.find(perya, halves));
    }
    clock.advance(12 * HOUR_MS + 1);
    expect(codeOf(await identity.sessions.find(perya, halves))).toBe("session_ended");
  });

  it("ends thirty days after its login, however much it was used", async () => {
    const { halves } = await loggedIn();
    for (let hour = 10; hour < 30 * 24; hour += 10) {
      clock.advance(10 * HOUR_MS);
      taken(await identity.sessions.find(perya, halves));
    }
    clock.advance(10 * HOUR_MS);
    expect(codeOf(await identity.sessions.find(perya, halves))).toBe("session_ended");
  });

  it("of a blocked member says so at once, and again when they are let in", async () => {
    const { halves, member } = await loggedIn();
    expect(taken(await identity.sessions.find(perya, halves)).blocked).toBe(false);
    await identity.block(member.id, true);
    expect(taken(await identity.sessions.find(perya, halves)).blocked).toBe(true);
    await identity.block(member.id, false);
    expect(taken(await identity.sessions.find(perya, halves)).blocked).toBe(false);
  });
});

describe("a failed login", () => {
  it("says the same of a wrong password and of a name that nobody has", async () => {
    const { username } = await loggedIn();
    const wrong = await login(perya, username, "Wrong2026");
    const unknown = await login(perya, freshName(), "Wrong2026");
    expect(wrong).toEqual(unknown);
    expect(wrong).toMatchObject({ error: { code: "login_failed", captchaRequired: true } });
  });

  it("asks for a captcha from then on, which counts once, right or wrong", async () => {
    const { username } = await loggedIn();
    await login(perya, username, "Wrong2026");
    expect(codeOf(await login(perya, username))).toBe("captcha_wrong");
    const misread = await readCaptcha(perya);
    const other = misread.captcha === "00000" ? "11111" : "00000";
    const wrongly = { ...misread, captcha: other };
    expect(codeOf(await login(perya, username, PASSWORD, DEVICE, wrongly))).toBe("captcha_wrong");
    expect(codeOf(await login(perya, username, PASSWORD, DEVICE, misread))).toBe("captcha_wrong");
    const read = await readCaptcha(perya);
    expect(codeOf(await login(perya, username, PASSWORD, DEVICE, read))).toBe("ok");
    // A success forgets the failures.
    expect(codeOf(await login(perya, username))).toBe("ok");
  });

  it("takes no captcha of another brand, and none that is five minutes old", async () => {
    const { username } = await loggedIn();
    await login(perya, username, "Wrong2026");
    const foreign = await readCaptcha(fiesta);
    expect(codeOf(await login(perya, username, PASSWORD, DEVICE, foreign))).toBe("captcha_wrong");
    const old = await readCaptcha(perya);
    clock.advance(5 * MINUTE_MS);
    expect(codeOf(await login(perya, username, PASSWORD, DEVICE, old))).toBe("captcha_wrong");
  });

  it("repeated makes the next try wait, twice as long each time, even with the password", async () => {
    const { username } = await loggedIn();
    const fail = async () => login(perya, username, "Wrong2026", DEVICE, await readCaptcha(perya));
    for (let i = 0; i < 5; i++) expect(codeOf(await fail())).toBe("login_failed");
    for (const delay of [2, 4, 8, 16]) {
      const right = await login(perya, username, PASSWORD, DEVICE, await readCaptcha(perya));
      const retryAt = clock.now() + delay * SECOND_MS;
      expect(right).toMatchObject({ error: { code: "rate_limited", retryAt } });
      clock.set(retryAt);
      expect(codeOf(await fail())).toBe("login_failed");
    }
    // The owner at another place is asked for a captcha, and need not wait.
    const read = await readCaptcha(perya);
    expect(codeOf(await login(perya, username, PASSWORD, ELSEWHERE, read))).toBe("ok");
  });

  it("is forgotten after a quarter of an hour, and by the sweep", async () => {
    const { username } = await loggedIn();
    await login(perya, username, "Wrong2026");
    clock.advance(15 * MINUTE_MS);
    expect(codeOf(await login(perya, username))).toBe("ok");
    await login(perya, freshName(), "Wrong2026");
    await captchas.make(perya.id);
    clock.advance(15 * MINUTE_MS + 1);
    await identity.sweep();
    const { rows } = await db.pool.query(
      `SELECT (SELECT count(*)::int FROM login_failures) AS failures,
              (SELECT count(*)::int FROM captchas) AS captchas`,
    );
    expect(rows).toEqual([{ failures: 0, captchas: 0 }]);
  });
});

describe("free play", () => {
  it("comes with the brand's trial credit in a wallet of its own currency", async () => {
    const trial = taken(await identity.startTrial(perya, DEVICE));
    const session: Session = taken(await identity.sessions.find(perya, trial.halves));
    expect(session).toMatchObject({ type: TRIAL_TYPE, caller: "trial", currency: "FUN" });
    const credit = perya.settings.trialCreditMinor;
    expect(await availableOf(ledger, accountOf(session.memberId, "FUN"))).toBe(credit);
    expect(await ledger.balance(accountOf(session.memberId, "PHP"))).toBeNull();
    expect(await ledger.verify()).toEqual([]);
  });

  it("has no password to log in by, and is off where the brand switched it off", async () => {
    const { member } = taken(await identity.startTrial(perya, DEVICE));
    expect(codeOf(await login(perya, member.username, PASSWORD, ELSEWHERE))).toBe("login_failed");
    expect(codeOf(await identity.startTrial(fiesta, DEVICE))).toBe("feature_off");
  });
});

describe("a captcha", () => {
  it("is a PNG, whose answer stands nowhere in the open", async () => {
    const { cap, id } = await captchas.make(perya.id);
    expect(Buffer.from(cap, "base64").subarray(1, 4).toString()).toBe("PNG");
    const answer = lastDigits();
    const { rows } = await db.pool.query("SELECT * FROM captchas WHERE id = $1", [id]);
    expect(JSON.stringify(rows)).not.toContain(answer);
    expect(await captchas.check(perya.id, id, answer)).toBe(true);
    expect(await captchas.check(perya.id, id, answer)).toBe(false);
  });
});

function makeIdentity(): Identity {
  return new Identity({
    pool: db.pool,
    clock,
    entropy,
    captchas,
    wallets: {
      open: (client, { id, merchant, type }) => {
        const account = accountOf(id, type === TRIAL_TYPE ? "FUN" : merchant.currency);
        const owner = { merchantId: merchant.id, ownerId: id, kind: "cash" };
        return ledger.open(client, account, owner, clock.now());
      },
      giveTrialCredit: async ({ id }, amount) => {
        const given = await ledger.credit({
          account: accountOf(id, "FUN"),
          key: "trial-credit",
          amount,
          counterAccount: "bonus:trial",
          kind: "trial-credit",
          ref: null,
          at: clock.now(),
        });
        if (!given.ok) throw new Error(given.error.code);
      },
    },
  });
}

function register(merchant: Merchant, username: string, password = PASSWORD, more = {}) {
  return identity.register(merchant, {
    username,
    password,
    confirmPassword: password,
    ...more,
  });
}

function login(
  merchant: Merchant,
  username: string,
  password = PASSWORD,
  device = DEVICE,
  read: { captchaId?: string; captcha?: string } = {},
) {
  return identity.login(merchant, { username, password, ...read }, device);
}

async function loggedIn() {
  const username = freshName();
  taken(await register(perya, username));
  const { member, halves } = taken(await login(perya, username));
  return { username, member, halves };
}

/** Makes a captcha and reads it, from the chance that it was drawn with. */
async function readCaptcha(merchant: Merchant) {
  const { id } = await captchas.make(merchant.id);
  return { captchaId: id, captcha: lastDigits() };
}

/** The digits of the latest captcha: the draws between its id and its noise. */
function lastDigits(): string {
  const noise = drawn.findLastIndex((bytes) => bytes.length === 256);
  const digits: number[] = [];
  for (let i = noise - 1; digits.length < 5 && i >= 0; i--) {
    const usable = [...(drawn[i] ?? [])].filter((byte) => byte < 250).map((byte) => byte % 10);
    digits.unshift(...usable);
    if (digits.length >= 5) return digits.slice(0, 5).join("");
  }
  throw new Error("no captcha was drawn");
}

function freshName(): string {
  names += 1;
  return `tester_${names}`;
}

function remembering(source: Entropy): Entropy {
  return {
    bytes(length) {
      const bytes = source.bytes(length);
      drawn.push(bytes);
      return bytes;
    },
  };
}

type Said<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly error: {
        readonly code: string;
        readonly fields?: readonly { readonly field: string; readonly code: string }[];
      };
    };

function taken<T>(result: Said<T> | null): T {
  if (result === null || !result.ok) throw new Error(`refused: ${JSON.stringify(result)}`);
  return result.value;
}

/** `ok`, a refusal's code, or the field and the fault of a bad input. */
function codeOf(result: Said<unknown> | null): string {
  if (result === null) return "null";
  if (result.ok) return "ok";
  const [fault] = result.error.fields ?? [];
  return fault === undefined ? result.error.code : `${fault.field} ${fault.code}`;
}
