import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { createLogger } from "../log.ts";
import { DatabaseHistory } from "./history.ts";
import { createPool } from "./pool.ts";

const log = createLogger({ level: "silent" });

const db = await databaseOfFile();

describe("a database that goes on from an earlier moment", () => {
  it("is renewed before anybody can rely on it, once, and so is one that was never checked", async () => {
    const one = processOn();
    expect(await one.sure()).toEqual({ renewed: 1, told: 0 });
    expect(await one.sure()).toEqual({ renewed: 1, told: 0 });
    expect(await processOn().sure()).toEqual({ renewed: 0, told: 0 });
    // As the backup of another cluster, or of an ended timeline, contains it.
    for (const change of ["timeline = timeline + 1", "system_identifier = 'another'"]) {
      await db.pool.query(`UPDATE database_history SET ${change}`);
      const next = processOn();
      expect(await next.sure()).toEqual({ renewed: 1, told: 1 });
      expect(await next.sure()).toEqual({ renewed: 1, told: 1 });
      await next.end();
    }
    await one.end();
  });

  it("is noticed by a running process, by the connection that is made anew", async () => {
    const running = processOn();
    await running.sure();
    await db.pool.query("UPDATE database_history SET timeline = timeline + 1");
    expect(await running.sure()).toEqual({ renewed: 0, told: 0 });
    await running.loseConnections();
    expect(await running.sure()).toEqual({ renewed: 1, told: 2 });
    // The ledger's own connections belong to no pool.
    await db.pool.query("UPDATE database_history SET timeline = timeline + 1");
    running.history.doubt();
    expect(await running.sure()).toEqual({ renewed: 2, told: 4 });
    await running.end();
  });

  it("is announced in every process that was in the one before, also if nobody deals", async () => {
    const [one, two] = [processOn(), processOn()];
    await Promise.all([one.sure(), two.sure()]);
    const told = () => [one, two].map(({ counts }) => counts.told > 0);
    expect(told()).toEqual([false, false]);
    await db.pool.query("UPDATE database_history SET timeline = timeline + 1");
    await Promise.all([one.loseConnections(), two.loseConnections()]);
    for (const { history } of [one, two]) history.start();
    await expect.poll(told).toEqual([true, true]);
    await Promise.all([one.sure(), two.sure()]);
    expect(one.counts.renewed + two.counts.renewed).toBe(1);
    for (const { counts } of [one, two]) counts.told = 0;
    await db.pool.query("UPDATE database_history SET timeline = timeline + 1");
    await Promise.all([one.loseConnections(), two.loseConnections()]);
    await expect.poll(told).toEqual([true, true]);
    for (const { history, end } of [one, two]) await history.stop().then(end);
  });

  it("is announced before it is renewed, however long that takes, and again when it is", async () => {
    let finish: () => void = () => undefined;
    let renewing = Promise.resolve();
    const [one, two] = [processOn(() => renewing), processOn(() => renewing)];
    await Promise.all([one.sure(), two.sure()]);
    renewing = new Promise<void>((done) => {
      finish = done;
    });
    await db.pool.query("UPDATE database_history SET timeline = timeline + 1");
    for (const { history } of [one, two]) history.doubt();
    const others = [one.sure(), two.sure()];
    const told = () => [one.counts.told, two.counts.told];
    await expect.poll(told).toEqual([1, 1]);
    finish();
    await Promise.all(others);
    expect(told()).toEqual([2, 2]);
    await Promise.all([one.end(), two.end()]);
  });

  it("is renewed by one process, and nobody can rely on it before that is finished", async () => {
    await db.pool.query("UPDATE database_history SET timeline = timeline + 1");
    let finish: () => void = () => undefined;
    const renewing = new Promise<void>((done) => {
      finish = done;
    });
    const [one, two] = [processOn(() => renewing), processOn()];
    const first = one.sure();
    await expect.poll(() => one.counts.renewed).toBe(1);
    const others = [one.sure(), two.sure()];
    expect(await Promise.race([...others, sleep(200, "nobody")])).toBe("nobody");
    finish();
    expect(await first).toEqual({ renewed: 1, told: 1 });
    expect(await Promise.all(others)).toEqual([
      { renewed: 1, told: 1 },
      { renewed: 0, told: 0 },
    ]);
    await Promise.all([one.end(), two.end()]);
  });

  it("is renewed again if that was not finished, is not relied on before, and is announced once", async () => {
    let isBroken = false;
    const tried = processOn(() =>
      isBroken ? Promise.reject(new Error("not now")) : Promise.resolve(),
    );
    await tried.sure();
    await db.pool.query("UPDATE database_history SET timeline = timeline + 1");
    tried.history.doubt();
    isBroken = true;
    await expect(tried.sure()).rejects.toThrow("not now");
    await expect(tried.sure()).rejects.toThrow("not now");
    expect(tried.counts.told).toBe(1);
    isBroken = false;
    expect(await tried.sure()).toEqual({ renewed: 3, told: 2 });
    await tried.end();
  });
});

/** A process of the site, with a pool of its own. */
function processOn(renew: () => Promise<void> = async () => undefined) {
  const pool = createPool(db.url, { max: 2, log });
  const counts = { renewed: 0, told: 0 };
  const history = new DatabaseHistory({
    pool,
    renew: () => {
      counts.renewed++;
      return renew();
    },
    onChange: () => counts.told++,
    lookEveryMs: 50,
  });
  return {
    history,
    counts,
    async sure() {
      await history.sure();
      return { ...counts };
    },
    async loseConnections() {
      const lost = new Promise((done) => pool.once("error", done));
      const { rows } = await pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      await db.pool.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
      await lost;
    },
    end: () => pool.end(),
  };
}
