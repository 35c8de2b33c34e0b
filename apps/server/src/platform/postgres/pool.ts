import pg from "pg";
import type { Logger } from "../log.ts";
import { Turns } from "../turns.ts";
import { Unavailable } from "../unavailable.ts";
import { isReadOnly, isUnanswered, WatchfulClient } from "./watchful-client.ts";

/** Where a statement runs: by itself, or in the caller's transaction. */
export type Db = pg.Pool | pg.ClientBase;

export interface PoolOptions {
  /** Most connections at once; PostgreSQL is set to 100 for all processes together. */
  readonly max: number;
  readonly log: Logger;
  readonly statementTimeoutMs?: number;
}

/** Longer than any rule-abiding holder keeps a row; the caller gets "busy". */
const LOCK_TIMEOUT_MS = 3_000;
/** Of ten connections one statement has three at most, and all transactions have six. */
const STATEMENT_SHARE = 0.3;
const TRANSACTIONS_SHARE = 0.6;
/** No statement's text. */
const TRANSACTIONS = "";

const STATEMENT_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A session that holds rows and is silent for so long is paused or gone; others need the rows. */
export const IDLE_TRANSACTION_TIMEOUT_MS = 15_000;

/**
 * A pool whose `bigint` and `bigint[]` columns arrive as bigint, `date` columns as `YYYY-MM-DD`
 * text (a JavaScript Date would shift them by the machine's zone); the rest is pg's own mapping. No
 * statement and no table's lock can take all of its connections: beyond a share they wait.
 */
export function createPool(url: string, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    Client: WatchfulClient,
    max: options.max,
    types: { getTypeParser: columnParser },
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    application_name: "perya",
  });
  // A checked-out connection tells its statement of its loss; unhandled, the event would end us.
  pool.on("connect", (client) => void client.on("error", () => undefined));
  // An idle connection that breaks leaves the pool by itself; unhandled, the event would end us.
  pool.on("error", (error) => options.log.warn({ err: error }, "idle database connection lost"));
  const turns = new Turns();
  TURNS.set(pool, turns);
  const statementMax = shareOf(pool, STATEMENT_SHARE);
  const ask = pool.query.bind(pool);
  const query = async (statement: string | pg.QueryConfig, values?: unknown[]) => {
    const text = typeof statement === "string" ? statement : statement.text;
    const release = await turns.take(text, statementMax);
    try {
      return await ask(statement, values);
    } finally {
      release();
    }
  };
  // Nobody here uses a callback or a stream, which are the other forms.
  pool.query = query as typeof pool.query;
  return pool;
}

/**
 * One statement whose values are made when a connection takes it: instants in them are later than
 * every wait of this process. It waits its turn as any statement of a pool does.
 */
export async function queryAsSent<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: {
    readonly name: string;
    readonly text: string;
    readonly values: () => readonly unknown[];
  },
): Promise<pg.QueryResult<Row>> {
  const { name, text, values } = statement;
  const release = await TURNS.get(pool)?.take(text, shareOf(pool, STATEMENT_SHARE));
  try {
    const client = await pool.connect();
    let broken = true;
    try {
      const answer = await client.query<Row>({ name, text, values: [...values()] });
      broken = false;
      return answer;
    } finally {
      // As the driver's pool does after any error.
      client.release(broken);
    }
  } finally {
    release?.();
  }
}

function shareOf(pool: pg.Pool, share: number): number {
  return Math.max(1, Math.floor(pool.options.max * share));
}

const TURNS = new WeakMap<pg.Pool, Turns>();

const columnParser: typeof pg.types.getTypeParser = (
  oid: number,
  format?: "text" | "binary",
): ((text: string) => unknown) => {
  if (format !== "binary" && oid === INT8) return BigInt;
  if (format !== "binary" && oid === DATE) return (text) => text;
  if (format !== "binary" && oid === INT8_ARRAY) return parseBigintArray;
  return pg.types.getTypeParser(oid, format);
};

/** https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_type.dat */
const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE = 1082;

/** One dimension, `{1,NULL,3}`: a bigint never needs quotes. */
function parseBigintArray(text: string): (bigint | null)[] {
  if (text === "{}") return [];
  const items = text.slice(1, -1).split(",");
  return items.map((item) => (item === "NULL" ? null : BigInt(item)));
}

/**
 * The connection broke while COMMIT was under way: the transaction may or may not be committed.
 * Look its idempotency keys up; never assume.
 */
export class CommitUnknownError extends Error {
  constructor(cause: unknown) {
    super("the database connection was lost during COMMIT", { cause });
  }
}

/**
 * Runs `work` in one transaction: commits when it returns, rolls back when it throws.
 * @throws CommitUnknownError
 */
export async function withTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const release = await TURNS.get(pool)?.take(TRANSACTIONS, shareOf(pool, TRANSACTIONS_SHARE));
  try {
    return await transact(pool, work);
  } finally {
    release?.();
  }
}

async function transact<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A checked-out connection reports its loss here as well as to the statement under way.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on("error", onError);
  try {
    await client.query("BEGIN");
    const value = await attempt(client, work);
    await commit(client);
    return value;
  } catch (error) {
    if (isConnectionLoss(error) || isReadOnly(error) || error instanceof CommitUnknownError) {
      broken ??= new Error("connection lost", { cause: error });
    }
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

async function attempt<T>(
  client: pg.PoolClient,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  try {
    return await work(client);
  } catch (error) {
    // If even ROLLBACK fails, the connection is gone, and with it the transaction.
    await client.query("ROLLBACK").catch((cause: unknown) => {
      if (isConnectionLoss(error) || isReadOnly(error)) throw error;
      throw new AggregateError([error, cause], String(error));
    });
    throw error;
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  const answer = await client.query("COMMIT").catch((error: unknown) => {
    throw isConnectionLoss(error) ? new CommitUnknownError(error) : error;
  });
  // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and no error.
  if (answer.command !== "COMMIT") {
    throw new Error("the transaction had failed before COMMIT; a statement's error was swallowed");
  }
}

/** PostgreSQL's codes of a session's end: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const LOST_CODES = new Set(["57P01", "57P02", "57P03", "57P05"]);
const SOCKET_CODES = new Set([
  ...["ECONNRESET", "ECONNREFUSED", "ECONNABORTED", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN", "ENOTFOUND"],
]);
/**
 * Errors of a database that has too much to do or is changing over: insufficient resources (class
 * 53), transactions that got in each other's way, a statement or a lock that waited too long, a
 * transaction left idle too long, and the read-only time of a failover.
 */
const LOADED_CODES = new Set(["40001", "40P01", "57014", "55P03", "25P03", "25006"]);
/** How deep the causes of an error are followed. */
const CAUSES_MAX = 5;

/**
 * Whether the database, or what threw `Unavailable`, is away, full or overloaded, so that the same
 * call may succeed in a moment; what may be committed all the same (an unknown COMMIT) is found
 * again by its keys.
 */
export function isUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > CAUSES_MAX) return false;
  if (error instanceof Unavailable || error instanceof CommitUnknownError) return true;
  const code = codeOf(error);
  if (code.startsWith("53") || LOADED_CODES.has(code) || isConnectionLoss(error)) return true;
  if (NO_CONNECTION_MESSAGE.test(error.message)) return true;
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return inner.some((one) => isUnavailable(one, depth + 1));
}

/**
 * A cluster's coordinator reports a worker that went away by the code of the statement that met it:
 * XX000 from a COPY, 58030 where the copy's connection broke.
 */
const WORKER_CODES = new Set(["XX000", "58030"]);
const WORKER_MESSAGE =
  /terminating connection due to|failed to COPY to shard|failure on connection marked as essential|^connection (?:to the remote node .* failed|not open)/;

function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (WORKER_CODES.has(code)) return error instanceof Error && WORKER_MESSAGE.test(error.message);
  // A server that is away leaves no socket file either; any other file is somebody else's.
  if (code === "ENOENT") {
    return error instanceof Error && Reflect.get(error, "syscall") === "connect";
  }
  if (code !== "") return code.startsWith("08") || LOST_CODES.has(code) || SOCKET_CODES.has(code);
  // node-postgres reports its own ends of a connection only by message.
  return isUnanswered(error) || (error instanceof Error && LOST_MESSAGE.test(error.message));
}

const LOST_MESSAGE =
  /^(Connection terminated|Client (has encountered a connection error|was closed))/;
/** No connection was free in time, or this process is ending. */
const NO_CONNECTION_MESSAGE = /^(timeout exceeded when|timeout expired|Cannot use a pool after)/;

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}
