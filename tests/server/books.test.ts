import type { Instant } from "@perya/kernel/instant";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Account, Command, Outcome } from "../../apps/server/src/modules/ledger/ledger.ts";
import { databaseOfFile } from "../setup/test-database.ts";
import { ledgerOfFile, makeBrand, makeMember, makeWallet, manualClock } from "./fixtures.ts";

/** `npm run ledger:verify` compares each module's books with the entries. */

const clock = manualClock();
const AT: Instant = clock.now();
let maria: Account;
let players = 0;

const db = await databaseOfFile();
const ledger = ledgerOfFile(db);
const merchant = await makeBrand(db.pool, clock);
const merchantId = merchant.id;
const memberId = (await makeMember({ pool: db.pool, ledger, clock }, merchant)).memberId;

beforeEach(async () => {
  players += 1;
  const deps = { pool: db.pool, ledger, clock };
  maria = await makeWallet(deps, `mem_maria${players}`, 100_000n);
});

// No test may find the rows of an earlier one.
afterEach(forgetMaria);

/** A kind of book: how to write a sound row with its entries, and the check that reads them. */
interface Kind {
  readonly name: string;
  readonly check: string;
  readonly table: string;
  /** The column whose amount the test falsifies. */
  readonly amount: string;
  readonly write: () => Promise<void>;
}

const KINDS: readonly Kind[] = [
  {
    name: "round",
    check: "each round stands as its entries say",
    table: "vendor_rounds",
    amount: "payout_minor",
    write: () => wager("vendor:ACE", [`b${players}`, `w${players}`]),
  },
  {
    name: "solo round",
    check: "each solo round stands as its entries say",
    table: "house_rounds",
    amount: "payout_minor",
    write: async () => {
      await wager("vendor:BGS", ["round_1:bet", "round_1:win"]);
      await insert("house_rounds", {
        ...{ round_id: "round_1", member_id: "m", game_id: "color-game", choices: {} },
        ...{ outcome: {}, payout_minor: 450, seed_id: "seed", nonce: 0, opened_at: "now" },
      });
    },
  },
  {
    name: "bet on a flight",
    check: "each bet on a flight stands as its entries say",
    table: "saranggola_bets",
    amount: "stake_minor",
    write: async () => {
      await wager("vendor:BGS", ["round_1:kite-bet", "round_1:kite-win"]);
      await insert("saranggola_bets", {
        ...{ id: "bet_1", round_id: "round_1", member_id: "m", masked_account: "m***a" },
        ...{ currency: "PHP", stake_minor: 300, payout_minor: 450, cashed_out_at: 150 },
        ...{ state: "cashed", placed_at: "now" },
      });
    },
  },
  {
    name: "lottery ticket",
    check: "each lottery ticket stands as its entries say",
    table: "lottery_tickets",
    amount: "payout_minor",
    write: async () => {
      await wager("vendor:LOTT", ["round_1:lottery-bet", "round_1:lottery-win"]);
      await insert("lottery_tickets", {
        ...{ id: "round_1", draw_id: "d", game_id: "g", merchant_id: merchantId, lines: [] },
        ...{ masked_account: "m***a", currency: "PHP", line_stake_minor: 300, stake_minor: 300 },
        ...{ payout_minor: 450, state: "won", placed_at: "now" },
      });
    },
  },
  {
    name: "sports bet",
    check: "each sports bet stands as its entries say",
    table: "sports_bets",
    amount: "payout_minor",
    write: async () => {
      await wager("vendor:LRO", ["round_1:sports-bet", "round_1:sports-cashed"]);
      await insert("sports_bets", {
        ...{ id: "round_1", sport: "football", merchant_id: merchantId, currency: "PHP" },
        ...{ legs: [], fixture_ids: "{f}", stake_minor: 300, potential_minor: 900 },
        ...{ payout_minor: 450, state: "cashed", placed_at: "now" },
      });
    },
  },
  {
    name: "cockfight bet",
    check: "each cockfight bet stands as its entries say",
    table: "cockfight_bets",
    amount: "payout_minor",
    write: async () => {
      await wager("vendor:BGS", ["round_1:cockfight-bet", "round_1:cockfight-win"]);
      await insert("cockfight_bets", {
        ...{ id: "round_1", match_id: "match", merchant_id: merchantId, member_id: "m" },
        ...{ currency: "PHP", side: "meron", stake_minor: 300, payout_minor: 450 },
        ...{ state: "won", placed_at: "now" },
      });
    },
  },
  {
    name: "held win",
    check: "each held win stands as its entries say",
    table: "held_wins",
    amount: "amount_minor",
    write: async () => {
      await wager("vendor:ACE", [`b${players}`, `w${players}`]);
      const key = `held-win:ACE:w${players}`;
      const hold = command(key, 450n, "vendor:ACE", "round_1");
      taken(await ledger.hold({ ...hold, kind: "win-hold" }));
      await insert("held_wins", {
        ...{ id: `hwn_${players}`, merchant_id: merchantId, member_id: memberId, vendor: "ACE" },
        ...{ transaction_id: `w${players}`, bet_id: `b${players}`, round_id: "round_1" },
        ...{ game_id: "g", currency: "PHP", stake_minor: 300, amount_minor: 450 },
        ...{ reasons: "{vendor_day}", state: "held", held_at: "now" },
      });
    },
  },
  {
    name: "deposit",
    check: "each deposit stands as its entry says",
    table: "deposits",
    amount: "received_minor",
    write: async () => {
      taken(
        await ledger.credit({
          ...command("deposit:dep_1", 450n, "payment:manual", "dep_1"),
          kind: "deposit",
        }),
      );
      await insert("deposits", {
        ...{ id: "dep_1", merchant_id: merchantId, member_id: "m", method: "bank" },
        ...{ provider: "manual", currency: "PHP", amount_minor: 500, received_minor: 450 },
        ...{ state: "paid", created_at: "now", expires_at: "now", paid_at: "now" },
      });
    },
  },
  {
    name: "withdrawal",
    check: "each withdrawal stands as its entries say",
    table: "withdrawals",
    amount: "amount_minor",
    write: async () => {
      const of = (name: string) =>
        command(`withdrawal:wd_1:${name}`, 450n, "payment:manual", "wd_1");
      taken(await ledger.hold({ ...of("hold"), kind: "hold" }));
      const resolves = "withdrawal:wd_1:hold";
      taken(await ledger.post({ ...of("paid"), kind: "withdrawal", resolves }));
      await insert("withdrawals", {
        ...{ id: "wd_1", merchant_id: merchantId, member_id: "m", method: "bank" },
        ...{ provider: "manual", destination: "0917", currency: "PHP", amount_minor: 450 },
        ...{ state: "paid", history: [], created_at: "now" },
      });
    },
  },
];

describe("ledger:verify", () => {
  for (const { name, check, table, amount, write } of KINDS) {
    it(`finds a ${name} whose amount differs from its entries`, async () => {
      await soundly(write);
      await db.pool.query(
        `UPDATE ${table} SET ${amount} = ${amount} + 1 WHERE lane = $1 AND account_id = $2`,
        [maria.lane, maria.id],
      );
      expect(await found(check)).toEqual([expect.stringContaining(maria.id)]);
      await db.pool.query(
        `UPDATE ${table} SET ${amount} = ${amount} - 1 WHERE lane = $1 AND account_id = $2`,
        [maria.lane, maria.id],
      );
      expect(await ledger.verify()).toEqual([]);
    });

    it(`finds entries whose ${name} is missing`, async () => {
      await soundly(write);
      await db.pool.query(`DELETE FROM ${table} WHERE lane = $1 AND account_id = $2`, [
        maria.lane,
        maria.id,
      ]);
      expect(await found(check)).toEqual([expect.stringContaining(maria.id)]);
    });

    it(`finds a ${name} without entries`, async () => {
      await soundly(write);
      await db.pool.query("DELETE FROM ledger_entries WHERE lane = $1 AND account_id = $2", [
        maria.lane,
        maria.id,
      ]);
      expect(await found(check)).toEqual([expect.stringContaining(maria.id)]);
    });
  }

  it.each([
    ["deposit", "each deposit stands as its entry says"],
    ["withdrawal", "each withdrawal stands as its entries say"],
  ])("finds a %s that stands with another provider than its money", async (name, check) => {
    const kind = KINDS.find((one) => one.name === name);
    await soundly(kind?.write ?? (() => Promise.reject(new Error("no such kind"))));
    await db.pool.query(`UPDATE ${name}s SET provider = 'gateway' WHERE account_id = $1`, [
      maria.id,
    ]);
    expect(await found(check)).toEqual([expect.stringContaining(maria.id)]);
  });

  it("finds a red packet whose payment differs from its row, or is missing", async () => {
    const member = maria.id.split(".")[0];
    await db.pool.query(
      `INSERT INTO red_rains (id, merchant_id, currency, starts_at, ends_at, budget_minor,
         largest_minor, catch_max, created_at)
       VALUES ('rain_1', $1, 'PHP', now(), now() + interval '1 minute', 9000, 9000, 3, now())`,
      [merchantId],
    );
    await db.pool.query(
      `INSERT INTO red_packets (rain_id, number, amount_minor, member_id, catch_id, masked_account,
         caught_at, paid_at)
       VALUES ('rain_1', 1, 450, $1, 'catch_1', 'm***a', now(), now())`,
      [member],
    );
    const packet = command("red-packet:rain_1:1", 450n, "bonus:red-rain", "catch_1");
    const unpaid = await found("each paid red packet has its entry");
    expect(unpaid).toEqual(["rain_1"]);
    taken(await ledger.credit({ ...packet, kind: "red-packet" }));
    expect(await ledger.verify()).toEqual([]);
    const check = "each entry of a red packet has its paid packet";
    for (const doctor of [
      "amount_minor = 451",
      "paid_at = NULL",
      "member_id = 'mem_else'",
    ] as const) {
      await db.pool.query(`UPDATE red_packets SET ${doctor} WHERE rain_id = 'rain_1'`);
      expect(await found(check)).toEqual([`${maria.id} red-packet:rain_1:1`]);
      await db.pool.query(
        "UPDATE red_packets SET amount_minor = 450, paid_at = now(), member_id = $1",
        [member],
      );
    }
    await db.pool.query("DELETE FROM red_packets");
    await db.pool.query("DELETE FROM red_rains");
  });

  it("finds an outside vendor's transaction under two accounts, unless the first has expired", async () => {
    await wager("vendor:ACE", ["same", "w1"]);
    const first = maria;
    const deps = { pool: db.pool, ledger, clock };
    maria = await makeWallet(deps, "mem_twin", 100_000n);
    await wager("vendor:ACE", ["same", "w2"]);
    const check = "a vendor's transaction stands under one account";
    expect(await found(check)).toEqual(["vendor:ACE:same"]);
    // An id may be used again ninety days after its first use.
    const age = (days: number) =>
      db.pool.query(
        "UPDATE ledger_entries SET at = at - $2 * interval '1 day' WHERE account_id = $1",
        [first.id, days],
      );
    await age(89);
    expect(await found(check)).toEqual(["vendor:ACE:same"]);
    await age(1);
    expect(await found(check)).toEqual([]);
    await age(-90);
    await forgetMaria();
    maria = first;
  });
});

/** Writes a sound row with its entries, beside those of another player. */
async function soundly(write: () => Promise<void>): Promise<void> {
  await write();
  expect(await ledger.verify()).toEqual([]);
}

/** A round of 3.00 that won 4.50, with its bet and its win. */
async function wager(counterAccount: string, [bet, win]: readonly [string, string]) {
  const vendor = counterAccount.slice("vendor:".length);
  const of = (id: string, amount: bigint) =>
    command(`${counterAccount}:${id}`, amount, counterAccount, "round_1");
  taken(await ledger.debit({ ...of(bet, 300n), kind: "bet" }));
  const requires = `${counterAccount}:${bet}`;
  taken(await ledger.credit({ ...of(win, 450n), kind: "win", requires }));
  await insert("vendor_rounds", {
    ...{ vendor, round_id: "round_1", merchant_id: merchantId, game_id: "g", currency: "PHP" },
    ...{ stake_minor: 300, payout_minor: 450, state: "settled" },
    ...{ opened_at: "now", settled_at: "now" },
  });
}

function command(key: string, amount: bigint, counterAccount: string, ref: string) {
  return { account: maria, key, amount, counterAccount, ref, at: AT } satisfies Omit<
    Command,
    "kind"
  >;
}

async function insert(table: string, columns: Readonly<Record<string, unknown>>): Promise<void> {
  const all = { lane: maria.lane, account_id: maria.id, ...columns };
  const places = Object.keys(all).map((_, i) => `$${i + 1}`);
  const values = Object.values(all).map((value) =>
    typeof value === "object" ? JSON.stringify(value) : value,
  );
  await db.pool.query(
    `INSERT INTO ${table} (${Object.keys(all).join(", ")}) VALUES (${places.join(", ")})`,
    values,
  );
}

function taken(outcome: Outcome): void {
  expect(outcome).toMatchObject({ ok: true });
}

async function found(check: string): Promise<string[]> {
  const discrepancies = await ledger.verify();
  return discrepancies.filter((one) => one.check === check).map(({ subject }) => subject);
}

async function forgetMaria(): Promise<void> {
  for (const table of ["ledger_entries", ...new Set(KINDS.map((kind) => kind.table))]) {
    await db.pool.query(`DELETE FROM ${table} WHERE lane = $1 AND account_id = $2`, [
      maria.lane,
      maria.id,
    ]);
  }
  await db.pool.query("DELETE FROM ledger_accounts WHERE lane = $1 AND id = $2", [
    maria.lane,
    maria.id,
  ]);
  // Rebuild the totals of the counter accounts without the deleted entries.
  await db.pool.query("TRUNCATE ledger_lane_totals");
  await db.pool.query(
    `INSERT INTO ledger_lane_totals (lane, counter_account, currency, amount)
     SELECT lane, counter_account, currency, -sum(amount) FROM ledger_entries
     WHERE amount <> 0 GROUP BY 1, 2, 3`,
  );
}
