import { DAY_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { Gifts } from "../../apps/server/src/modules/identity/accounts/gifts.ts";
import { sweepMailLinks } from "../../apps/server/src/modules/identity/accounts/mail-links.store.ts";
import { AbuseCounts } from "../../apps/server/src/modules/identity/defence/abuse-counts.ts";
import { KnownDevices } from "../../apps/server/src/modules/identity/defence/known-devices.ts";
import { sweepOnce } from "../../apps/server/src/modules/identity/defence/once.store.ts";
import { sweepExternal } from "../../apps/server/src/modules/identity/external/external-login.store.ts";
import { sweepChallenges } from "../../apps/server/src/modules/identity/factors/passkeys.store.ts";
import { sweepProofs } from "../../apps/server/src/modules/identity/factors/payment-proofs.store.ts";
import { sweepPending } from "../../apps/server/src/modules/identity/factors/second-factor.store.ts";
import { sweepCodes } from "../../apps/server/src/modules/identity/factors/sms-codes.store.ts";
import { sweepLogins } from "../../apps/server/src/modules/identity/logins/logins.store.ts";
import { sweepSessions } from "../../apps/server/src/modules/identity/sessions/sessions.store.ts";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import { GameReturns } from "../../apps/server/src/modules/vendors/game-returns.ts";
import { sweepPlays } from "../../apps/server/src/modules/vendors/vendor-sessions.store.ts";
import { taken } from "./answers.ts";
import { makeBrand } from "./fixtures.ts";
import { entered, openIdentityHarness } from "./identity-harness.ts";

const PASSWORD = "Sampaguita77";
const PHONE = { address: "203.0.113.7", userAgent: "a phone" };

const harness = await openIdentityHarness("sweeps");
const perya = await makeBrand(harness.db.pool, harness.clock);
afterAll(harness.close);

describe("the sweeps of the house", () => {
  it("each have an index that begins with the column of their condition", async () => {
    const { clock, db, entropy } = harness;
    const asked = new Set<string>();
    const pool = { query: noting(db.pool, asked) } as unknown as pg.Pool;
    const now = clock.now();
    const devices = new KnownDevices(pool, clock, entropy);
    await devices.sweep();
    await new AbuseCounts(pool, clock).sweep();
    await new Gifts({
      pool,
      clock,
      devices,
      payoutAccountsOf: async () => [],
      hasPaidIn: async () => false,
    }).sweep();
    await new GameReturns(pool, clock, async () => []).sweep();
    for (const one of [
      sweepOnce,
      sweepLogins,
      sweepSessions,
      sweepMailLinks,
      sweepExternal,
      sweepChallenges,
      sweepProofs,
    ]) {
      await one(pool, now);
    }
    for (const one of [sweepPending, sweepCodes, sweepPlays]) {
      await one(pool, now);
    }
    const { rows } = await db.pool.query<{ indexed: string }>(
      `SELECT i.indrelid::regclass || ' ' || a.attname ||
         coalesce(' ' || pg_get_expr(i.indpred, i.indrelid), '') AS indexed
       FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]`,
    );
    const indexed = new Set(rows.map((row) => row.indexed.split(" ").slice(0, 2).join(" ")));
    expect([...asked].filter((one) => !indexed.has(one))).toEqual([]);
    expect(asked.size).toBeGreaterThan(15);
  });
});

describe("a record that is stored for a time", () => {
  it("is deleted in time: a session thirty days after it expired, a member's log-in after a year", async () => {
    const { clock, db, identity } = harness;
    const username = "kept_for_a_time";
    const form = { username, password: PASSWORD, confirmPassword: PASSWORD };
    taken(await identity.registrations.register(perya, form, PHONE));
    const asked = { type: "username", username, password: PASSWORD } as const;
    const { member } = entered(await identity.logins.login(perya, asked, PHONE));
    const left = async (table: string) =>
      (await db.pool.query(`SELECT FROM ${table} WHERE member_id = $1`, [member.id])).rowCount;
    clock.advance(60 * DAY_MS - 1);
    await sweepSessions(db.pool, clock.now());
    expect(await left("sessions")).toBe(1);
    clock.advance(1);
    await sweepSessions(db.pool, clock.now());
    expect(await left("sessions")).toBe(0);
    clock.advance(305 * DAY_MS - 1);
    await sweepLogins(db.pool, clock.now());
    expect(await left("login_events")).toBe(1);
    clock.advance(1);
    await sweepLogins(db.pool, clock.now());
    expect(await left("login_events")).toBe(0);
  });

  it("is deleted when it is a free-play account unused for thirty days; its wallet's entries and played accounts stay", async () => {
    const { clock, db, identity, ledger } = harness;
    const start = async () => taken(await identity.freePlay.start(perya, PHONE)).member.id;
    const [unused, played, keeping, late] = [
      await start(),
      await start(),
      await start(),
      await start(),
    ];
    await db.pool.query(
      `INSERT INTO favourites (merchant_id, member_id, node_id, added_at) VALUES ($1, $2, $3, now())`,
      [perya.id, keeping, 1],
    );
    await ledger.credit({
      account: accountOf(played, "FUN"),
      ...{
        key: "more",
        amount: 5n,
        counterAccount: "bonus:trial",
        kind: "trial-credit",
        ref: null,
      },
      at: clock.now(),
    });
    const neverPlayed = async (id: string) =>
      (await ledger.balance(accountOf(id, "FUN")))?.seq === 1n;
    const left = async (id: string) =>
      (await db.pool.query("SELECT FROM members WHERE id = $1", [id])).rowCount;
    clock.advance(30 * DAY_MS - 1);
    await db.pool.query(
      "UPDATE sessions SET seen_at = to_timestamp($2 / 1000.0) WHERE member_id = $1",
      [late, clock.now()],
    );
    await identity.freePlay.sweep(neverPlayed);
    expect(await left(unused)).toBe(1);
    clock.advance(1);
    await identity.freePlay.sweep(neverPlayed);
    expect([await left(unused), await left(played), await left(keeping), await left(late)]).toEqual(
      [0, 1, 1, 1],
    );
    expect(await ledger.balance(accountOf(unused, "FUN"))).toMatchObject({ seq: 1n });
    expect(await ledger.verify()).toEqual([]);
    // The sweep does not check again an account that stays.
    const asked: string[] = [];
    clock.advance(60 * DAY_MS);
    await identity.freePlay.sweep(async (id) => {
      asked.push(id);
      return false;
    });
    expect(asked).toEqual([late]);
  });

  it("stays longer when it is a free-play account that one minute's sweep does not reach", async () => {
    const { clock, identity } = harness;
    for (let i = 0; i < 3; i++) taken(await identity.freePlay.start(perya, PHONE));
    clock.advance(30 * DAY_MS);
    let elapsedMs = 0;
    const slow = harness.makeIdentity({ elapsed: () => elapsedMs });
    const asked: string[] = [];
    const run = async () => {
      asked.length = 0;
      await slow.freePlay.sweep(async (id) => {
        asked.push(id);
        elapsedMs += 30_000;
        return false;
      });
      return asked.length;
    };
    expect([await run(), await run(), await run()]).toEqual([2, 1, 0]);
  });
});

describe("a member's row", () => {
  it("is deleted without a scan of any table that refers to it", async () => {
    const { rows } = await harness.db.pool.query<{ unserved: string }>(
      `SELECT c.conrelid::regclass || ' ' || a.attname AS unserved
       FROM pg_constraint c
       JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
       WHERE c.confrelid = 'members'::regclass AND c.contype = 'f' AND NOT EXISTS (
         SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1]
           -- A partial index serves only if it covers all rows that name a member.
           AND coalesce(pg_get_expr(i.indpred, i.indrelid), '') IN
             ('', format('(%I IS NOT NULL)', a.attname)))`,
    );
    expect(rows).toEqual([]);
  });
});

/** Records the table and column of each sweep's query. */
function noting(pool: pg.Pool, asked: Set<string>) {
  return (text: string, values: unknown[]) => {
    // What a slice found is deleted by its key, and may be judged again.
    const byKey = /^DELETE FROM \w+ WHERE \w+ = (ANY \()?\$1\)?(?: AND \w+ <= \$2 AND true)?$/;
    if (byKey.test(text)) return pool.query(text, values);
    const found = /FROM (\w+)\s+WHERE (\w+) <= \$1/.exec(text);
    if (found === null) throw new Error(`no sweep in slices: ${text}`);
    asked.add(`${found[1]} ${found[2]}`);
    return pool.query(text, values);
  };
}
