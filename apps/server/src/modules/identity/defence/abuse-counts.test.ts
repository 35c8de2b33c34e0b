import { DAY_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeBrand, manualClock } from "../../../../../../tests/server/fixtures.ts";
import { oneWaits } from "../../../../../../tests/server/overtaken.ts";
import {
  createTestDatabase,
  type TestDatabase,
} from "../../../../../../tests/setup/test-database.ts";
import type { Merchant } from "../../brand/brand.ts";
import { AbuseCounts, type AbuseLimit, type Counted } from "./abuse-counts.ts";

const clock = manualClock();
const few = { subject: "few", max: 2, windowMs: MINUTE_MS };
const many = { subject: "many", max: 5, windowMs: 10 * MINUTE_MS };
let db: TestDatabase;
let counts: AbuseCounts;
let merchant: Merchant;

beforeAll(async () => {
  db = await createTestDatabase();
  counts = new AbuseCounts(db.pool, clock);
});

beforeEach(async () => {
  merchant = await makeBrand(db.pool, clock);
});

afterAll(() => db.drop());

describe("counts of abuse", () => {
  it("let through what has room, and then refuse until the window of the first one is over", async () => {
    const began = clock.now();
    expect(await full(few)).toBeNull();
    clock.advance(MINUTE_MS / 2);
    expect(await full(few)).toBeNull();
    expect(await full(few)).toBe(began + MINUTE_MS);
    clock.set(began + MINUTE_MS);
    expect(await full(few)).toBeNull();
  });

  it("that a clock running ahead began end one window from now, and lose nothing that was counted", async () => {
    const began = clock.now();
    clock.advance(30 * DAY_MS);
    await counts.spend(merchant.id, [few, many]);
    clock.set(began);
    expect(await full(few)).toBeNull();
    expect(await full(few, many)).toBe(began + MINUTE_MS);
    clock.set(began + MINUTE_MS);
    expect(await full(few, many)).toBeNull();
  });

  it("count all limits or none, and name the instant from which the last of them has room", async () => {
    for (let i = 0; i < 2; i++) await counts.spend(merchant.id, [few, many]);
    for (let i = 0; i < 9; i++) {
      expect(await full(few, many)).toBe(clock.now() + MINUTE_MS);
    }
    // The nine refused tries used up nothing of the other limit.
    for (let i = 0; i < 3; i++) expect(await full(many)).toBeNull();
    expect(await full(few, many)).toBe(clock.now() + 10 * MINUTE_MS);
  });

  it("are exact for any number of tries at once, also when these name the limits in another order", async () => {
    const asked = Array.from({ length: 40 }, (_, i) =>
      counts.spend(merchant.id, i % 2 === 0 ? [few, many] : [many, few]),
    );
    const passed = (await Promise.all(asked)).filter(({ ok }) => ok);
    expect(passed).toHaveLength(2);
  });

  it("take back what did not happen, and are separate per brand", async () => {
    const counted = await count(few);
    expect(await full(few)).toBeNull();
    const other = await makeBrand(db.pool, clock);
    expect((await counts.spend(other.id, [few])).ok).toBe(true);
    await counts.giveBack(merchant.id, counted);
    expect(await full(few)).toBeNull();
    expect(await full(few)).not.toBeNull();
  });

  it("are taken back from the window that they were counted in, never from a later one", async () => {
    const counted = await count(few, many);
    clock.advance(MINUTE_MS);
    for (let i = 0; i < 2; i++) expect(await full(few)).toBeNull();
    await counts.giveBack(merchant.id, counted);
    expect(await counts.spentOf(merchant.id, [few.subject, many.subject])).toEqual(
      new Map([
        [few.subject, 2],
        [many.subject, 0],
      ]),
    );
  });

  it("are taken back in the order in which they are counted, so that the two never deadlock", async () => {
    // Inserted in the other order; so few rows that PostgreSQL reads them as they lie.
    const counted = [...(await count(many)), ...(await count(few))];
    await db.pool.query("ANALYZE abuse_counts");
    const client = await db.pool.connect();
    const lock = "SELECT FROM abuse_counts WHERE merchant_id = $1 AND subject = $2 FOR UPDATE";
    try {
      await client.query("BEGIN");
      await client.query(lock, [merchant.id, few.subject]);
      const given = counts.giveBack(merchant.id, counted);
      await oneWaits(db.pool);
      await client.query(`${lock} NOWAIT`, [merchant.id, many.subject]);
      await client.query("COMMIT");
      await given;
    } finally {
      client.release(true);
    }
    const spent = await counts.spentOf(merchant.id, [few.subject, many.subject]);
    expect([...spent.values()]).toEqual([0, 0]);
  });

  it("are deleted by the sweep once their window is over", async () => {
    await counts.spend(merchant.id, [few, many]);
    clock.advance(MINUTE_MS);
    await counts.sweep();
    const { rows } = await db.pool.query(
      "SELECT subject FROM abuse_counts WHERE merchant_id = $1",
      [merchant.id],
    );
    expect(rows).toEqual([{ subject: "many" }]);
  });
});

async function count(...limits: AbuseLimit[]): Promise<readonly Counted[]> {
  const counted = await counts.spend(merchant.id, limits);
  if (!counted.ok) throw new Error("there was no room");
  return counted.value;
}

/** Null if every limit had room, and one of each is counted; else when all of them have room. */
async function full(...limits: AbuseLimit[]): Promise<Instant | null> {
  const counted = await counts.spend(merchant.id, limits);
  return counted.ok ? null : counted.error;
}
