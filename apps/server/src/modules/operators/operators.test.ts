import { describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { makeBrand, manualClock, seededEntropy } from "../../../../../tests/server/fixtures.ts";
import { oneWaits, overtakenAt } from "../../../../../tests/server/overtaken.ts";
import { itOfOneServer } from "../../../../../tests/setup/one-server.ts";
import {
  createTestDatabase,
  databaseOfFile,
  type TestDatabase,
} from "../../../../../tests/setup/test-database.ts";
import { createLogger } from "../../platform/log.ts";
import { migrate, readMigrations } from "../../platform/postgres/migrate.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import {
  type Act,
  isOfRevoked,
  mayActAlone,
  Operators,
  recordAction,
  wordEffect,
} from "./operators.ts";

const clock = manualClock();
const entropy = seededEntropy("people of the house");

const db = await databaseOfFile();
const operators = new Operators(db.pool, clock, entropy);
const brand = await makeBrand(db.pool, clock);

function add(name: string, merchantId = brand.id) {
  return operators.add(merchantId, { name, permissions: ["deposits"], days: 30 });
}

describe("an operator's name", () => {
  it.each([
    "dÓra cruz",
    "Dora\u00a0Cruz",
    "Dora Cruz.",
    "Dora Cruz'",
    "D-o-r-a_Cruz",
    "D\u00f3ra Cruz",
    "Do\u0301ra Cruz",
    "\uff24\uff4f\uff52\uff41 Cruz",
    " Dora Cruz ",
  ])("is one person's for good, also if it is written as %j", async (written) => {
    const own = await makeBrand(db.pool, clock);
    const { operator, token } = taken(await add("Dora Cruz", own.id));
    expect(codeOf(await add(written, own.id))).toBe("name taken");
    expect(await operators.revoke(own.id, written)).toBe(true);
    expect(await operators.find(own.id, token)).toBeNull();
    const again = taken(await add(written, own.id));
    expect(again.operator.id).toBe(operator.id);
    expect(await operators.list(own.id)).toHaveLength(1);
    // At another brand it is another person's.
    expect(taken(await add("Dora Cruz")).operator.id).not.toBe(operator.id);
    await operators.revoke(brand.id, "Dora Cruz");
  });

  it.each([
    ["two spaces", "Cara  Diaz"],
    ["a letter that looks like a Latin one", "Dor\u0430 Cruz"],
    ["a Latin letter that looks like another", "Cara D\u0131az"],
    ["an invisible character", "Cara\u200b Diaz"],
    ["another sign", "Cara Diaz!"],
    ["a line's end", "Cara\nDiaz"],
    ["a sign in front", "'Cara Diaz"],
    ["one letter alone", "C"],
  ])("with %s is refused", async (_what, name) => {
    expect(codeOf(await add(name))).toBe("name bad_format");
  });

  it("is given to one of many who are added under it at the same moment, also anew", async () => {
    const spellings = ["Ana Reyes", "ana reyes", "Ana-Reyes", "A\u0301na Reyes.", "AnaReyes"];
    const own = await makeBrand(db.pool, clock);
    const addAll = async () =>
      (await Promise.all(spellings.map((one) => add(one, own.id)))).map(codeOf);
    const only = ["name taken", "name taken", "name taken", "name taken", "ok"];
    expect((await addAll()).sort()).toEqual(only);
    expect(await operators.revoke(own.id, "ana reyes")).toBe(true);
    expect((await addAll()).sort()).toEqual(only);
    expect(await operators.list(own.id)).toHaveLength(1);
  });

  itOfOneServer("its own limits")(
    "that existed twice before is one person's now, who holds what both held",
    async () => {
      const old = await createTestDatabase();
      try {
        await old.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        await migrateTo(old, 33);
        await old.pool.query(TWICE);
        await migrateTo(old, 34);
        const { rows: people } = await old.pool.query(
          "SELECT id, name_key, revoked_at IS NULL AS acts FROM operators ORDER BY id",
        );
        expect(people).toEqual([
          { id: "1 revoked", name_key: null, acts: false },
          { id: "2 acts", name_key: "caradiaz", acts: true },
          { id: "3 too", name_key: null, acts: false },
          { id: "4 cyrillic", name_key: null, acts: false },
          { id: "5 other", name_key: "beno", acts: true },
          { id: "6 elsewhere", name_key: "caradiaz", acts: false },
        ]);
        const { rows: payouts } = await old.pool.query(
          "SELECT claimed_by, marked_by, confirmed_by FROM manual_payouts ORDER BY withdrawal_id",
        );
        expect(payouts).toEqual([
          { claimed_by: "2 acts", marked_by: null, confirmed_by: null },
          { claimed_by: "2 acts", marked_by: "2 acts", confirmed_by: null },
          // Ended ones stay as they were said.
          { claimed_by: "1 revoked", marked_by: "1 revoked", confirmed_by: "2 acts" },
        ]);
        const { rows: deposits } = await old.pool.query(
          "SELECT deposit_id, counted_by FROM manual_deposits ORDER BY deposit_id",
        );
        expect(deposits).toEqual([
          { deposit_id: "1", counted_by: null },
          { deposit_id: "2", counted_by: null },
          { deposit_id: "3", counted_by: "2 acts" },
        ]);
        const { rows: wins } = await old.pool.query("SELECT marked_by FROM held_wins");
        expect(wins).toEqual([{ marked_by: "2 acts" }]);
      } finally {
        await old.drop();
      }
    },
  );
});

describe("a revoked operator", () => {
  const DONE = { action: "deposit.confirm", subject: "a deposit" };

  async function employ(name: string): Promise<Act> {
    const { operator } = taken(await add(name));
    return { operator, requestId: "request", address: "127.0.0.1" };
  }

  it("is revoked only after what they have begun to write is committed, and nothing takes that back", async () => {
    const act = await employ("Elsa Under Way");
    const client = await db.pool.connect();
    try {
      await client.query("BEGIN");
      await recordAction(client, act, DONE, clock.now());
      let revoked = false;
      const revoking = operators.revoke(brand.id, act.operator.id).finally(() => {
        revoked = true;
      });
      await oneWaits(db.pool);
      expect(revoked).toBe(false);
      await client.query("COMMIT");
      expect(await revoking).toBe(true);
    } finally {
      client.release();
    }
    expect(await actionsOf(act)).toBe(1);
  });

  it("writes nothing more, even if their act waits for the revoke itself", async () => {
    const act = await employ("Fe Too Late");
    const acting = () =>
      withTransaction(db.pool, (own) => recordAction(own, act, DONE, clock.now())).catch(
        (error: unknown) => error,
      );
    const { id } = act.operator;
    const lock = "SELECT FROM operators WHERE id = $1 FOR UPDATE";
    const revoke = "UPDATE operators SET revoked_at = now() WHERE id = $1";
    const said = await overtakenAt(db.pool, { lock, id }, acting, (own) => own.query(revoke, [id]));
    expect(isOfRevoked(said)).toBe(true);
    expect(await actionsOf(act)).toBe(0);
  });

  it("writes nothing more by the earlier token, even if they got a new one meanwhile", async () => {
    const act = await employ("Gloria Back Again");
    const { id } = act.operator;
    const acting = () =>
      withTransaction(db.pool, (own) => recordAction(own, act, DONE, clock.now())).catch(
        (error: unknown) => error,
      );
    expect(await operators.revoke(brand.id, id)).toBe(true);
    const again = await employ("Gloria Back Again");
    expect(again.operator.id).toBe(id);
    expect(isOfRevoked(await acting())).toBe(true);
    const bounds = { playerMinor: 1_000n, dayMinor: 1_000n };
    const letGo = { subject: "a deposit", memberId: "mem_1", amountMinor: 1n };
    const alone = ({ operator }: Act) =>
      withTransaction(db.pool, (own) => mayActAlone(own, operator, letGo, bounds, clock));
    expect(await alone(act)).toBe(false);
    expect(await alone(again)).toBe(true);
    expect(await actionsOf(act)).toBe(0);
    await withTransaction(db.pool, (own) => recordAction(own, again, DONE, clock.now()));
    expect(await actionsOf(again)).toBe(1);
  });

  it("is found among many acts by what they were done to, and not by reading them all", async () => {
    const act = await employ("Gina Many");
    await db.pool.query(
      `INSERT INTO operator_actions (merchant_id, operator_id, action, subject, detail, request_id,
         address, at)
       SELECT $1, $2, 'deposit.confirm', 'deposit ' || n, '{}', 'r', 'a', now()
       FROM generate_series(1, 20000) n`,
      [brand.id, act.operator.id],
    );
    await db.pool.query("ANALYZE operator_actions, operators");
    const { statement, row } = wordEffect({ operatorId: act.operator.id, subject: "deposit 7" });
    const { rows } = await db.pool.query(`EXPLAIN ${statement.sql}`, [JSON.stringify([row])]);
    const plan = JSON.stringify(rows);
    expect(plan).toContain("operator_actions_subject");
    expect(plan).not.toContain("Seq Scan on operator_actions");
  });

  async function actionsOf({ operator }: Act): Promise<number> {
    const all = await operators.actions(brand.id, { before: null, limit: 500 });
    return all.filter((one) => one.operator_id === operator.id).length;
  }
});

/** Brings an older database to the step of that number. */
async function migrateTo({ url }: TestDatabase, number: number): Promise<void> {
  const migrations = readMigrations().slice(0, number);
  await migrate(url, { log: createLogger({ level: "silent" }), migrations });
}

/** As it could be while names were compared by the case of their letters alone. */
const TWICE = `
  INSERT INTO merchants (id, code, name, currency, zone, settings, created_at)
    SELECT id, id, id, 'PHP', 'Asia/Manila', '{}', now() FROM unnest('{here,there}'::text[]) AS id;
  INSERT INTO members (id, merchant_id, username, type, created_at)
    VALUES ('maria', 'here', 'maria', 0, now());
  INSERT INTO operators (id, merchant_id, name, token_hash, permissions, created_at, expires_at,
      revoked_at)
    SELECT id, brand, name, sha256(id::bytea), '{payouts}', '2026-01-01'::timestamptz + n * day,
      'infinity', CASE WHEN acts THEN NULL ELSE now() END
    FROM (SELECT interval '1 day' AS day) d, (VALUES
      ('1 revoked', 'here', 'Cara Diaz', 1, false), ('2 acts', 'here', 'Cara  Diaz', 2, true),
      ('3 too', 'here', 'C\u00e1ra Diaz.', 3, true), ('4 cyrillic', 'here', 'C\u0430ra Diaz', 4, true),
      ('5 other', 'here', 'Be\u00f1o', 5, true), ('6 elsewhere', 'there', 'cara diaz', 6, false)
    ) AS v(id, brand, name, n, acts);
  INSERT INTO manual_payouts (withdrawal_id, merchant_id, amount_minor, currency, state, queued_at,
      claimed_by, marked_by, confirmed_by) VALUES
    ('1', 'here', 1, 'PHP', 'claimed', now(), '3 too', NULL, NULL),
    ('2', 'here', 1, 'PHP', 'marked', now(), '1 revoked', '1 revoked', NULL),
    ('3', 'here', 1, 'PHP', 'paid', now(), '1 revoked', '1 revoked', '2 acts');
  INSERT INTO manual_deposits (deposit_id, merchant_id, code, currency, house, counted_minor,
      counted_by)
    SELECT id, 'here', id, 'PHP', '{}', 1, by
    FROM (VALUES ('1', '1 revoked'), ('2', '4 cyrillic'), ('3', '2 acts')) AS v(id, by);
  INSERT INTO held_wins (id, merchant_id, member_id, lane, account_id, vendor, transaction_id,
      bet_id, round_id, game_id, currency, stake_minor, amount_minor, reasons, state, held_at,
      marked_by)
    VALUES ('1', 'here', 'maria', 0, 'a', 'v', 't', 'b', 'r', 'g', 'PHP', 1, 1, '{amount}',
      'marked', now(), '3 too');
`;
