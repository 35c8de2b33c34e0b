import pg from "pg";

/** From then on a peer that says nothing is asked for a sign of life; both sides ask. */
const KEEP_ALIVE_AFTER_MS = 10_000;
/** Of PostgreSQL's own probes: half a minute after its last word a client counts as gone. */
const SERVER_KEEP_ALIVE =
  "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4";
/** How much later than PostgreSQL's own bound of a statement the answer may come. */
const ANSWER_LATE_MS = 2_000;
/** A server that is gone does not say goodbye either. */
const GOODBYE_MS = 2_000;
/** Of a statement that has no bound but the keep-alive probes. */
const DAY_MS = 86_400_000;

/**
 * A connection that lets go of a server by itself: of one that leaves a statement without an
 * answer for longer than PostgreSQL would have worked on it, for its machine has vanished; and of
 * one that takes no writes, for it may be a leader of before, found by a stale name. What is
 * connected next finds whoever leads. Such an error comes with the loss of the connection.
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
    // It takes whatever the driver's own takes, and answers what that answers.
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

/** A statement that may take as long as it takes; only a server that vanishes ends the wait. */
export function unhurried(text: string): pg.QueryConfig & { readonly query_timeout: number } {
  return { text, query_timeout: DAY_MS };
}

/** What the driver says where an answer did not come in time; the statement may yet be done. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/** read_only_sql_transaction: of a standby, or of a server that is told to take no writes. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "25006";
}
