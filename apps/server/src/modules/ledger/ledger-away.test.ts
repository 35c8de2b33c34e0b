import { createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLedgers, receipt } from "../../../../../tests/server/ledgers.ts";
import { itOfOneServer } from "../../../../../tests/setup/one-server.ts";
import { isOnCluster } from "../../../../../tests/setup/test-database.ts";
import { type Account, Ledger, LedgerUnavailable, type Outcome } from "./ledger.ts";

const world = await openLedgers();
const { command, db, freshWallet, ledger, takeAway } = world;

describe("a ledger whose database is away for long", () => {
  let elapsedMs = 0;
  let troubles: string[] = [];
  let alone: Ledger;

  beforeEach(() => {
    elapsedMs = 0;
    troubles = [];
    alone = new Ledger({
      ...{
        databaseUrl: db.url,
        pool: db.pool,
        writers: 1,
        isCluster: isOnCluster(),
        elapsed: () => elapsedMs,
      },
      onTrouble: (_error, what) => void troubles.push(what),
    });
  });

  afterEach(() => alone.close());

  itOfOneServer("a broken server").each([
    ["is read-only", "25006"],
    ["has a full disk", "53100"],
    ["ends each connection that writes", "57P01"],
  ])(
    "answers all who wait once the first have waited for ten seconds, if the database %s, and books none later",
    async (_, code) => {
      const wallet = await freshWallet(10_000n);
      const back = await takeAway(code);
      const before = performance.now();
      try {
        const sent = send(wallet, 3_000);
        await expect.poll(() => troubles.length).toBeGreaterThan(1);
        elapsedMs = 10_001;
        expect(await sent).toBe(3_000);
      } finally {
        await back();
      }
      expect(performance.now() - before).toBeLessThan(9_000);
      expect(receipt(await alone.debit(command(wallet, "later", 1n))).balanceAfter).toBe(9_999n);
    },
    20_000,
  );

  itOfOneServer("a broken server")(
    "answers all who wait after one try if that took as long as a statement may",
    async () => {
      const wallet = await freshWallet(1_000n);
      const back = await takeAway("57014");
      expect(await send(wallet, 600).finally(back)).toBe(600);
      expect(troubles).toHaveLength(1);
    },
  );

  itOfOneServer("a broken server")(
    "answers all who wait once the first have waited for ten seconds, if its host hangs up",
    async () => {
      const host = createServer((socket) => void socket.destroy());
      await new Promise<void>((done) => host.listen(0, "127.0.0.1", done));
      const address = host.address();
      const port = typeof address === "object" ? address?.port : 0;
      const databaseUrl = `postgres://perya@127.0.0.1:${port}/perya`;
      const wallet = await freshWallet(1_000n);
      const cut = new Ledger({
        ...{
          databaseUrl,
          pool: db.pool,
          writers: 1,
          isCluster: isOnCluster(),
          elapsed: () => elapsedMs,
        },
        onTrouble: (_error, what) => void troubles.push(what),
      });
      const sent = send(wallet, 600, cut);
      await expect.poll(() => troubles.length).toBeGreaterThan(1);
      elapsedMs = 10_001;
      expect(await sent).toBe(600);
      await cut.close();
      host.close();
    },
  );

  itOfOneServer("a broken server")(
    "gives up after three tries if it is closed, and answers all who wait",
    async () => {
      const wallet = await freshWallet(1_000n);
      const back = await takeAway("53100");
      const sent = alone.debit(command(wallet, "bet", 1n)).catch((error: unknown) => error);
      await alone.close();
      await back();
      expect(await sent).toBeInstanceOf(LedgerUnavailable);
      expect(await sent).toMatchObject({ cause: { code: "53100" } });
      expect(troubles).toHaveLength(3);
      expect(await ledger.find(wallet, "bet")).toBeNull();
    },
  );

  it("begins no command that has waited for ten seconds, and begins those that came since", async () => {
    const wallet = await freshWallet(100n);
    const later: Promise<Outcome>[] = [];
    // Called when the batch has begun: a command that comes now is for the next one.
    const hasLapsed = () => {
      if (later.length > 0) return false;
      later.push(alone.debit(command(wallet, "too late", 10n)));
      elapsedMs += 1;
      later.push(alone.debit(command(wallet, "just in time", 10n)));
      elapsedMs += 10_000;
      later.push(alone.debit(command(wallet, "in time", 10n)));
      return false;
    };
    const first = alone.debit({ ...command(wallet, "slow", 10n), hasLapsed });
    expect(receipt(await first).balanceAfter).toBe(90n);
    const [tooLate, justInTime, inTime] = await Promise.allSettled(later);
    expect(tooLate).toMatchObject({ reason: expect.any(LedgerUnavailable) });
    expect(justInTime).toMatchObject({ value: { ok: true, value: { balanceAfter: 80n } } });
    expect(inTime).toMatchObject({ value: { ok: true, value: { balanceAfter: 70n } } });
  });

  /** How many of so many commands were answered that the ledger is busy. */
  async function send(wallet: Account, count: number, to = alone): Promise<number> {
    const sent = await Promise.allSettled(
      Array.from({ length: count }, (_, i) => to.debit(command(wallet, `bet ${i}`, 1n))),
    );
    const reasons = sent.map((one) => (one.status === "rejected" ? one.reason : null));
    return reasons.filter((reason) => reason instanceof LedgerUnavailable).length;
  }
});

describe("a ledger that gets no connection", () => {
  itOfOneServer("a broken server").each([
    ["as its host says nothing", silentDatabase],
    ["as its password is wrong", async () => ({ url: wrongPassword(), close: () => undefined })],
  ])(
    "answers all who wait after one try, %s",
    async (_, open) => {
      const { url, close } = await open();
      const troubles: string[] = [];
      const alone = new Ledger({
        ...{ databaseUrl: url, pool: db.pool, writers: 1, isCluster: isOnCluster() },
        onTrouble: (_error, what) => void troubles.push(what),
      });
      const wallet = await freshWallet(100n);
      const before = performance.now();
      // More than one batch.
      const sent = await Promise.allSettled(
        Array.from({ length: 600 }, (_, i) => alone.debit(command(wallet, `bet ${i}`, 1n))),
      );
      expect(performance.now() - before).toBeLessThan(9_000);
      const reasons = sent.map((one) => (one.status === "rejected" ? one.reason : null));
      expect(reasons.every((reason) => reason instanceof LedgerUnavailable)).toBe(true);
      expect(troubles).toHaveLength(1);
      await alone.close();
      close();
    },
    20_000,
  );

  async function silentDatabase() {
    const sockets = new Set<Socket>();
    const host = createServer((socket) => void sockets.add(socket.on("error", () => undefined)));
    await new Promise<void>((done) => host.listen(0, "127.0.0.1", done));
    const address = host.address();
    const port = typeof address === "object" ? address?.port : 0;
    return {
      url: `postgres://perya@127.0.0.1:${port}/perya`,
      close: () => {
        for (const socket of sockets) socket.destroy();
        host.close();
      },
    };
  }

  function wrongPassword(): string {
    const url = new URL(db.url);
    url.password = "wrong";
    return url.href;
  }
});
