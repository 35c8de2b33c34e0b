import { HOUR_MS, SECOND_MS } from "@perya/kernel/instant";
import { describe, expect, it } from "vitest";
import { databaseOfFile } from "../../../../tests/setup/test-database.ts";
import { createLease } from "./lease.ts";

const LIFE_MS = 5 * SECOND_MS;

const db = await databaseOfFile();

describe("a lease", () => {
  it("is one holder's until it was not kept for its life", async () => {
    const { leaseOf, advance } = table("kept");
    expect(await leaseOf("one").hold()).toBe(true);
    advance(LIFE_MS);
    expect(await leaseOf("other").hold()).toBe(false);
    expect(await leaseOf("one").hold()).toBe(true);
    advance(LIFE_MS + 1);
    expect(await leaseOf("other").hold()).toBe(true);
    expect(await leaseOf("one").hold()).toBe(false);
    await leaseOf("one").release();
    expect(await leaseOf("one").hold()).toBe(false);
    await leaseOf("other").release();
    expect(await leaseOf("one").hold()).toBe(true);
  });

  it("cannot be kept if nobody kept it for its life, though nobody else has taken it", async () => {
    const { leaseOf, advance } = table("slept");
    expect(await leaseOf("one").hold()).toBe(true);
    advance(LIFE_MS);
    expect(await leaseOf("one").keep()).toBe(true);
    advance(LIFE_MS + 1);
    expect(await leaseOf("one").keep()).toBe(false);
    expect(await leaseOf("one").hold()).toBe(true);
    expect(await leaseOf("one").keep()).toBe(true);
  });

  it.each(["hold", "keep"] as const)(
    "is not gained by an answer to %s that took longer than its life",
    async (ask) => {
      const name = `stood still at ${ask}`;
      const { leaseOf, advance } = table(name);
      expect(await leaseOf("one").hold()).toBe(true);
      const client = await db.pool.connect();
      await client.query("BEGIN");
      await client.query("SELECT 1 FROM leases WHERE name = $1 FOR UPDATE", [name]);
      const held = leaseOf("one")[ask]();
      advance(LIFE_MS + 1);
      await client.query("ROLLBACK");
      client.release();
      expect(await held).toBe(false);
      expect(await leaseOf("heir").hold()).toBe(true);
    },
  );

  it("that a wrong clock wrote an hour ahead ends a life after it was found", async () => {
    const { leaseOf, advance } = table("dead ahead");
    advance(HOUR_MS);
    expect(await leaseOf("dead").hold()).toBe(true);
    advance(-HOUR_MS);
    expect(await leaseOf("heir").hold()).toBe(false);
    advance(LIFE_MS - 1);
    expect(await leaseOf("heir").hold()).toBe(false);
    advance(2);
    expect(await leaseOf("heir").hold()).toBe(true);
  });

  it("that a wrong clock wrote an hour ahead stays with a living holder", async () => {
    const { leaseOf, advance } = table("living ahead");
    advance(HOUR_MS);
    expect(await leaseOf("living").hold()).toBe(true);
    advance(-HOUR_MS);
    for (let beats = 0; beats < 10; beats++) {
      advance(SECOND_MS);
      expect(await leaseOf("heir").hold()).toBe(false);
      expect(await leaseOf("living").hold()).toBe(true);
    }
  });
});

function table(name: string) {
  let now = 1_900_000_000_000;
  return {
    leaseOf: (holder: string) => createLease(db.pool, { now: () => now }, name, holder, LIFE_MS),
    advance: (ms: number) => {
      now += ms;
    },
  };
}
