import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Operators } from "../../apps/server/src/modules/operators/operators.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import { databaseOfFile } from "../setup/test-database.ts";
import { taken } from "./answers.ts";
import { makeBrand } from "./fixtures.ts";

const PROGRAM = fileURLToPath(new URL("../../apps/server/src/operator.ts", import.meta.url));

const db = await databaseOfFile();
const brand = await makeBrand(db.pool, systemClock);

function command(...given: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", PROGRAM, ...given, "--brand", brand.code],
    { env: { ...process.env, NODE_ENV: "test", DATABASE_URL: db.url }, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

describe("the command for operators", () => {
  it("prints a token of 256 bits once, stores only its hash, lists its owner and revokes it", async () => {
    const given = ["--name", "Ana Reyes", "--permissions", "deposits,payouts.confirm"];
    const added = command("add", ...given, "--days", "7");
    expect(added).toMatchObject({ status: 0, stderr: "" });
    const token = added.stdout.trim().split("\n").at(-1) ?? "";
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const operators = new Operators(db.pool, systemClock, systemEntropy);
    expect(await operators.find(brand.id, token)).toMatchObject({
      name: "Ana Reyes",
      permissions: ["deposits", "payouts.confirm"],
    });
    const { rows } = await db.pool.query("SELECT o::text FROM operators o");
    expect(JSON.stringify(rows)).not.toContain(token);

    expect(command("add", ...given).stderr).toContain("--name: taken");
    const listed = command("list").stdout;
    expect(listed).toContain("Ana Reyes  deposits,payouts.confirm  until ");
    expect(listed).not.toContain(token);

    expect(command("revoke", "--name", "ana reyes").status).toBe(0);
    expect(await operators.find(brand.id, token)).toBeNull();
    expect(command("revoke", "--name", "ana reyes").status).toBe(1);
    expect(command("list").stdout).toContain("revoked");
  }, 180_000);

  it("lists and revokes for a brand whose row is faulty, and prints the fault", async () => {
    const given = { name: "Ben Cruz", permissions: ["payouts"], days: 7 };
    const operators = new Operators(db.pool, systemClock, systemEntropy);
    const { token } = taken(await operators.add(brand.id, given));
    const zone = "UPDATE merchants SET zone = $2 WHERE id = $1";
    await db.pool.query(zone, [brand.id, "Nowhere/Land"]);
    const listed = command("list");
    expect(listed).toMatchObject({ status: 0, stdout: expect.stringContaining("Ben Cruz") });
    expect(listed.stderr).toContain(`The row of the brand ${brand.code} is at fault`);
    expect(listed.stderr).toContain("Nowhere/Land");
    expect(command("revoke", "--name", "Ben Cruz").status).toBe(0);
    expect(await operators.find(brand.id, token)).toBeNull();
    await db.pool.query(zone, [brand.id, "Asia/Manila"]);
    expect(command("list").stderr).toBe("");
  }, 180_000);

  it("prints what is wrong with its arguments, and creates no operator", async () => {
    const count = async () => (await db.pool.query("SELECT 1 FROM operators")).rowCount;
    const before = await count();
    const refused = command("add", "--name", "<b>", "--permissions", "all", "--days", "5000");
    expect(refused.status).toBe(1);
    for (const field of ["--name", "--permissions", "--days"]) {
      expect(refused.stderr).toContain(field);
    }
    expect(command("dance").stderr).toContain("npm run operator");
    expect(await count()).toBe(before);
  }, 180_000);
});
