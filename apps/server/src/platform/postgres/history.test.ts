import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../../tests/setup/test-database.ts";
import { onNewHistory } from "./history.ts";

let db: TestDatabase;
let renewed = 0;
const renew = async () => void renewed++;

beforeAll(async () => {
  db = await createTestDatabase();
});

afterAll(() => db.drop());

describe("a database that goes on from an earlier moment", () => {
  it("is renewed once, and one that is seen for the first time or goes on as before is not", async () => {
    expect(await onNewHistory(db.pool, renew)).toBe(false);
    expect(await onNewHistory(db.pool, renew)).toBe(false);
    expect(renewed).toBe(0);
    // As the backup of another cluster, or of a timeline that has ended, brings it along.
    for (const change of ["timeline = timeline + 1", "system_identifier = 'another'"]) {
      renewed = 0;
      await db.pool.query(`UPDATE database_history SET ${change}`);
      expect(await onNewHistory(db.pool, renew)).toBe(true);
      expect(await onNewHistory(db.pool, renew)).toBe(false);
      expect(renewed).toBe(1);
    }
  });

  it("is renewed again where that was not done whole", async () => {
    await db.pool.query("UPDATE database_history SET timeline = timeline + 1");
    const fails = () => Promise.reject(new Error("not now"));
    await expect(onNewHistory(db.pool, fails)).rejects.toThrow("not now");
    expect(await onNewHistory(db.pool, renew)).toBe(true);
  });
});
