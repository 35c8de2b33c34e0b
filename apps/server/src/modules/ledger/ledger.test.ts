import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { freshSeed, makeWallet } from "../../../../../tests/server/fixtures.ts";
import {
  apply,
  EXCHANGE_GIVES,
  emptyModel,
  exchangeKey,
  type ModelCommand,
  type ModelOutcome,
} from "../../../../../tests/server/ledger-model.ts";
import { openLedgers, receipt, refusedCode } from "../../../../../tests/server/ledgers.ts";
import { itOfOneServer } from "../../../../../tests/setup/one-server.ts";
import { isOnCluster } from "../../../../../tests/setup/test-database.ts";
import {
  type Account,
  accountOf,
  type BatchStatement,
  EffectMissed,
  LANES,
  Ledger,
  LedgerUnavailable,
  laneOf,
} from "./ledger.ts";

const world = await openLedgers();
const { clock, command, db, freshWallet, ledger, other, takeAway } = world;

describe("the ledger", () => {
  it("spreads accounts over all lanes", () => {
    const counts = new Array<number>(LANES).fill(0);
    for (let i = 0; i < 6_400; i++) {
      const lane = laneOf(`mem_${i.toString(32)}.PHP`);
      counts[lane] = (counts[lane] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(50);
    expect(Math.max(...counts)).toBeLessThan(170);
  });

  it("keeps an account in its lane for good", () => {
    const ids = ["mem_0.PHP", "mem_1.PHP", "mem_maria.USD"];
    expect(ids.map(laneOf)).toEqual([48, 25, 31]);
  });

  it("answers a repeat as before, also in another process, and moves money once", async () => {
    const wallet = await freshWallet(1_000n);
    const bet = { ...command(wallet, "bet", 400n), kind: "bet" as const };
    const first = receipt(await ledger.debit(bet));
    for (const again of [await ledger.debit(bet), await other.debit(bet)]) {
      expect(receipt(again)).toEqual({ ...first, repeated: true });
    }
    expect(await ledger.balance(wallet)).toEqual({ balance: 600n, held: 0n, seq: 2n });
  });

  it("answers the repeat of a bet as before, even if its money is gone by now", async () => {
    const wallet = await freshWallet(1_000n);
    const allIn = { ...command(wallet, "all-in", 1_000n), kind: "bet" as const };
    const first = receipt(await ledger.debit(allIn));
    expect(receipt(await other.debit(allIn))).toEqual({ ...first, repeated: true });
  });

  it("answers the repeat of the end of a hold as before, also in another process", async () => {
    const wallet = await freshWallet(1_000n);
    await ledger.hold({ ...command(wallet, "hold", 400n), kind: "hold" });
    const post = { ...command(wallet, "post", 400n), resolves: "hold" };
    const first = receipt(await ledger.post(post));
    expect(receipt(await other.post(post))).toEqual({ ...first, repeated: true });
    const undo = { ...command(wallet, "void", 400n), resolves: "hold" };
    expect(refusedCode(await other.void(undo))).toBe("target_resolved");
    expect(await ledger.balance(wallet)).toEqual({ balance: 600n, held: 0n, seq: 3n });
  });

  it("moves money once if one key is sent many times at once to two processes", async () => {
    const wallet = await freshWallet(1_000n);
    const bet = { ...command(wallet, "bet", 400n), kind: "bet" as const };
    const sent = Array.from({ length: 40 }, (_, i) => (i % 2 ? ledger : other).debit(bet));
    const outcomes = (await Promise.all(sent)).map(receipt);
    expect(outcomes.filter((one) => !one.repeated)).toHaveLength(1);
    expect(new Set(outcomes.map((one) => one.seq))).toEqual(new Set([2n]));
    expect(await ledger.balance(wallet)).toEqual({ balance: 600n, held: 0n, seq: 2n });
  });

  it("looks up probable repeats of its own before they break their batch", async () => {
    const wallet = await freshWallet(1_000n);
    for (const key of ["one", "two", "three"]) await ledger.debit(command(wallet, key, 1n));
    // When the wallet is locked and before COMMIT; a batch that broke would ask a third time.
    let asked = 0;
    const hasLapsed = () => ++asked > 2;
    const [again, fresh] = await Promise.all([
      ledger.debit(command(wallet, "one", 1n)),
      ledger.debit({ ...command(wallet, "four", 1n), hasLapsed }),
    ]);
    expect([receipt(again).repeated, receipt(fresh).repeated, asked]).toEqual([true, false, 2]);
  });

  it("moves what two steps in one command say, both or neither", async () => {
    const wallet = await freshWallet(1_000n);
    await ledger.debit(command(wallet, "bet", 100n));
    const key = (name: string, amount: bigint) => command(wallet, name, amount);
    const given = { ...key("win", 300n), requires: "bet" };
    const both = receipt(await ledger.creditAndHold(given, key("kept", 200n)));
    expect(both).toMatchObject({ amount: 0n, balanceAfter: 1_200n, heldAfter: 200n });
    const back = { ...key("back", 100n), resolves: "bet" };
    const short = await ledger.refundAndTake(back, key("too much", 1_101n));
    expect(refusedCode(short)).toBe("insufficient_funds");
    const taken = receipt(await ledger.refundAndTake(back, key("fine", 60n)));
    expect(taken).toMatchObject({ amount: -60n, balanceAfter: 1_240n, heldAfter: 200n });
    const found = { seq: 5n, amount: 100n, kind: "bet", at: clock.now(), resolved: false };
    expect(await ledger.find(wallet, "back")).toMatchObject(found);
    expect(await ledger.find(wallet, "bet")).toMatchObject({ amount: -100n, resolved: true });
    expect(await ledger.verify()).toEqual([]);
  });

  it("throws on two steps of two wallets, and moves no money between them", async () => {
    const [one, two] = [await freshWallet(10n), await freshWallet(10n)];
    const [mine, theirs] = [command(one, "a", 1n), command(two, "b", 1n)];
    expect(() => ledger.exchange(mine, theirs)).toThrow(/one wallet/);
    expect(() => ledger.creditAndHold({ ...mine, requires: "x" }, theirs)).toThrow(/one wallet/);
    expect(() => ledger.refundAndTake({ ...mine, resolves: "x" }, theirs)).toThrow(/one wallet/);
  });

  it("buries a key only if the entry exists that it requires", async () => {
    const wallet = await freshWallet(10n);
    const { amount: _amount, kind: _kind, ...late } = command(wallet, "late", 0n);
    expect(refusedCode(await ledger.bury({ ...late, requires: "bet" }))).toBe("target_missing");
    await ledger.debit(command(wallet, "bet", 1n));
    expect(receipt(await ledger.bury({ ...late, requires: "bet" })).kind).toBe("tombstone");
    expect(refusedCode(await ledger.debit(command(wallet, "late", 1n)))).toBe("key_reused");
  });

  it("takes a key of any characters, and finds it again", async () => {
    const wallet = await freshWallet(10n);
    const odd = command(wallet, String.raw`a "b" \c {d,NULL} 'e'`, 1n);
    expect(receipt(await ledger.debit(odd)).repeated).toBe(false);
    expect(receipt(await other.debit(odd)).repeated).toBe(true);
    expect(await ledger.find(wallet, odd.key)).toMatchObject({ amount: -1n });
  });

  it("refuses newcomers as busy if very many wait already, and serves those that wait", async () => {
    const crowded = new Ledger({
      ...{ databaseUrl: db.url, pool: db.pool, writers: 1, isCluster: isOnCluster() },
      onTrouble: () => undefined,
    });
    const nobody = accountOf("mem_nobody", "PHP");
    const sent = Array.from({ length: 20_001 }, (_, i) =>
      crowded.debit(command(nobody, `bet ${i}`, 1n)),
    );
    const settled = await Promise.allSettled(sent);
    const refused = settled.flatMap(({ status }, i) => (status === "rejected" ? [i] : []));
    expect(refused).toEqual([20_000]);
    expect(settled.at(-1)).toMatchObject({ reason: expect.any(LedgerUnavailable) });
    await crowded.close();
  });

  it("replaces an idle connection that was lost before it is needed", async () => {
    const wallet = await freshWallet(10n);
    const troubles = new Set<string>();
    const name = "perya-ledger";
    const kept = new Ledger({
      ...{ databaseUrl: db.url, pool: db.pool, writers: 1, isCluster: isOnCluster() },
      onTrouble: (_error, what) => void troubles.add(what),
    });
    const { rows } = await db.pool.query(
      "SELECT coalesce(array_agg(pid), '{}') AS pids FROM pg_stat_activity WHERE application_name = $1",
      [name],
    );
    await kept.debit(command(wallet, "one", 1n));
    await db.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = $1 AND datname = current_database() AND pid <> ALL ($2)`,
      [name, rows[0].pids],
    );
    await expect.poll(() => troubles.size).toBe(1);
    expect(receipt(await kept.debit(command(wallet, "two", 1n))).balanceAfter).toBe(8n);
    // Only the loss is logged.
    expect(troubles.size).toBe(1);
    await kept.close();
  });

  it("answers the repeat of what has lapsed since as before, also in another process", async () => {
    const wallet = await freshWallet(1_000n);
    const bet = command(wallet, "bet", 400n);
    const first = receipt(await ledger.debit({ ...bet, hasLapsed: () => false }));
    for (const one of [ledger, other]) {
      const again = receipt(await one.debit({ ...bet, hasLapsed: () => true }));
      expect(again).toEqual({ ...first, repeated: true });
    }
  });

  it("refuses a known key with other content, in either process", async () => {
    const wallet = await freshWallet(1_000n);
    const bet = { ...command(wallet, "bet", 400n), kind: "bet" as const };
    await ledger.debit(bet);
    for (const one of [ledger, other]) {
      expect(refusedCode(await one.debit({ ...bet, amount: 401n }))).toBe("key_reused");
      expect(refusedCode(await one.credit(bet))).toBe("key_reused");
    }
    expect((await ledger.balance(wallet))?.balance).toBe(600n);
  });

  it("takes a later, smaller bet that fits after it refused an earlier, bigger one", async () => {
    const wallet = await freshWallet(500n);
    const outcomes = await Promise.all(
      [900n, 300n, 300n, 200n].map((amount, i) =>
        ledger.debit({ ...command(wallet, `bet ${i}`, amount), kind: "bet" }),
      ),
    );
    expect(outcomes.map((one) => (one.ok ? "ok" : one.error.code))).toEqual([
      "insufficient_funds",
      "ok",
      "insufficient_funds",
      "ok",
    ]);
    expect((await ledger.balance(wallet))?.balance).toBe(0n);
  });

  it("never lets concurrent bets from two processes take more than there is", async () => {
    const wallet = await freshWallet(1_000n);
    const bets = Array.from({ length: 60 }, (_, i) =>
      (i % 2 ? ledger : other).debit({ ...command(wallet, `bet ${i}`, 70n), kind: "bet" }),
    );
    const taken = (await Promise.all(bets)).filter((outcome) => outcome.ok);
    expect(taken).toHaveLength(14);
    expect((await ledger.balance(wallet))?.balance).toBe(20n);
  });

  it("refuses a wallet that is not open", async () => {
    const nobody = accountOf("mem_nobody", "PHP");
    expect(refusedCode(await ledger.debit(command(nobody, "bet", 1n)))).toBe("account_missing");
  });

  it("keeps one owner's wallets in different currencies apart", async () => {
    const peso = await freshWallet(700n);
    const owner = peso.id.slice(0, peso.id.lastIndexOf("."));
    const fun = await makeWallet({ pool: db.pool, ledger, clock }, owner, 50n, { currency: "FUN" });
    await ledger.debit(command(fun, "bet", 30n));
    expect((await ledger.balance(peso))?.balance).toBe(700n);
    expect((await ledger.balance(fun))?.balance).toBe(20n);
  });

  it("throws on a negative amount, which would turn a bet into a gift", async () => {
    const wallet = await freshWallet(10n);
    expect(() => ledger.debit(command(wallet, "bet", -5n))).toThrow(/not negative/);
    expect((await ledger.balance(wallet))?.balance).toBe(10n);
  });

  it("pages through a history newest first, without a gap or a repeat", async () => {
    const wallet = await freshWallet(1_000n);
    for (let i = 0; i < 12; i++) {
      await ledger.debit({ ...command(wallet, `bet ${i}`, 1n), kind: "bet" });
    }
    const seen: bigint[] = [];
    for (let beforeSeq: bigint | null = null; ; ) {
      const page = await ledger.history(wallet, { beforeSeq, limit: 5 }, ["bet"]);
      seen.push(...page.entries.map((entry) => entry.seq));
      if (page.nextBefore === null) break;
      beforeSeq = page.nextBefore;
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, i) => BigInt(13 - i)));
  });

  it("announces only what was committed", async () => {
    const wallet = await freshWallet(100n);
    const poor = await freshWallet(1n);
    const told: unknown[] = [];
    const alone = new Ledger({
      ...{ databaseUrl: db.url, pool: db.pool, writers: 1, isCluster: isOnCluster() },
      onTrouble: () => undefined,
    });
    alone.onMoved((moved) => void told.push(moved));
    await alone.debit(command(wallet, "refused", 101n));
    await Promise.all([wallet, poor].map((account) => alone.debit(command(account, "bet", 40n))));
    await alone.debit(command(wallet, "bet", 40n));
    expect(told).toEqual([[{ account: wallet, balance: 60n, held: 0n, seq: 2n }]]);
    await alone.close();
  });

  itOfOneServer("a broken server").each([
    ["is read-only", "25006"],
    ["has a full disk", "53100"],
  ])("keeps a batch until a database that %s takes it", async (_, code) => {
    const wallet = await freshWallet(100n);
    const troubles: unknown[] = [];
    const patient = new Ledger({
      ...{ databaseUrl: db.url, pool: db.pool, isCluster: isOnCluster() },
      onTrouble: (error) => void troubles.push("code" in error && error.code),
    });
    const back = await takeAway(code);
    const sent = Promise.allSettled(
      ["one", "two"].map((key) => patient.debit(command(wallet, key, 10n))),
    );
    try {
      await expect.poll(() => troubles).toContain(code);
    } finally {
      await back();
    }
    expect((await sent).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect((await ledger.balance(wallet))?.balance).toBe(80n);
    await patient.close();
  });
});

describe("effects of a command", () => {
  const insertMark: BatchStatement = {
    name: "test_10_insert_mark",
    sql: `INSERT INTO marks (id) SELECT id FROM jsonb_to_recordset($1) AS u(id text)`,
    mustAffectEach: false,
  };
  const spendMark: BatchStatement = {
    name: "test_20_spend_mark",
    sql: `UPDATE marks m SET spent = true FROM jsonb_to_recordset($1) AS u(id text)
          WHERE m.id = u.id AND NOT m.spent`,
    mustAffectEach: true,
  };

  beforeAll(async () => {
    await db.pool.query(
      "CREATE TABLE marks (id text PRIMARY KEY, spent boolean NOT NULL DEFAULT false)",
    );
  });

  it("are written with the movement or not at all", async () => {
    const wallet = await freshWallet(100n);
    const bet = (key: string, amount: bigint) =>
      ledger.debit({
        ...command(wallet, key, amount),
        effects: [{ statement: insertMark, row: { id: key } }],
      });
    await Promise.all([bet("too-much", 500n), bet("fits", 60n)]);
    await bet("fits", 60n);
    expect(await marks()).toEqual([{ id: "fits", spent: false }]);
  });

  it("are written in the order of their names, and may touch no row unless they must", async () => {
    const wallet = await freshWallet(100n);
    const change = (name: string, from: string, to: string, mustAffectEach = true) => ({
      statement: {
        ...{ name, mustAffectEach },
        sql: `UPDATE marks SET id = '${to}' WHERE id = '${from}' AND $1::jsonb IS NOT NULL`,
      },
      row: {},
    });
    const effects = [
      change("test_12_second", "first", "second"),
      change("test_13_third", "second", "third"),
      change("test_14_none", "nothing", "something", false),
      { statement: insertMark, row: { id: "first" } },
    ];
    expect((await ledger.debit({ ...command(wallet, "bet", 10n), effects })).ok).toBe(true);
    expect(await marks()).toContainEqual({ id: "third", spent: false });
  });

  it("undo only their own command if they miss; the neighbours are booked", async () => {
    const wallets = await Promise.all([freshWallet(100n), freshWallet(100n), freshWallet(100n)]);
    await db.pool.query("INSERT INTO marks VALUES ('here'), ('there')");
    const ids = ["here", "nowhere", "there"];
    const sent = wallets.map((wallet, i) =>
      ledger.debit({
        ...command(wallet, `spend ${i}`, 10n),
        effects: [{ statement: spendMark, row: { id: ids[i] } }],
      }),
    );
    const settled = await Promise.allSettled(sent);
    expect(settled.map((one) => one.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const missed = settled[1];
    expect(missed?.status === "rejected" && missed.reason).toBeInstanceOf(EffectMissed);
    const balances = await Promise.all(wallets.map((wallet) => ledger.balance(wallet)));
    expect(balances.map((one) => one?.balance)).toEqual([90n, 100n, 90n]);
    expect((await marks()).filter((mark) => mark.spent).map((mark) => mark.id)).toEqual([
      "here",
      "there",
    ]);
  });

  it("that miss split their batch into few parts, not into single commands", async () => {
    const wallet = await freshWallet(1_000n);
    await db.pool.query("CREATE SEQUENCE tries");
    await db.pool.query("INSERT INTO marks SELECT 'part ' || i FROM generate_series(0, 255) AS i");
    const countMark: BatchStatement = {
      name: "test_30_count_mark",
      sql: `WITH tried AS MATERIALIZED (SELECT nextval('tries'))
            UPDATE marks m SET spent = true FROM jsonb_to_recordset($1) AS u(id text), tried
            WHERE m.id = u.id AND NOT m.spent`,
      mustAffectEach: true,
    };
    const settled = await Promise.allSettled(
      Array.from({ length: 256 }, (_, i) =>
        ledger.debit({
          ...command(wallet, `part ${i}`, 1n),
          effects: [{ statement: countMark, row: { id: i === 100 ? "gone" : `part ${i}` } }],
        }),
      ),
    );
    const missed = settled.flatMap(({ status }, i) => (status === "rejected" ? [i] : []));
    expect(missed).toEqual([100]);
    expect((await ledger.balance(wallet))?.balance).toBe(745n);
    // The whole, and two halves of each of its halves down to the one.
    const { rows } = await db.pool.query("SELECT last_value FROM tries");
    expect(Number(rows[0].last_value)).toBe(1 + 2 * Math.log2(256));
    await db.pool.query("DROP SEQUENCE tries");
  });

  it("are written by a session that the database ends after a long silence", async () => {
    const wallet = await freshWallet(100n);
    const bound = "idle_in_transaction_session_timeout";
    const sql = `INSERT INTO marks (id) SELECT id || current_setting('${bound}')
      FROM jsonb_to_recordset($1) AS u(id text)`;
    await ledger.debit({
      ...command(wallet, "bet", 10n),
      effects: [
        { statement: { name: "test_40_bound", sql, mustAffectEach: false }, row: { id: "is " } },
      ],
    });
    expect(await marks()).toContainEqual({ id: "is 2s", spent: false });
  });

  it("that break a rule of the database undo only their own command", async () => {
    const [one, two] = [await freshWallet(100n), await freshWallet(100n)];
    await db.pool.query("INSERT INTO marks VALUES ('taken')");
    const settled = await Promise.allSettled([
      ledger.debit({
        ...command(one, "bet", 10n),
        effects: [{ statement: insertMark, row: { id: "taken" } }],
      }),
      ledger.debit({
        ...command(two, "bet", 10n),
        effects: [{ statement: insertMark, row: { id: "free" } }],
      }),
    ]);
    expect(settled.map((each) => each.status)).toEqual(["rejected", "fulfilled"]);
    expect((await ledger.balance(one))?.balance).toBe(100n);
    expect((await ledger.balance(two))?.balance).toBe(90n);
  });

  it("of a command that lapses while it is written are undone, and its neighbours are booked", async () => {
    const wallet = await freshWallet(100n);
    // Not when the wallet is locked, but before COMMIT.
    let asked = 0;
    const hasLapsed = () => ++asked > 1;
    const effects = [{ statement: insertMark, row: { id: "lapsed" } }];
    const [late, neighbour] = await Promise.all([
      ledger.debit({ ...command(wallet, "late", 10n), effects, hasLapsed }),
      ledger.debit(command(wallet, "bet", 20n)),
    ]);
    expect([refusedCode(late), neighbour.ok]).toEqual(["lapsed", true]);
    expect((await ledger.balance(wallet))?.balance).toBe(80n);
    expect((await marks()).filter(({ id }) => id === "lapsed")).toEqual([]);
  });

  async function marks(): Promise<{ id: string; spent: boolean }[]> {
    return (await db.pool.query("SELECT id, spent FROM marks ORDER BY id")).rows;
  }
});

describe("the ledger beside its model", () => {
  it("answers and ends up as the model does, whatever is sent one after the other", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commandArbitrary(), { maxLength: 40 }), async (drawn) => {
        const wallets = await modelWallets();
        const model = emptyModel(wallets.map(() => OPENING));
        for (const { via, ...one } of drawn) {
          const said = await send(via === 0 ? ledger : other, wallets, one);
          expect(said).toEqual(apply(model, one));
        }
        await expectStanding(wallets, model.wallets);
      }),
      { numRuns: 25, seed: freshSeed("ledger one by one") },
    );
    expect(await ledger.verify()).toEqual([]);
  });

  it("decides concurrent commands of two processes as some order of them would", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(commandArbitrary(), { minLength: 20, maxLength: 80 }),
        async (all) => {
          const wallets = await modelWallets();
          const said = await Promise.all(
            all.map(({ via, ...one }) => send(via === 0 ? ledger : other, wallets, one)),
          );
          // The order in which the ledger took them is the order of their entries.
          const model = emptyModel(wallets.map(() => OPENING));
          const taken = all
            .map(({ via: _, ...one }, i) => ({ one, outcome: said[i] }))
            .flatMap(({ one, outcome }) =>
              outcome !== undefined && "seq" in outcome && !outcome.repeated
                ? [{ one, outcome }]
                : [],
            )
            .sort((a, b) => a.one.wallet - b.one.wallet || Number(a.outcome.seq - b.outcome.seq));
          for (const { one, outcome } of taken) expect(apply(model, one)).toEqual(outcome);
          await expectStanding(wallets, model.wallets);
          // A repeat answers with the entry that exists under its key.
          all.forEach(({ via: _, ...one }, i) => {
            const outcome = said[i];
            if (outcome === undefined || !("seq" in outcome) || !outcome.repeated) return;
            expect(apply(model, one)).toEqual(outcome);
          });
        },
      ),
      { numRuns: 20, seed: freshSeed("ledger at once") },
    );
    expect(await ledger.verify()).toEqual([]);
  });

  const OPENING = 1_000n;

  async function modelWallets(): Promise<Account[]> {
    return Promise.all([freshWallet(OPENING), freshWallet(OPENING), freshWallet(OPENING)]);
  }

  async function expectStanding(
    wallets: readonly Account[],
    expected: readonly { balance: bigint; held: bigint; seq: bigint }[],
  ): Promise<void> {
    const found = await Promise.all(wallets.map((wallet) => other.balance(wallet)));
    expect(found).toEqual(expected.map(({ balance, held, seq }) => ({ balance, held, seq })));
  }
});

function commandArbitrary() {
  return fc.record({
    via: fc.nat(1),
    wallet: fc.nat(2),
    does: fc.constantFrom(
      "credit" as const,
      "debit" as const,
      "exchange" as const,
      "hold" as const,
      "post" as const,
      "void" as const,
      "refund" as const,
      "bury" as const,
    ),
    // Few keys, so that repeats, reuses and ends of existing entries are frequent.
    key: fc.constantFrom("a", "b", "c", "d", "e", "f", "a back", "b back"),
    target: fc.constantFrom("a", "b", "c", "d"),
    requires: fc.option(fc.constantFrom("a", "b"), { nil: null, freq: 3 }),
    amount: fc.constantFrom(100n, 250n, 700n),
  });
}

/** Sends a model's command to a real ledger and answers in the model's words. */
async function send(
  to: Ledger,
  wallets: readonly Account[],
  { wallet, does, key, target, requires, amount }: ModelCommand,
): Promise<ModelOutcome> {
  const account = wallets[wallet];
  if (account === undefined) throw new Error("the model names a wallet that is not there");
  const base = command(account, key, amount);
  const outcome = await {
    credit: () => to.credit({ ...base, kind: "win", ...(requires === null ? {} : { requires }) }),
    debit: () => to.debit({ ...base, kind: "bet" }),
    exchange: () => {
      const back = { ...base, key: exchangeKey(key), amount: EXCHANGE_GIVES };
      return to.exchange({ ...base, kind: "bet" }, { ...back, kind: "win" });
    },
    hold: () => to.hold({ ...base, kind: "hold" }),
    post: () => to.post({ ...base, kind: "withdrawal", resolves: target }),
    void: () => to.void({ ...base, kind: "void", resolves: target }),
    refund: () => to.refund({ ...base, kind: "refund", resolves: target }),
    bury: () => to.bury(base),
  }[does]();
  if (!outcome.ok) return { refused: outcome.error.code };
  const { seq, balanceAfter, heldAfter, repeated } = outcome.value;
  return { seq, balanceAfter, heldAfter, repeated };
}
