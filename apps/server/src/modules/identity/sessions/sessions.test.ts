import { hash } from "@node-rs/argon2";
import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { makeBrand } from "../../../../../../tests/server/fixtures.ts";
import { entered, openIdentityHarness } from "../../../../../../tests/server/identity-harness.ts";
import { quickArgon2 } from "../../../../../../tests/setup/quick-argon2.ts";
import { onServer } from "../../../../../../tests/setup/servers.ts";
import type { Merchant } from "../../brand/brand.ts";
import type { Device, Halves } from "./sessions.ts";

const PASSWORD = "Fiesta2026";

const DEVICE = { address: "203.0.113.7", userAgent: "a phone" };
const ELSEWHERE = { address: "198.51.100.9", userAgent: "another phone" };

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;
let perya: Merchant;
let fiesta: Merchant;
let names = 0;

beforeAll(async () => {
  harness = await openIdentityHarness("sessions");
  perya = await makeBrand(harness.db.pool, harness.clock);
  fiesta = await makeBrand(harness.db.pool, harness.clock);
});

afterAll(() => harness.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("a session", () => {
  it("is opened by both halves together, and by neither alone", async () => {
    const { halves } = await loggedIn();
    const stranger = await loggedIn();
    expect(taken(await open(perya, halves)).caller).toBe("member");
    const { storage, cookie } = halves;
    expect(codeOf(await open(perya, { storage, cookie: undefined }))).toBe("session_ended");
    const mixed = { storage, cookie: stranger.halves.cookie };
    expect(codeOf(await open(perya, mixed))).toBe("session_ended");
    const swapped = { storage: cookie, cookie: storage };
    expect(await harness.identity.sessions.find(perya, swapped)).toBeNull();
  });

  it("is read without a write while the database takes none, which one try a minute finds out", async () => {
    const { pool } = harness.db;
    const all = [await loggedIn(), await loggedIn()];
    const asked = vi.spyOn(pool, "query");
    /** The number of tries to note a session, and of reads of it, that two calls cost. */
    const read = async () => {
      asked.mockClear();
      for (const { halves } of [...all, ...all]) taken(await open(perya, halves));
      const notes = asked.mock.calls.filter(([text]) => `${text}`.startsWith("UPDATE sessions"));
      return [notes.length, asked.mock.calls.length - notes.length];
    };
    harness.clock.advance(2 * MINUTE_MS);
    const name = new URL(harness.db.url).pathname.slice(1);
    const set = `ALTER DATABASE ${name}`;
    await onServer(harness.db.url, `${set} SET default_transaction_read_only = on`);
    // A session keeps the setting that its database had when it began.
    const ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname =";
    await onServer(harness.db.url, `${ended} '${name}' AND pid <> pg_backend_pid()`);
    await expect.poll(() => pool.totalCount).toBe(0);
    expect(await read()).toEqual([1, 2]);
    expect(await read()).toEqual([0, 0]);
    harness.clock.advance(MINUTE_MS);
    expect(await read()).toEqual([1, 2]);
    await onServer(harness.db.url, `${set} RESET default_transaction_read_only`);
    // The next try finds the earlier connection, and loses it.
    harness.clock.advance(MINUTE_MS);
    expect((await read())[0]).toBe(1);
    harness.clock.advance(MINUTE_MS);
    expect((await read())[0]).toBe(2);
    asked.mockRestore();
  });

  it("that ends during its look-up opens nothing after that", async () => {
    const { member, halves } = await loggedIn();
    const { pool } = harness.db;
    const ask = pool.query.bind(pool);
    const query = vi.spyOn(pool, "query").mockImplementationOnce(async (...asked: unknown[]) => {
      const found = await Reflect.apply(ask, pool, asked);
      // It was read while it was valid, and ends before the reader gets the answer.
      await harness.identity.sessions.endAll(member.id, null);
      return found;
    });
    taken(await open(perya, halves));
    query.mockRestore();
    expect(codeOf(await open(perya, halves))).toBe("session_ended");
  });

  it("is stored in the database as hashes only", async () => {
    const { halves } = await loggedIn();
    const { rows } = await harness.db.pool.query("SELECT * FROM sessions");
    const text = JSON.stringify(rows);
    for (const half of [halves.storage, halves.cookie]) {
      expect(text).not.toContain(half);
      expect(text).not.toContain(Buffer.from(half).toString("hex"));
    }
  });

  it("of one brand opens nothing at another", async () => {
    const { halves } = await loggedIn();
    expect(await harness.identity.sessions.find(fiesta, halves)).toBeNull();
    // Nor after its own brand has just asked for it.
    taken(await open(perya, halves));
    expect(await harness.identity.sessions.find(fiesta, halves)).toBeNull();
  });

  it("ends by logout, at once here and within a second in another process", async () => {
    const { halves } = await loggedIn();
    const other = harness.makeIdentity();
    const ended: string[] = [];
    harness.identity.sessions.onEnded((id) => ended.push(id));
    const session = taken(await open(perya, halves));
    taken(await open(perya, halves, other));
    await harness.identity.sessions.end(session.id);
    expect(ended).toContain(session.id);
    expect(codeOf(await open(perya, halves))).toBe("session_ended");
    harness.clock.advance(SECOND_MS);
    expect(codeOf(await open(perya, halves, other))).toBe("session_ended");
  });

  it("that ended in another process is refused here while the clock is set back an hour", async () => {
    const { halves } = await loggedIn();
    const other = harness.makeIdentity();
    const session = taken(await open(perya, halves));
    taken(await open(perya, halves, other));
    await harness.identity.sessions.end(session.id);
    const now = harness.clock.now();
    harness.clock.set(now - HOUR_MS);
    expect(codeOf(await open(perya, halves, other))).toBe("session_ended");
    harness.clock.set(now);
  });

  it("ends when anyone logs in again in its browser, and no other browser's session ends", async () => {
    const first = await loggedIn();
    const other = entered(await login(perya, first.username, PASSWORD, ELSEWHERE));
    const before = taken(await open(perya, first.halves));
    const how: string[] = [];
    harness.identity.sessions.onEnded((id, way) => how.push(`${id} ${way}`));
    const browser = { ...DEVICE, session: first.halves.cookie };
    const stranger = freshName();
    taken(await register(perya, stranger));
    const second = entered(await login(perya, stranger, PASSWORD, browser));
    expect(how).toEqual([`${before.id} replaced`]);
    expect(codeOf(await open(perya, first.halves))).toBe("session_ended");
    taken(await open(perya, second.halves));
    taken(await open(perya, other.halves));
    const trial = { ...DEVICE, session: second.halves.cookie };
    taken(await harness.identity.freePlay.start(perya, trial));
    expect(codeOf(await open(perya, second.halves))).toBe("session_ended");
    // A login at another brand does not end it, nor does a made-up cookie.
    const strange = { ...DEVICE, session: other.halves.cookie };
    taken(await register(fiesta, stranger));
    entered(await login(fiesta, stranger, PASSWORD, strange));
    entered(await login(perya, stranger, PASSWORD, { ...DEVICE, session: "made up" }));
    taken(await open(perya, other.halves));
  });

  it("is read once a second, even if others log out during the read", async () => {
    const { halves } = await loggedIn();
    const { pool } = harness.db;
    const ask = pool.query.bind(pool);
    const query = vi.spyOn(pool, "query").mockImplementation(async (...asked: unknown[]) => {
      const found = await Reflect.apply(ask, pool, asked);
      harness.identity.sessions.forget("ses_of_somebody_else");
      return found;
    });
    for (let i = 0; i < 5; i++) taken(await open(perya, halves));
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  it("leaves the member's other sessions open when it ends", async () => {
    const { username, halves } = await loggedIn();
    const second = entered(await login(perya, username, PASSWORD, ELSEWHERE));
    await harness.identity.sessions.end(taken(await open(perya, halves)).id);
    expect(taken(await open(perya, second.halves)).username).toBe(username);
  });

  it("ends twelve hours after its last use", async () => {
    const { halves } = await loggedIn();
    for (let i = 0; i < 3; i++) {
      harness.clock.advance(12 * HOUR_MS);
      taken(await open(perya, halves));
    }
    harness.clock.advance(12 * HOUR_MS + 1);
    expect(codeOf(await open(perya, halves))).toBe("session_ended");
  });

  it("ends thirty days after its login, however much it was used", async () => {
    const { halves } = await loggedIn();
    for (let hour = 10; hour < 30 * 24; hour += 10) {
      harness.clock.advance(10 * HOUR_MS);
      taken(await open(perya, halves));
    }
    harness.clock.advance(10 * HOUR_MS);
    expect(codeOf(await open(perya, halves))).toBe("session_ended");
  });

  it("of a blocked member says so within a second, and works again after the block", async () => {
    const { halves, member } = await loggedIn();
    const block = async (blocked: boolean) => {
      const store = "UPDATE members SET blocked = $2 WHERE id = $1";
      await harness.db.pool.query(store, [member.id, blocked]);
      harness.clock.advance(1_000);
    };
    expect(taken(await open(perya, halves)).blocked).toBe(false);
    await block(true);
    expect(taken(await open(perya, halves)).blocked).toBe(true);
    await block(false);
    expect(taken(await open(perya, halves)).blocked).toBe(false);
  });
});

describe("a password's hash", () => {
  it("is renewed at a right login if its figures are dated, and never at a wrong one", async () => {
    const { username, member } = await loggedIn();
    const kept = async () => {
      const { rows } = await harness.db.pool.query(
        "SELECT password_hash FROM members WHERE id = $1",
        [member.id],
      );
      return String(rows[0].password_hash);
    };
    const today = await kept();
    expect(today.startsWith(quickArgon2.begins)).toBe(true);
    entered(await login(perya, username));
    expect(await kept()).toBe(today);
    const dated = await hash(PASSWORD, { algorithm: 2, memoryCost: 8_192, timeCost: 1 });
    const store = "UPDATE members SET password_hash = $2 WHERE id = $1";
    await harness.db.pool.query(store, [member.id, dated]);
    expect(codeOf(await login(perya, username, "Wrong2026"))).toBe("login_failed");
    expect(await kept()).toBe(dated);
    harness.clock.advance(DAY_MS);
    entered(await login(perya, username));
    expect((await kept()).startsWith(quickArgon2.begins)).toBe(true);
    entered(await login(perya, username));
  });
});

function register(merchant: Merchant, username: string, password = PASSWORD, more = {}) {
  const form = { username, password, confirmPassword: password, ...more };
  return harness.identity.registrations.register(merchant, form, DEVICE);
}

function login(merchant: Merchant, username: string, password = PASSWORD, device: Device = DEVICE) {
  return harness.identity.logins.login(merchant, { type: "username", username, password }, device);
}

async function loggedIn() {
  const username = freshName();
  taken(await register(perya, username));
  const { member, halves } = entered(await login(perya, username));
  return { username, member, halves };
}

function freshName(): string {
  names += 1;
  return `tester_${names}`;
}

/** The answer to a session that was valid once. */
async function open(merchant: Merchant, halves: Halves, at = harness.identity) {
  return present(await at.sessions.find(merchant, halves), "the session");
}
