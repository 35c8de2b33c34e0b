import { OPERATOR_PERMISSIONS, type OperatorPermission } from "@perya/contract/operator";
import { type FieldFault, type Refusal, refusal } from "@perya/contract/refusal";
import { mintId } from "@perya/kernel/ids";
import { type Clock, DAY_MS, type Entropy, type Instant } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import type pg from "pg";
import type { Operator } from "../../platform/http/call-server.ts";
import { hashOfToken, mintToken } from "../identity/identity.ts";
import type { BatchStatement, Effect } from "../ledger/ledger.ts";

export type { Operator } from "../../platform/http/call-server.ts";
export { operatorRoutes } from "./operators.routes.ts";

type Db = pg.Pool | pg.ClientBase;

/** A call of an operator's, as what it did is remembered by. */
export interface Act {
  readonly operator: Operator;
  readonly requestId: string;
  readonly address: string;
}

export interface ListedOperator extends Operator {
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly revokedAt: Instant | null;
}

const NAME = /^[\p{L}\p{M}0-9][\p{L}\p{M}0-9 ._'-]{1,59}$/u;
const DAYS_MAX = 366;

/** The people of the house: made, listed and revoked by a command, found by their tokens. */
export class Operators {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #entropy: Entropy;

  constructor(pool: pg.Pool, clock: Clock, entropy: Entropy) {
    this.#pool = pool;
    this.#clock = clock;
    this.#entropy = entropy;
  }

  /** Whose token it is, if it is good for the brand now. */
  async find(merchantId: string, token: string): Promise<Operator | null> {
    const { rows } = await this.#pool.query<OperatorRow>(
      `SELECT ${COLUMNS} FROM operators
       WHERE token_hash = $1 AND merchant_id = $2 AND revoked_at IS NULL
         AND expires_at > to_timestamp($3 / 1000.0)`,
      [hashOfToken(token), merchantId, this.#clock.now()],
    );
    return rows[0] === undefined ? null : operatorOf(rows[0]);
  }

  /** The token is told this once; names the fields that are not in order. */
  async add(
    merchantId: string,
    given: {
      readonly name: string;
      readonly permissions: readonly string[];
      readonly days: number;
    },
  ): Promise<Result<{ readonly operator: Operator; readonly token: string }, Refusal>> {
    const name = given.name.trim();
    const permissions = OPERATOR_PERMISSIONS.filter((one) => given.permissions.includes(one));
    const faults = faultsOf(name, given.permissions, given.days);
    if (faults.length > 0) return refuse(refusal("invalid_input", { fields: faults }));
    const { token, hash } = mintToken(this.#entropy);
    const now = this.#clock.now();
    const id = mintId("operator", now, this.#entropy.bytes(16));
    const { rowCount } = await this.#pool.query(
      `INSERT INTO operators (id, merchant_id, name, token_hash, permissions, created_at,
         expires_at)
       VALUES ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0), to_timestamp($7 / 1000.0))
       ON CONFLICT DO NOTHING`,
      [id, merchantId, name, hash, permissions, now, now + given.days * DAY_MS],
    );
    if (rowCount === 0) {
      return refuse(refusal("invalid_input", { fields: [{ field: "name", code: "taken" }] }));
    }
    return ok({ operator: { id, merchantId, name, permissions }, token });
  }

  /** From now on the token of whoever has the name or id opens nothing; false for nobody. */
  async revoke(merchantId: string, nameOrId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE operators SET revoked_at = to_timestamp($3 / 1000.0)
       WHERE merchant_id = $1 AND (id = $2 OR lower(name) = lower($2)) AND revoked_at IS NULL`,
      [merchantId, nameOrId, this.#clock.now()],
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

  /** What was done for the brand, newest first. */
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

interface Done {
  readonly action: string;
  readonly subject: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

const recordActions: BatchStatement = {
  name: "operators_50_record_actions",
  sql: `INSERT INTO operator_actions (merchant_id, operator_id, action, subject, detail, request_id,
          address, at)
        SELECT u.merchant_id, u.operator_id, u.action, u.subject, u.detail, u.request_id,
          u.address, to_timestamp(u.at / 1000.0)
        FROM jsonb_to_recordset($1) AS u(merchant_id text, operator_id text, action text,
          subject text, detail jsonb, request_id text, address text, at bigint)`,
  mustAffectEach: false,
};

/** Remembers an act in the transaction of the money that it moves. */
export function actionEffect(act: Act, done: Done, at: Instant): Effect {
  return { statement: recordActions, row: rowOf(act, done, at) };
}

/** Remembers an act in the transaction of whoever calls. */
export async function recordAction(db: Db, act: Act, done: Done, at: Instant): Promise<void> {
  await db.query(recordActions.sql, [JSON.stringify([rowOf(act, done, at)])]);
}

function rowOf({ operator, requestId, address }: Act, done: Done, at: Instant) {
  return {
    merchant_id: operator.merchantId,
    operator_id: operator.id,
    action: done.action,
    subject: done.subject,
    detail: done.detail ?? {},
    request_id: requestId,
    address,
    at,
  };
}

const COLUMNS = "id, merchant_id, name, permissions, created_at, expires_at, revoked_at";

interface OperatorRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly name: string;
  readonly permissions: readonly OperatorPermission[];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
}

function operatorOf({ id, merchant_id, name, permissions }: OperatorRow): Operator {
  return { id, merchantId: merchant_id, name, permissions };
}

function faultsOf(name: string, permissions: readonly string[], days: number): FieldFault[] {
  const known: readonly string[] = OPERATOR_PERMISSIONS;
  const faults: FieldFault[] = [];
  if (!NAME.test(name)) faults.push({ field: "name", code: "bad_format" });
  if (permissions.length === 0) faults.push({ field: "permissions", code: "required" });
  if (permissions.some((one) => !known.includes(one))) {
    faults.push({ field: "permissions", code: "not_allowed" });
  }
  if (!Number.isInteger(days) || days < 1) faults.push({ field: "days", code: "bad_format" });
  else if (days > DAYS_MAX) faults.push({ field: "days", code: "too_big", limit: `${DAYS_MAX}` });
  return faults;
}
