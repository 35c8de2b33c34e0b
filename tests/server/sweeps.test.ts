import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AbuseCounts } from "../../apps/server/src/modules/identity/abuse-counts.ts";
import { sweepMailLinks } from "../../apps/server/src/modules/identity/account.store.ts";
import { sweepExternal } from "../../apps/server/src/modules/identity/external-login.store.ts";
import { Gifts } from "../../apps/server/src/modules/identity/gifts.ts";
import { KnownDevices } from "../../apps/server/src/modules/identity/known-devices.ts";
import { sweepChallenges } from "../../apps/server/src/modules/identity/passkeys.store.ts";
import { sweepProofs } from "../../apps/server/src/modules/identity/payment-proofs.store.ts";
import { sweepPending } from "../../apps/server/src/modules/identity/second-factor.store.ts";
import { sweepCodes } from "../../apps/server/src/modules/identity/sms-codes.store.ts";
import { sweepLooseUploads } from "../../apps/server/src/modules/promotions/promotions.store.ts";
import { sweepPlays } from "../../apps/server/src/modules/vendors/vendor-plays.store.ts";
import { GameReturns } from "../../apps/server/src/modules/vendors/vendors.ts";
import { openIdentityDesk } from "./identity-desk.ts";

let desk: Awaited<ReturnType<typeof openIdentityDesk>>;

beforeAll(async () => {
  desk = await openIdentityDesk("sweeps");
});
afterAll(() => desk?.close());

describe("the sweeps of the house", () => {
  it("each have an index that begins with what they go by", async () => {
    const { clock, db, entropy } = desk;
    const asked = new Set<string>();
    const pool = { query: noting(db.pool, asked) } as unknown as pg.Pool;
    const now = clock.now();
    const devices = new KnownDevices(pool, clock, entropy);
    await desk.makeIdentity({ pool }).sweep();
    await new AbuseCounts(pool, clock).sweep();
    await new Gifts({ pool, clock, devices, payoutAccountsOf: async () => [] }).sweep();
    await new GameReturns(pool, clock, async () => []).sweep();
    for (const one of [sweepMailLinks, sweepExternal, sweepChallenges, sweepProofs]) {
      await one(pool, now);
    }
    for (const one of [sweepPending, sweepCodes, sweepPlays, sweepLooseUploads]) {
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

/** Notes table and column of each sweep that is asked for. */
function noting(pool: pg.Pool, asked: Set<string>) {
  return (text: string, values: unknown[]) => {
    const found = /FROM (\w+)\s+WHERE (\w+) <= \$1/.exec(text);
    if (found === null) throw new Error(`no sweep in slices: ${text}`);
    asked.add(`${found[1]} ${found[2]}`);
    return pool.query(text, values);
  };
}
