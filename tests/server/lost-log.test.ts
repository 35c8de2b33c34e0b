import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../setup/test-database.ts";
import { startServerProcess } from "./server-process.ts";

/** Each refusal is a line of the log; together they are more than a pipe holds. */
const REFUSALS = 1_500;

describe("a server process whose log nobody reads", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it.each([
    ["has ended", (reader: ChildProcess["stdout"]) => reader?.destroy()],
    ["has stopped", (reader: ChildProcess["stdout"]) => reader?.pause()],
  ])(
    "serves on and ends in order where its reader %s",
    async (_, leave) => {
      let reader: ChildProcess["stdout"] = null;
      const server = await startServerProcess(
        { DATABASE_URL: database.url, NODE_ENV: "test", DEMO_DATA: "false", LOG_LEVEL: "debug" },
        { onSpawn: ({ stdout }) => (reader = stdout) },
      );
      leave(reader);
      const refused = () => fetch(`${server.url}/api/v1/member/sessions`);
      const statuses = new Set<number>();
      for (let n = 0; n < REFUSALS; n += 50) {
        const answers = await Promise.all(Array.from({ length: 50 }, refused));
        for (const { status } of answers) statuses.add(status);
      }
      expect([...statuses].every((status) => status === 404 || status === 429)).toBe(true);
      expect((await fetch(`${server.url}/livez`)).status).toBe(200);
      server.signal("SIGTERM");
      expect(await server.ended).toBe(0);
    },
    60_000,
  );
});
