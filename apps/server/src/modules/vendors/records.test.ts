import { describe, expect, it } from "vitest";
import { makeBrand, manualClock } from "../../../../../tests/server/fixtures.ts";
import { countRows } from "../../../../../tests/server/rows-visited.ts";
import { itOfOneServer } from "../../../../../tests/setup/one-server.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { accountOf } from "../ledger/ledger.ts";
import { type RecordPosition, readRecords } from "./vendors.store.ts";

const clock = manualClock();
/** Every 5,000th is of a rare game, and three share each millisecond. */
const ROUNDS = 20_000;
/** As many as a page visits at most, and a few that it shows. */
const FEW = 2_100;
const account = accountOf("mem_busy", "PHP");

const db = await databaseOfFile();
const brand = await makeBrand(db.pool, clock);
// Among many players of few rounds, from which PostgreSQL expects a player to have few.
const quiet = Array.from({ length: 1_000 }, (_, n) => `quiet${n}.PHP`);
for (const [ids, count] of [
  [[account.id], ROUNDS],
  [quiet, 20],
]) {
  await db.pool.query(
    `INSERT INTO vendor_rounds (lane, account_id, vendor, round_id, merchant_id, game_id,
       currency, stake_minor, state, opened_at)
     SELECT $1, id, 'house', 'r' || lpad(n::text, 5, '0'), $2,
       CASE WHEN n % 5000 = 0 THEN 'rare' ELSE 'color-game' END, 'PHP', 1, 'settled',
       to_timestamp(($3::bigint + n / 3) / 1000.0)
     FROM generate_series(1, $5::int) n, unnest($4::text[]) id`,
    [account.lane, brand.id, clock.now(), ids, count],
  );
}
await db.pool.query("VACUUM ANALYZE vendor_rounds");

describe("the record of play", () => {
  itOfOneServer("visited rows").each(["color-game", "rare", "never-played", null])(
    "visits few of a player's rounds for a page of %s",
    async (gameId) => {
      const { counting, visited } = countRows(db.pool, "vendor_rounds");
      const before = { at: clock.now() + 5_000, roundId: "r09999" };
      for (const from of [null, before]) {
        const page = { before: from, limit: 50 };
        const { rounds } = await readRecords(counting, account, page, gameId);
        expect(rounds.every(({ game_id }) => gameId === null || game_id === gameId)).toBe(true);
      }
      expect(visited()).toBeLessThan(FEW);
    },
  );

  it("lists the rounds of every game, the newest first, if none is named", async () => {
    const page = { before: null, limit: 3 };
    const { rounds, nextBefore } = await readRecords(db.pool, account, page, null);
    const shown = rounds.map(({ round_id, game_id }) => [round_id, game_id]);
    expect(shown).toEqual([
      ["r20000", "rare"],
      ["r19999", "color-game"],
      ["r19998", "color-game"],
    ]);
    expect(nextBefore?.roundId).toBe("r19998");
  });

  it("leads by short or empty pages to every round of a rarely played game", async () => {
    const { seen, pages } = await walk("rare", 20);
    expect(seen).toEqual(["r20000", "r15000", "r10000", "r05000"]);
    expect(pages).toBe(10);
  });

  it("lists every round of a game once, wherever its pages end", async () => {
    const { seen } = await walk("color-game", 49);
    expect(seen).toHaveLength(ROUNDS - 4);
    expect([...seen].sort().reverse()).toEqual(seen);
    expect(new Set(seen).size).toBe(seen.length);
  });
});

/** Rounds of a game, page by page; and how many pages had another after them. */
async function walk(gameId: string, limit: number): Promise<{ seen: string[]; pages: number }> {
  const seen: string[] = [];
  let before: RecordPosition | null = null;
  for (let pages = 0; ; pages++) {
    const page = await readRecords(db.pool, account, { before, limit }, gameId);
    seen.push(...page.rounds.map(({ round_id }) => round_id));
    if (page.nextBefore === null) return { seen, pages };
    before = page.nextBefore;
  }
}
