import { describe, expect, it } from "vitest";
import { databaseOfFile } from "../../../../tests/setup/test-database.ts";
import { siteName } from "./site-name.ts";

const databases = [await databaseOfFile(), await databaseOfFile()];

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
