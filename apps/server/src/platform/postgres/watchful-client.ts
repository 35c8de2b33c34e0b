import pg from "pg";

/** After this silence a peer is asked for a sign of life; both sides ask. */
const KEEP_ALIVE_AFTER_MS = 10_000;
/** Of PostgreSQL's own probes: half a minute after its last word a client counts as gone. */
const SERVER_KEEP_ALIVE =
  "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4";
/** How much later than PostgreSQL's own limit of a statement the answer may come. */
const ANSWER_LATE_MS = 2_000;
/** A server that is gone does not say goodbye either. */
const GOODBYE_MS = 2_000;
/** For a statement that has no limit but the keep-alive probes. */
const DAY_MS = 86_400_000;

/**
 * A connection that drops a server by itself: one that leaves a statement without an answer for
 * longer than PostgreSQL would have worked on it, since its machine has vanished; and one that
 * takes no writes, since it may be an earlier leader, found by a stale name. The next connection
 * finds the present leader. Such an error comes with the loss of the connection.
 */
export class WatchfulClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    const { statement_timeout: statementMs = 0, options = "" } = config;
    super({
      ...(statementMs ? { query_timeout: statementMs + ANSWER_LATE_MS } : {}),
      ...config,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      options: `${options} ${SERVER_KEEP_ALIVE}`.trim(),
    });
    const ask = this.query.bind(this) as (...given: unknown[]) => unknown;
    const query = (...given: unknown[]) => {
      const told = given.at(-1);
      if (typeof told === "function") {
        given[given.length - 1] = (error: unknown, answer: unknown) => {
          this.#judge(error);
          told(error, answer);
        };
      }
      const answered = ask(...given);
      if (answered instanceof Promise) answered.catch((error: unknown) => this.#judge(error));
      return answered;
    };
    // It takes every form that the driver's own takes, and answers the same.
    this.query = query as typeof this.query;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const timer = setTimeout(() => this.connection.stream.destroy(), GOODBYE_MS).unref();
    this.once("end", () => clearTimeout(timer));
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  #judge(error: unknown): void {
    if (isUnanswered(error) || isReadOnly(error)) this.connection.stream.destroy();
  }
}

/** A statement without a time limit; only a server that vanishes ends the wait. */
export function unhurried(text: string): pg.QueryConfig & { readonly query_timeout: number } {
  return { text, query_timeout: DAY_MS };
}

/** The driver's error if an answer did not come in time; the statement may yet be done. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/** read_only_sql_transaction: from a standby, or a server that is told to take no writes. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "25006";
}
