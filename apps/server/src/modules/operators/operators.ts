import { OPERATOR_PERMISSIONS, type OperatorPermission } from "@perya/contract/operator";
import { type FieldFault, type Refusal, refusal } from "@perya/contract/refusal";
import { mintId } from "@perya/kernel/ids";
import { type Clock, DAY_MS, type Entropy, type Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import { hashOfToken, mintToken } from "../../platform/bearer-token.ts";
import type { Operator } from "../../platform/http/handlers.ts";
import type { Db } from "../../platform/postgres/pool.ts";
import { type BatchStatement, type Effect, EffectMissed } from "../ledger/ledger.ts";

export { type LoneBounds, mayActAlone } from "./lone-acts.ts";

/** An operator's call, as the record of what it did names it. */
export interface Act {
  readonly operator: Operator;
  readonly requestId: string;
  readonly address: string;
}

export function actOf({ operator, requestId, address }: Act): Act {
  return { operator, requestId, address };
}

export interface ListedOperator extends Operator {
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly revokedAt: Instant | null;
}

/** A name in NFKD: Latin letters, with marks or without, digits, single spaces and few signs. */
const NAME = /^(?!.* {2})[A-Za-z0-9](?:[A-Za-z0-9 ._'-]|[\u0300-\u036f]){1,59}$/;
const DAYS_MAX = 366;

export class Operators {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #entropy: Entropy;

  constructor(pool: pg.Pool, clock: Clock, entropy: Entropy) {
    this.#pool = pool;
    this.#clock = clock;
    this.#entropy = entropy;
  }

  /** The operator whose token it is, if it is valid for the brand now. */
  async find(merchantId: string, token: string): Promise<Operator | null> {
    const { rows } = await this.#pool.query<OperatorRow>(
      `SELECT ${COLUMNS} FROM operators
       WHERE token_hash = $1 AND merchant_id = $2 AND revoked_at IS NULL
         AND expires_at > to_timestamp($3 / 1000.0)`,
      [hashOfToken(token), merchantId, this.#clock.now()],
    );
    return rows[0] === undefined ? null : operatorOf(rows[0]);
  }

  /** The token is shown only this once; names the wrong fields. */
  async add(
    merchantId: string,
    given: {
      readonly name: string;
      readonly permissions: readonly string[];
      readonly days: number;
    },
  ): Promise<Result<{ readonly operator: Operator; readonly token: string }, Refusal>> {
    // One way of writing marks, widths and spaces.
    const name = given.name.normalize("NFKC").trim();
    const permissions = OPERATOR_PERMISSIONS.filter((one) => given.permissions.includes(one));
    const faults = faultsOf(name, given.permissions, given.days);
    if (faults.length > 0) return refuse(refusal("invalid_input", { fields: faults }));
    const { token, hash } = mintToken(this.#entropy);
    const now = this.#clock.now();
    // A person who returns under a name is the one who had it before, and no second person.
    const row = { merchantId, name, hash, permissions, now, until: now + given.days * DAY_MS };
    const id = await this.#employ(row, mintId("operator", now, this.#entropy.bytes(16)));
    if (id === null) {
      return refuse(refusal("invalid_input", { fields: [{ field: "name", code: "taken" }] }));
    }
    return ok({ operator: { id, merchantId, name, permissions, tokenHash: hash }, token });
  }

  /** The id of the person who acts under the name from now on; null if somebody does already. */
  async #employ(row: NewToken, freshId: string): Promise<string | null> {
    const { merchantId, name, hash, permissions, now, until } = row;
    const { rows } = await this.#pool.query<{ id: string }>(
      `INSERT INTO operators (id, merchant_id, name, name_key, token_hash, permissions,
         created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0), to_timestamp($8 / 1000.0))
       ON CONFLICT (merchant_id, name_key) DO UPDATE SET token_hash = excluded.token_hash,
         name = excluded.name, permissions = excluded.permissions,
         created_at = excluded.created_at, expires_at = excluded.expires_at, revoked_at = NULL,
         words_after = (SELECT coalesce(max(a.id), 0) FROM operator_actions a)
         WHERE operators.revoked_at IS NOT NULL
       RETURNING id`,
      [freshId, merchantId, name, nameKey(name), hash, permissions, now, until],
    );
    return rows[0]?.id ?? null;
  }

  /**
   * From now on the token of the operator with the name or id opens nothing, and no call of theirs
   * that is under way has any effect (`recordActions`); false if there is none.
   */
  async revoke(merchantId: string, nameOrId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      // FOR UPDATE waits for acts that are recorded and not committed yet; UPDATE alone would not.
      `WITH gone AS MATERIALIZED (
         SELECT id FROM operators
         WHERE merchant_id = $1 AND (id = $2 OR name_key = $4) AND revoked_at IS NULL FOR UPDATE)
       UPDATE operators o SET revoked_at = to_timestamp($3 / 1000.0) FROM gone
       WHERE o.id = gone.id`,
      [merchantId, nameOrId, this.#clock.now(), nameKey(nameOrId)],
    );
    return rowCount === 1;
  }

  async list(merchantId: string): Promise<ListedOperator[]> {
    const { rows } = await this.#pool.query<OperatorRow>(
      `SELECT ${COLUMNS} FROM operators WHERE merchant_id = $1 ORDER BY created_at, id LIMIT 500`,
      [merchantId],
    );
    return rows.map((row) => ({
      ...operatorOf(row),
      createdAt: row.created_at.getTime(),
      expiresAt: row.expires_at.getTime(),
      revokedAt: row.revoked_at?.getTime() ?? null,
    }));
  }

  async actions(
    merchantId: string,
    page: { readonly before: number | null; readonly limit: number },
  ): Promise<ActionRow[]> {
    const { rows } = await this.#pool.query<ActionRow>(
      `SELECT a.id, a.operator_id, o.name, a.action, a.subject, a.detail, a.request_id, a.address,
         a.at
       FROM operator_actions a JOIN operators o ON o.id = a.operator_id
       WHERE a.merchant_id = $1 AND ($2::bigint IS NULL OR a.id < $2)
       ORDER BY a.id DESC LIMIT $3`,
      [merchantId, page.before, page.limit],
    );
    return rows;
  }
}

interface NewToken {
  readonly merchantId: string;
  readonly name: string;
  readonly hash: Buffer;
  readonly permissions: readonly OperatorPermission[];
  readonly now: Instant;
  readonly until: Instant;
}

export interface ActionRow {
  readonly id: bigint;
  readonly operator_id: string;
  readonly name: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly request_id: string;
  readonly address: string;
  readonly at: Date;
}

type Plain = string | number | boolean | null;

interface Done {
  readonly action: string;
  readonly subject: string;
  /** Stored as JSON, which has no `bigint`: amounts are decimal strings. */
  readonly detail?: Readonly<Record<string, Plain | readonly Plain[]>>;
}

/**
 * Checked: an operator who was revoked meanwhile does nothing any more, even if they got a new
 * token since: it may not allow this, or may be in other hands than the call came from. The lock
 * lets `mayActAlone` pass, and makes `revoke` wait until the act is committed.
 */
const recordActions: BatchStatement = {
  name: "operators_50_record_actions",
  sql: `INSERT INTO operator_actions (merchant_id, operator_id, action, subject, detail, request_id,
          address, at)
        SELECT u.merchant_id, u.operator_id, u.action, u.subject, u.detail, u.request_id,
          u.address, to_timestamp(u.at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(merchant_id text, operator_id text, token_hash text,
          action text, subject text, detail jsonb, request_id text, address text, at bigint)
        JOIN operators o ON o.id = u.operator_id AND o.token_hash = decode(u.token_hash, 'hex')
        WHERE o.revoked_at IS NULL FOR KEY SHARE OF o`,
  mustAffectEach: true,
};

export interface Word {
  readonly operatorId: string;
  readonly subject: string;
}

/**
 * A word counts neither after its operator was revoked, nor once they got a new token since; a
 * token that merely expired takes none back. From here on the operator cannot be revoked until the
 * transaction ends.
 */
const wordsCount: BatchStatement = {
  name: "operators_40_words_count",
  sql: `SELECT FROM jsonb_to_recordset($1) AS u(operator_id text, subject text)
        JOIN operators o ON o.id = u.operator_id
        WHERE o.revoked_at IS NULL AND EXISTS (
          SELECT FROM operator_actions a
          WHERE a.subject = u.subject AND a.operator_id = o.id AND a.id > o.words_after)
        FOR KEY SHARE OF o`,
  mustAffectEach: true,
};

/** Called after the lock of the word's subject, so that a word just said is seen. */
export async function wordCounts(db: Db, { operatorId, subject }: Word): Promise<boolean> {
  const row = { operator_id: operatorId, subject };
  const { rowCount } = await db.query(wordsCount.sql, [JSON.stringify([row])]);
  return rowCount === 1;
}

/** The same in the transaction of the money that also moves by that word. */
export function wordEffect({ operatorId, subject }: Word): Effect {
  return { statement: wordsCount, row: { operator_id: operatorId, subject } };
}

/**
 * The last word on a subject, by an action of a brand's, among the words that still count
 * (`wordsCount`), for a subject without a row that stores the first of two words; null for none.
 * Called under a lock that the next word waits for. Its operator cannot be revoked until the
 * transaction ends.
 */
export async function lastWord(
  client: pg.ClientBase,
  merchantId: string,
  { action, subject }: Done,
): Promise<(Word & Pick<ActionRow, "detail">) | null> {
  const { rows } = await client.query<Pick<ActionRow, "operator_id" | "detail">>(
    `SELECT a.operator_id, a.detail
     FROM operator_actions a JOIN operators o ON o.id = a.operator_id
     WHERE a.merchant_id = $1 AND a.subject = $2 AND a.action = $3
       AND o.revoked_at IS NULL AND a.id > o.words_after
     ORDER BY a.id DESC LIMIT 1 FOR KEY SHARE OF o`,
    [merchantId, subject, action],
  );
  const [last] = rows;
  return last === undefined ? null : { operatorId: last.operator_id, subject, detail: last.detail };
}

/** Records an act in the transaction of the money that it moves. */
export function actionEffect(act: Act, done: Done, at: Instant): Effect {
  return { statement: recordActions, row: rowOf(act, done, at) };
}

/**
 * Records an act in the caller's transaction.
 * @throws EffectMissed if the operator was revoked meanwhile: nothing of the act may remain
 */
export async function recordAction(
  client: pg.ClientBase,
  act: Act,
  done: Done,
  at: Instant,
): Promise<void> {
  const row = rowOf(act, done, at);
  const { rowCount } = await client.query(recordActions.sql, [JSON.stringify([row])]);
  if (rowCount !== 1) throw new EffectMissed(recordActions.name);
}

/** Answers as any later call of theirs if the operator was revoked during this one. */
export async function unlessRevoked<T>(
  work: () => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  try {
    return await work();
  } catch (error) {
    if (isOfRevoked(error)) return refuse(refusal("not_logged_in"));
    throw error;
  }
}

/** Whether an act failed because its operator was revoked meanwhile, and for nothing else. */
export function isOfRevoked(error: unknown): boolean {
  return error instanceof EffectMissed && error.statement === recordActions.name;
}

function rowOf({ operator, requestId, address }: Act, done: Done, at: Instant) {
  return {
    merchant_id: operator.merchantId,
    operator_id: operator.id,
    token_hash: operator.tokenHash.toString("hex"),
    action: done.action,
    subject: done.subject,
    detail: done.detail ?? {},
    request_id: requestId,
    address,
    at,
  };
}

const COLUMNS =
  "id, merchant_id, name, permissions, token_hash, created_at, expires_at, revoked_at";

interface OperatorRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly name: string;
  readonly permissions: readonly OperatorPermission[];
  readonly token_hash: Buffer;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
}

function operatorOf({ id, merchant_id, name, permissions, token_hash }: OperatorRow): Operator {
  return { id, merchantId: merchant_id, name, permissions, tokenHash: token_hash };
}

/** One person's name in any letter case, with or without marks, signs and spaces. */
function nameKey(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]/g, "")
    .toLowerCase();
}

function faultsOf(name: string, permissions: readonly string[], days: number): FieldFault[] {
  const known: readonly string[] = OPERATOR_PERMISSIONS;
  const faults: FieldFault[] = [];
  if (!NAME.test(name.normalize("NFKD"))) faults.push({ field: "name", code: "bad_format" });
  if (permissions.length === 0) faults.push({ field: "permissions", code: "required" });
  if (permissions.some((one) => !known.includes(one))) {
    faults.push({ field: "permissions", code: "not_allowed" });
  }
  if (!Number.isInteger(days) || days < 1) faults.push({ field: "days", code: "bad_format" });
  else if (days > DAYS_MAX) faults.push({ field: "days", code: "too_big", limit: `${DAYS_MAX}` });
  return faults;
}
