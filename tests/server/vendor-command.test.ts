import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { VendorConnections } from "../../apps/server/src/modules/vendors/vendor-connections.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { databaseOfFile } from "../setup/test-database.ts";

const PROGRAM = fileURLToPath(new URL("../../apps/server/src/vendor.ts", import.meta.url));
const SESSION_SECRET = "only for the test of this command, and long";

const db = await databaseOfFile();

function command(...given: string[]) {
  const env = { ...process.env, NODE_ENV: "test", DATABASE_URL: db.url, SESSION_SECRET };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", PROGRAM, ...given],
    { env, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

describe("the command for vendors", () => {
  it("connects a vendor with a secret that it prints once, lists it, and disconnects it", async () => {
    const connected = command("connect", "PGE", "--launch-url", "https://games.laro.example/open");
    expect(connected).toMatchObject({ status: 0, stderr: "" });
    const secret = connected.stdout.trim().split("\n").at(-1) ?? "";
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const log = createLogger({ level: "silent" });
    const given = { pool: db.pool, clock: systemClock, log, secret: SESSION_SECRET };
    const connections = new VendorConnections(given);
    await connections.refresh();
    expect(connections.find("PGE")).toMatchObject({ protocol: "perya", secret });

    const listed = command("list").stdout;
    expect(listed).toBe("PGE  perya  https://games.laro.example/open\n");
    expect(command("disconnect", "PGE").status).toBe(0);
    expect(command("disconnect", "PGE").status).toBe(1);
    expect(command("list").stdout).toBe("");
  }, 180_000);

  it("refuses what connects nothing, names each fault and writes nothing", () => {
    const given = ["--launch-url", "http://plain.example", "--protocol", "smoke", "--secret", "x"];
    const refused = command("connect", "laro", ...given);
    expect(refused.status).toBe(1);
    for (const fault of ["CODE", "--launch-url", "--protocol", "--secret"]) {
      expect(refused.stderr).toContain(`${fault}: `);
    }
    const own = command("connect", "BGS", "--launch-url", "https://games.laro.example/");
    expect([own.status, own.stderr]).toEqual([1, expect.stringContaining("CODE: its games are")]);
    expect(command("list").stdout).toBe("");
  }, 180_000);
});
