import { assert } from "@perya/kernel/assert";
import type { Instant } from "@perya/kernel/instant";
import type pg from "pg";
import { changeFreeRows } from "../../platform/postgres/lanes.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import type { Account, BatchStatement } from "../ledger/ledger.ts";
import { settleLostRounds } from "../vendors/vendors.ts";

export interface WagerRow {
  readonly lane: number;
  readonly account_id: string;
  readonly id: string;
  readonly currency: string;
  readonly stake_minor: bigint;
}

/** The table in which a game keeps its bets, keyed by lane, account and id. */
export interface WagerTable {
  /** The game's word in the names of its statements, and in the ids of its transactions. */
  readonly name: string;
  /** Its word in the ids of transactions, if that is another. */
  readonly transactionWord?: string;
  readonly table: string;
  /** The columns that are read, of the bet `b` and of what `join` adds. */
  readonly columns: string;
  readonly join?: string;
  /** Whether the bet `b` is on the event `$1`. */
  readonly onEvent: string;
  /** The column with the id of the vendor's round, of which an account has one bet. Default: `id`. */
  readonly roundColumn?: "id" | "round_id";
  /** What is written at the end of a bet besides its state and payout: columns and their types. */
  readonly endColumns?: Readonly<Record<string, string>>;
}

/** Bets of one vendor, as SQL names them; `where` names all of the values, `$1` and on. */
export interface FreeBets {
  readonly vendor: string;
  readonly where: string;
  readonly values: readonly unknown[];
}

/** The events of a game that holds one after another, each of which may be over before its bets. */
export interface EventTable {
  readonly table: string;
  readonly columns: string;
  /** Whether an event is over. */
  readonly isOver: string;
  /** The column of a bet with its event's id. */
  readonly eventColumn: string;
}

/** The vendor's round of a lost bet. */
type LostRound = Pick<WagerRow, "lane" | "account_id" | "id">;

/** More events than one look takes. */
const OWING_MAX = 100;

/** The statements that all tables of bets have in common. */
export class WagerStore<Row extends WagerRow> {
  readonly #pool: pg.Pool;
  readonly #table: WagerTable;
  readonly #select: string;
  readonly #roundColumn: string;
  /** Pays or refunds. Checked: a bet that has ended is not ended again. */
  readonly end: BatchStatement;

  constructor(pool: pg.Pool, given: WagerTable) {
    const { name, table, columns, join = "", roundColumn = "id", endColumns = {} } = given;
    this.#pool = pool;
    this.#table = given;
    this.#roundColumn = roundColumn;
    this.#select = `SELECT ${columns} FROM ${table} b ${join}`;
    const more = Object.entries(endColumns);
    const sets = more.map(([column]) => `, ${column} = u.${column}`).join("");
    const types = more.map(([column, type]) => `, ${column} ${type}`).join("");
    this.end = {
      name: `${name}_70_end_bet`,
      sql: `UPDATE ${table} b SET state = u.state, payout_minor = u.payout_minor${sets}
            FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text, state text,
              payout_minor bigint${types})
            WHERE b.lane = u.lane AND b.account_id = u.account_id AND b.id = u.id
              AND b.state = 'placed'`,
      mustAffectEach: true,
    };
  }

  find(account: Account, id: string): Promise<Row | null> {
    return this.#find(account, "id", id);
  }

  ofRound(account: Account, roundId: string): Promise<Row | null> {
    return this.#find(account, this.#roundColumn, roundId);
  }

  roundOf(bet: Row): string {
    const roundId: unknown = Reflect.get(bet, this.#roundColumn);
    assert(typeof roundId === "string", `a bet is read with its ${this.#roundColumn}`);
    return roundId;
  }

  async #find(account: Account, column: string, value: string): Promise<Row | null> {
    const { rows } = await this.#pool.query<Row>(
      `${this.#select} WHERE b.lane = $1 AND b.account_id = $2 AND b.${column} = $3`,
      [account.lane, account.id, value],
    );
    return rows[0] ?? null;
  }

  /** Newest first by their ids, which browsers mint by the hour; from just before `before`. */
  async page(
    account: Account,
    { before, limit }: { readonly before: string | null; readonly limit: number },
  ): Promise<Row[]> {
    const { rows } = await this.#pool.query<Row>(
      `${this.#select}
       WHERE b.lane = $1 AND b.account_id = $2 AND ($3::text IS NULL OR b.id < $3)
       ORDER BY b.id DESC LIMIT $4`,
      [account.lane, account.id, before, limit],
    );
    return rows;
  }

  /** Bets on an event that have not ended, after the last one seen. */
  async placed(eventId: string, after: WagerRow | null, limit: number): Promise<Row[]> {
    const { rows } = await this.#pool.query<Row>(
      `${this.#select}
       WHERE ${this.#table.onEvent} AND b.state = 'placed'
         AND (b.lane, b.account_id, b.id) > ($2::smallint, $3, $4)
       ORDER BY b.lane, b.account_id, b.id LIMIT $5`,
      [eventId, after?.lane ?? -1, after?.account_id ?? "", after?.id ?? "", limit],
    );
    return rows;
  }

  /** Events that are over and owe bets; the oldest first, so that none is left for good. */
  async owing<Event extends pg.QueryResultRow>(events: EventTable): Promise<Event[]> {
    const { table, columns, isOver, eventColumn } = events;
    const { rows } = await this.#pool.query<Event>(
      `SELECT ${columns} FROM ${table} WHERE ${isOver} AND id IN (
         SELECT ${eventColumn} FROM ${this.#table.table} WHERE state = 'placed')
       ORDER BY number LIMIT ${OWING_MAX}`,
    );
    return rows;
  }

  /** Ends lost bets, and with them the vendor's rounds: no money moves. */
  lose(vendor: string, bets: readonly WagerRow[], at: Instant): Promise<void> {
    const keys = bets.map(({ lane, account_id, id }) => ({ lane, account_id, id }));
    return this.#lose(vendor, at, async (client) => {
      const { rows } = await client.query<LostRound>(
        `UPDATE ${this.#table.table} b SET state = 'lost'
         FROM jsonb_to_recordset($1) AS u(lane smallint, account_id text, id text)
         WHERE b.lane = u.lane AND b.account_id = u.account_id AND b.id = u.id
           AND b.state = 'placed'
         RETURNING b.lane, b.account_id, b.${this.#roundColumn} AS id`,
        [JSON.stringify(keys)],
      );
      return rows;
    });
  }

  /**
   * As `lose`, for all bets of a kind in one statement. A bet that is being paid just now is left to
   * the next look; it may be held for long, and the others' end does not wait for it.
   */
  loseFree({ vendor, where, values }: FreeBets, at: Instant): Promise<void> {
    const change = {
      ...{ table: this.#table.table, where: `state = 'placed' AND ${where}` },
      ...{ set: "state = 'lost'", returning: `lane, account_id, ${this.#roundColumn} AS id` },
    };
    return this.#lose(vendor, at, (client) =>
      changeFreeRows<LostRound>(this.#pool, change, values, client),
    );
  }

  /** Bets come before their rounds, as a payment of the same moment locks them. */
  #lose(
    vendor: string,
    at: Instant,
    change: (client: pg.ClientBase) => Promise<LostRound[]>,
  ): Promise<void> {
    return withTransaction(this.#pool, async (client) =>
      settleLostRounds(client, vendor, await change(client), at),
    );
  }
}
