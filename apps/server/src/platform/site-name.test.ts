import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../tests/setup/test-database.ts";
import { siteName } from "./site-name.ts";

let databases: TestDatabase[] = [];

beforeAll(async () => {
  databases = [await createTestDatabase(), await createTestDatabase()];
});
afterAll(() => Promise.all(databases.map((one) => one.drop())));

describe("a site's name", () => {
  it("is one for all processes of a site, and another for another database or another secret", async () => {
    const named = (secret: string) =>
      Promise.all(databases.map(({ pool }) => siteName(pool, secret)));
    const names = await named("a secret");
    expect(await named("a secret")).toEqual(names);
    expect(new Set([...names, ...(await named("another secret"))]).size).toBe(4);
    // As patterns name it, to which a user of Redis may be bound.
    for (const name of names) expect(name).toMatch(/^perya:[\w-]{43}$/);
  });
});
