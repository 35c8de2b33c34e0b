import { describe, expect, it } from "vitest";
import {
  availableOf,
  ledgerOfFile,
  makeBrand,
  makeMember,
  manualClock,
} from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import type { Session } from "../identity/identity.ts";
import { accountOf, type BatchStatement } from "../ledger/ledger.ts";
import { VendorWallet } from "../vendors/vendors.ts";
import { type WagerEnd, type WagerGame, type WagerRow, Wagers } from "./rounds.ts";

interface BetRow extends WagerRow {
  readonly round_id: string;
  readonly event_id: string;
  readonly vendor: string;
  readonly state: string;
  readonly payout_minor: bigint;
}

/** A game of two vendors whose rounds have ids of their own. */
const GAME: WagerGame<BetRow> = {
  name: "palaro",
  table: "palaro_bets",
  columns: `b.lane, b.account_id, b.id, b.round_id, b.event_id, b.vendor, b.currency, b.stake_minor,
    b.state, b.payout_minor`,
  onEvent: "b.event_id = $1",
  roundColumn: "round_id",
  vendorOf: ({ vendor }) => vendor,
  paid: { state: "won", word: "win" },
  refunded: { state: "voided", isPayout: false },
};

const INSERT: BatchStatement = {
  name: "palaro_60_insert_bet",
  sql: `INSERT INTO palaro_bets (lane, account_id, id, round_id, event_id, vendor, currency,
          stake_minor, state)
        SELECT u.lane, u.account_id, u.id, u.round_id, u.event_id, u.vendor, u.currency,
          u.stake_minor, 'placed'
        FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text, round_id text,
          event_id text, vendor text, currency text, stake_minor bigint)
        WHERE u.event_id <> 'over'
        ON CONFLICT (lane, account_id, id) DO NOTHING
        RETURNING 1`,
  mustAffectEach: true,
};

const clock = manualClock();

const db = await databaseOfFile();
await db.pool.query(`CREATE TABLE palaro_bets (lane smallint, account_id text, id text,
  round_id text, event_id text, vendor text, currency text, stake_minor bigint, state text,
  payout_minor bigint NOT NULL DEFAULT 0, PRIMARY KEY (lane, account_id, id))`);
const ledger = ledgerOfFile(db);
const merchant = await makeBrand(db.pool, clock);
const wallet = new VendorWallet(db.pool, ledger, clock);
const wagers = new Wagers(GAME, { pool: db.pool, wallet, clock });

describe("the bets of a shared event", () => {
  it("end as they are judged, and end the rounds of their vendors, whatever the rounds' ids are", async () => {
    const player = await makeMember({ pool: db.pool, ledger, clock }, merchant, {
      balance: 10_000n,
    });
    for (const [id, vendor] of [
      ["lost", "BGS"],
      ["lost-too", "LOTT"],
      ["won", "BGS"],
      ["refunded", "LOTT"],
      ["waits", "BGS"],
    ] as const) {
      expect(await place(player, { id, vendor })).toMatchObject({ ok: true });
    }
    const ends: Record<string, WagerEnd> = { won: 250n, refunded: "refunded", waits: null };
    const judge = () => (bet: BetRow) => (ends[bet.id] === undefined ? 0n : (ends[bet.id] ?? null));
    for (let times = 0; times < 2; times++) expect(await wagers.settle("event", judge)).toBe(0);

    const { rows } = await db.pool.query<{ id: string; state: string; round: string }>(
      `SELECT b.id, b.state || ' ' || b.payout_minor AS state, r.state AS round
       FROM palaro_bets b JOIN vendor_rounds r ON r.lane = b.lane AND r.account_id = b.account_id
         AND r.vendor = b.vendor AND r.round_id = b.round_id ORDER BY b.id`,
    );
    expect(rows).toEqual([
      { id: "lost", state: "lost 0", round: "settled" },
      { id: "lost-too", state: "lost 0", round: "settled" },
      { id: "refunded", state: "voided 0", round: "voided" },
      { id: "waits", state: "placed 0", round: "open" },
      { id: "won", state: "won 250", round: "settled" },
    ]);
    expect(await availableOf(ledger, accountOf(player.memberId, player.currency))).toBe(
      10_000n - 4n * 100n + 250n,
    );
    expect(await ledger.verify()).toEqual([]);
  });

  it("are taken once under one round's id, and not at all if their row cannot be written", async () => {
    const player = await makeMember({ pool: db.pool, ledger, clock }, merchant, {
      balance: 10_000n,
    });
    const [first, again] = await Promise.all([
      place(player, { id: "one", vendor: "BGS" }),
      place(player, { id: "one", vendor: "BGS" }),
    ]);
    expect([first, again].map((one) => one.ok && one.value.isNew).sort()).toEqual([false, true]);
    expect(await place(player, { id: "late", vendor: "BGS", eventId: "over" })).toEqual({
      ok: false,
      error: expect.objectContaining({ code: "bets_closed" }),
    });
    expect(await availableOf(ledger, accountOf(player.memberId, player.currency))).toBe(9_900n);
    expect(await ledger.verify()).toEqual([]);
  });
});

function place(
  session: Session,
  {
    id,
    vendor,
    eventId = "event",
  }: { readonly id: string; readonly vendor: string; readonly eventId?: string },
) {
  const roundId = `round of ${id}`;
  const row = { id, round_id: roundId, event_id: eventId, vendor };
  const bet = { merchant, session, vendor, gameId: "palaro", roundId, stakeMinor: 100n };
  return wagers.place({ ...bet, insert: INSERT, row }, () => null);
}
