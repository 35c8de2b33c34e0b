import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { makeBrand, manualClock } from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { createLogger } from "../../platform/log.ts";
import { BrandWatch } from "./brand-watch.ts";

const EVERY_MS = 20;

const db = await databaseOfFile();

describe("the watch over brands", () => {
  it("reports each change once, with the brand that changed, and not the state it found first", async () => {
    const [one, two] = [
      await makeBrand(db.pool, manualClock()),
      await makeBrand(db.pool, manualClock()),
    ];
    await setMaintenance(one.id, true);
    const { watch, told } = watching();
    await watch.look();
    expect(told).toEqual([]);
    expect(await watch.isUnderMaintenance(one.id)).toBe(true);
    expect(await watch.isUnderMaintenance(two.id)).toBe(false);
    await setMaintenance(one.id, false);
    await setMaintenance(two.id, true);
    await watch.look();
    await watch.look();
    expect(told).toEqual([
      [two.id, true],
      [one.id, false],
    ]);
    await setMaintenance(two.id, false);
  });

  it("that cannot look logs that once, and finds the changes of that time later", async () => {
    const brand = await makeBrand(db.pool, manualClock());
    let away = false;
    const pool = new Proxy(db.pool, {
      get: (target, name) =>
        name === "query" && away
          ? () => Promise.reject(new Error("the database is away"))
          : Reflect.get(target, name, target),
    });
    const { watch, told, logged } = watching(pool);
    watch.start();
    await expect.poll(() => watch.isUnderMaintenance(brand.id)).toBe(false);
    away = true;
    await expect.poll(() => logged.length).toBe(1);
    await setMaintenance(brand.id, true);
    await sleep(EVERY_MS * 5);
    expect([logged.length, told]).toEqual([1, []]);
    away = false;
    await expect.poll(() => told).toEqual([[brand.id, true]]);
    await watch.stop();
  });
});

function watching(pool = db.pool) {
  const told: [string, boolean][] = [];
  const logged: string[] = [];
  const log = createLogger({
    level: "warn",
    destination: { write: (line) => void logged.push(line) },
  });
  const onChange = (id: string, maintenance: boolean) => void told.push([id, maintenance]);
  return { watch: new BrandWatch({ pool, log, everyMs: EVERY_MS, onChange }), told, logged };
}

function setMaintenance(id: string, maintenance: boolean) {
  return db.pool.query("UPDATE merchants SET settings = settings || $2 WHERE id = $1", [
    id,
    JSON.stringify({ maintenance }),
  ]);
}
