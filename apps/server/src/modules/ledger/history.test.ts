import { describe, expect, it } from "vitest";
import { ledgerOfFile, makeWallet, manualClock } from "../../../../../tests/server/fixtures.ts";
import { countRows } from "../../../../../tests/server/rows-visited.ts";
import { itOfOneServer } from "../../../../../tests/setup/one-server.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { readHistory } from "./ledger.store.ts";
import { ENTRY_KINDS, type EntryKind } from "./movement.ts";

const clock = manualClock();
/** Its first and its last entry are a bonus, every 5,000th is a win, and all others are bets. */
const ENTRIES = 20_000;
/** As many as a page visits at most, and a few that it shows. */
const FEW = 2_100;

const db = await databaseOfFile();
const ledger = ledgerOfFile(db, []);
const wallet = await makeWallet({ pool: db.pool, ledger, clock }, "busy", 0n);
await fill(wallet.lane, [wallet.id], ENTRIES);
// Among many small ones, from which PostgreSQL expects a wallet to be small.
const small = Array.from({ length: 1_000 }, (_, n) => `quiet${n}.PHP`);
await fill(wallet.lane, small, 20);
await db.pool.query("VACUUM ANALYZE ledger_entries");

describe("a wallet's history", () => {
  itOfOneServer("visited rows").each(ENTRY_KINDS.map((kind) => ({ kind })))(
    "visits few of its entries for a page of $kind, however few of that kind there are",
    async ({ kind }) => {
      const { counting, visited } = countRows(db.pool, "ledger_entries");
      const { entries } = await readHistory(counting, wallet, { beforeSeq: null, limit: 50 }, [
        kind,
      ]);
      expect(entries.length).toBeLessThanOrEqual(50);
      expect(visited()).toBeLessThan(FEW);
    },
  );

  itOfOneServer("visited rows")("visits few entries wherever a page begins", async () => {
    const { counting, visited } = countRows(db.pool, "ledger_entries");
    for (const kinds of [["bonus", "refund"], ["win", "win-hold"], [...ENTRY_KINDS]]) {
      const page = { beforeSeq: 9_000n, limit: 50 };
      await readHistory(counting, wallet, page, kinds as EntryKind[]); // each is a list of kinds
    }
    expect(visited()).toBeLessThan(FEW);
  });

  it("shows entries of a rare kind at once, however many bets are between them", async () => {
    const page = { beforeSeq: null, limit: 2 };
    const found = await ledger.history(wallet, page, ["deposit", "bonus"]);
    expect(found.entries.map(({ seq }) => seq)).toEqual([BigInt(ENTRIES), 1n]);
    expect(found.nextBefore).toBeNull();
    const first = await ledger.history(wallet, { beforeSeq: null, limit: 1 }, ["bonus"]);
    expect(first.nextBefore).toBe(BigInt(ENTRIES));
    const second = await ledger.history(wallet, { beforeSeq: first.nextBefore, limit: 1 }, [
      "bonus",
    ]);
    expect(second).toMatchObject({ entries: [{ seq: 1n }], nextBefore: null });
  });

  it("leads by short or empty pages to every win among lost bets", async () => {
    const seen: bigint[] = [];
    let pages = 0;
    for (let beforeSeq: bigint | null = null; ; pages++) {
      const page = await ledger.history(wallet, { beforeSeq, limit: 20 }, ["win"]);
      seen.push(...page.entries.map(({ seq }) => seq));
      if (page.nextBefore === null) break;
      beforeSeq = page.nextBefore;
    }
    expect(seen).toEqual([15_000n, 10_000n, 5_000n]);
    expect(pages).toBe(10);
  });
});

/** Entries as so many rounds would leave them, without moving money; no test verifies the books. */
async function fill(lane: number, accounts: readonly string[], count: number): Promise<void> {
  await db.pool.query(
    `INSERT INTO ledger_entries (lane, account_id, seq, key, amount, held_change, balance_after,
       held_after, counter_account, currency, kind, at)
     SELECT $1, id, n, 'k' || n, 0, 0, 0, 0, 'vendor:house', 'PHP',
       CASE WHEN n IN (1, $3) THEN 'bonus' WHEN n % 5000 = 0 THEN 'win' ELSE 'bet' END, now()
     FROM generate_series(1, $3::int) n, unnest($2::text[]) id`,
    [lane, accounts, count],
  );
}
