import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ledgerOfFile,
  makeLedger,
  makeWallet,
  manualClock,
} from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { type Account, checkByLane, EffectMissed, Ledger, unlessMissed } from "./ledger.ts";

const clock = manualClock();
let maria: Account;

const db = await databaseOfFile();
const ledger = ledgerOfFile(db, []);

/** Sound books with every kind of entry in them. */
beforeEach(async () => {
  const wallet = await makeWallet({ pool: db.pool, ledger, clock }, "mem_maria", 1_000n);
  maria = wallet;
  await makeWallet({ pool: db.pool, ledger, clock }, "mem_jun", 500n);
  const base = { account: wallet, counterAccount: "vendor:BGS", ref: null, at: clock.now() };
  const key = (name: string) => `vendor:BGS:${name}`;
  await ledger.debit({ ...base, key: key("bet"), amount: 100n, kind: "bet" });
  await ledger.credit({ ...base, key: key("win"), amount: 50n, kind: "win", requires: key("bet") });
  await ledger.hold({ ...base, key: "hold 1", amount: 200n, kind: "hold" });
  await ledger.hold({ ...base, key: "hold 2", amount: 30n, kind: "hold" });
  const post = { ...base, key: "post 1", resolves: "hold 1", amount: 200n };
  await ledger.post({ ...post, kind: "withdrawal" });
  expect(await ledger.verify()).toEqual([]);
});

afterEach(async () => {
  await db.pool.query("TRUNCATE ledger_accounts, ledger_entries, ledger_lane_totals");
});

describe("ledger:verify finds", () => {
  it("money that came from nowhere", async () => {
    await db.pool.query("UPDATE ledger_lane_totals SET amount = amount + 1");
    await expectFound("all legs of a currency sum to zero", "PHP");
  });

  it("an entry that was removed from the middle", async () => {
    await db.pool.query("DELETE FROM ledger_entries WHERE account_id = $1 AND seq = 3", [maria.id]);
    await expectFound("an account's entries are numbered without a gap", maria.id);
  });

  it("a balance that does not follow from the one before", async () => {
    await db.pool.query(
      "UPDATE ledger_entries SET balance_after = balance_after + 5 WHERE account_id = $1 AND seq = 2",
      [maria.id],
    );
    await expectFound("each balance is the one before plus the amount", `${maria.id}#2`);
  });

  it("a held part that does not follow from the one before", async () => {
    await db.pool.query(
      "UPDATE ledger_entries SET held_after = held_after + 5 WHERE account_id = $1 AND seq = 5",
      [maria.id],
    );
    await expectFound("each balance is the one before plus the amount", `${maria.id}#5`);
  });

  it("a wallet that was changed without an entry", async () => {
    await db.pool.query("UPDATE ledger_accounts SET balance = balance + 1 WHERE id = $1", [
      maria.id,
    ]);
    await expectFound("an account stands where its last entry left it", maria.id);
  });

  it("a wallet without entries that holds money all the same", async () => {
    await db.pool.query("DELETE FROM ledger_entries WHERE account_id = $1", [maria.id]);
    await db.pool.query("UPDATE ledger_accounts SET seq = 0 WHERE id = $1", [maria.id]);
    await expectFound("an account stands where its last entry left it", maria.id);
  });

  it("entries whose account is gone", async () => {
    await db.pool.query("DELETE FROM ledger_accounts WHERE id = $1", [maria.id]);
    await expectFound("every entry has its account", maria.id);
  });

  it("an entry in another currency than its account", async () => {
    await db.pool.query(
      "UPDATE ledger_entries SET currency = 'FUN' WHERE account_id = $1 AND seq = 2",
      [maria.id],
    );
    await expectFound("every entry has its account", maria.id);
  });

  it("a lane total that is not what its entries sum to", async () => {
    await db.pool.query(
      `UPDATE ledger_lane_totals
       SET amount = amount + CASE WHEN counter_account = 'vendor:BGS' THEN 7 ELSE -7 END
       WHERE lane = $1`,
      [maria.lane],
    );
    const total = `${maria.lane}/vendor:BGS/PHP`;
    await expectFound("lane totals mirror the entries", total);
  });

  it("a wallet below zero, even if the database's own rule were dropped", async () => {
    const client = await db.pool.connect();
    try {
      await client.query("BEGIN");
      await client.query("ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_check");
      await client.query("UPDATE ledger_accounts SET held = balance + 1 WHERE id = $1", [maria.id]);
      await client.query("COMMIT");
      await expectFound("nothing is negative and holds are within the balance", maria.id);
    } finally {
      await client.query("TRUNCATE ledger_accounts");
      await client.query(
        "ALTER TABLE ledger_accounts ADD CONSTRAINT ledger_accounts_check CHECK (held BETWEEN 0 AND balance)",
      );
      client.release();
    }
  });

  it("a key that exists twice, even if the unique index were dropped", async () => {
    await db.pool.query("DROP INDEX ledger_entries_key");
    try {
      await db.pool.query(
        "UPDATE ledger_entries SET key = 'vendor:BGS:bet' WHERE account_id = $1 AND seq = 3",
        [maria.id],
      );
      await expectFound("no key stands twice", `${maria.id} vendor:BGS:bet`);
    } finally {
      await db.pool.query("TRUNCATE ledger_entries");
      await db.pool.query(
        "CREATE UNIQUE INDEX ledger_entries_key ON ledger_entries (lane, account_id, key)",
      );
    }
  });

  it("an entry that ends one that was never there", async () => {
    await db.pool.query("UPDATE ledger_entries SET resolves = 'nothing' WHERE resolves = 'hold 1'");
    await expectFound("an entry is resolved by one that matches it", `${maria.id}#6`);
  });

  it("a hold that was ended twice, even if the unique index were dropped", async () => {
    await db.pool.query("DROP INDEX ledger_entries_resolves");
    try {
      await db.pool.query(
        "UPDATE ledger_entries SET resolves = 'hold 1' WHERE account_id = $1 AND key = 'hold 2'",
        [maria.id],
      );
      await expectFound("no entry is resolved twice", `${maria.id} hold 1`);
    } finally {
      await db.pool.query("TRUNCATE ledger_entries");
      await db.pool.query(
        `CREATE UNIQUE INDEX ledger_entries_resolves ON ledger_entries (lane, account_id, resolves)
         WHERE resolves IS NOT NULL`,
      );
    }
  });

  it("free play's credit in a wallet of money", async () => {
    await db.pool.query(
      "UPDATE ledger_entries SET kind = 'trial-credit' WHERE account_id = $1 AND seq = 2",
      [maria.id],
    );
    await expectFound("what is lent for free play is no money", `${maria.id}#2`);
  });

  it("what another module's book says of any lane, and nothing more", async () => {
    const sql = "SELECT id AS subject, balance AS found FROM ledger_accounts WHERE lane = $1";
    const check = "nobody has a wallet";
    const asked = makeLedger(db, [checkByLane(check, sql)]);
    expect((await asked.verify()).sort((a, b) => (a.found < b.found ? -1 : 1))).toEqual([
      { check, subject: "mem_jun.PHP", found: "500" },
      { check, subject: "mem_maria.PHP", found: "750" },
    ]);
    // A ledger that is given no books checks none.
    const options = { databaseUrl: db.url, pool: db.pool, onTrouble: () => undefined };
    expect(await new Ledger(options).verify()).toEqual([]);
  });

  it("a book that cannot be read, and gives its connection to nobody else", async () => {
    const broken = makeLedger(db, [
      checkByLane("broken", "SELECT $1::smallint AS subject, 1 / 0 AS found"),
    ]);
    await expect(broken.verify()).rejects.toThrow("division by zero");
    const asked = Array.from({ length: 20 }, () => db.pool.query("SELECT 1 AS one"));
    for (const { rows } of await Promise.all(asked)) expect(rows).toEqual([{ one: 1 }]);
  });

  it("held money that no hold accounts for", async () => {
    await db.pool.query("UPDATE ledger_accounts SET held = held + 1 WHERE id = $1", [maria.id]);
    await expectFound("what is held is the sum of the holds that stand", maria.id);
  });
});

describe("a command that settles something once", () => {
  it("passes if another command was first, and fails for any other reason", async () => {
    const missed = () => Promise.reject(new EffectMissed("test"));
    expect(await unlessMissed(missed)).toBeUndefined();
    const failed = new Error("another");
    await expect(unlessMissed(() => Promise.reject(failed))).rejects.toBe(failed);
  });
});

async function expectFound(check: string, subject: string): Promise<void> {
  const found = await ledger.verify();
  expect(found).toContainEqual(expect.objectContaining({ check, subject }));
}
