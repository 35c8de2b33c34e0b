import { assert } from "@perya/kernel/assert";
import type { Result } from "@perya/kernel/result";
import pg from "pg";
import { CoalescingSocket } from "../../platform/postgres/coalescing-socket.ts";
import { type BatchPlan, entryName, planBatch, type StoredEntry } from "./batch.ts";
import { accountsOf, beginAndLock, findEntries, writeBatch, writeEffects } from "./ledger.store.ts";
import {
  EffectMissed,
  type LedgerRefusal,
  LedgerUnavailable,
  type Movement,
  type Receipt,
  withFollowers,
} from "./movement.ts";

export type Outcome = Result<Receipt, LedgerRefusal>;

interface Command {
  readonly movement: Movement;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

export interface WriterOptions {
  readonly databaseUrl: string;
  /** Connections that write; each owns the lanes whose number modulo this is its own. */
  readonly writers: number;
  readonly onCommitted: (plan: BatchPlan) => void;
  readonly onTrouble: (error: Error, what: string) => void;
}

/** Commands a transaction takes at most: a p99 and a lock-time bound. */
const BATCH_MAX = 512;
/** Commands that may wait for one connection; beyond it the caller is told to try again. */
const QUEUE_MAX = 20_000;
/** Tries of one batch over lost connections and restarts: about ten seconds in all. */
const TRIES_MAX = 12;
const RETRY_BASE_MS = 20;
const RETRY_MAX_MS = 2_000;
/** Keys remembered a generation, to look a probable repeat up before it breaks a batch. */
const RECENT_KEYS = 50_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/**
 * Plans are made once, not a batch, and join by walking the batch's array in its order: that is
 * the order in which rows are locked, the same in every process.
 */
const SESSION_OPTIONS =
  "-c plan_cache_mode=force_generic_plan -c enable_hashjoin=off -c enable_mergejoin=off";

/**
 * Batches without timers: while one transaction runs, commands for its lanes queue, and all
 * that queued goes in the next one.
 */
export class Writer {
  readonly #options: WriterOptions;
  #queue: Command[] = [];
  #running = false;
  #closed = false;
  #client: pg.Client | null = null;
  #recent = new Set<string>();
  #older = new Set<string>();
  #idle: (() => void)[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  submit(movement: Movement): Promise<Outcome> {
    if (this.#closed) return Promise.reject(new LedgerUnavailable("the ledger is closing"));
    if (this.#queue.length >= QUEUE_MAX) {
      return Promise.reject(new LedgerUnavailable("too many commands are waiting"));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ movement, resolve, reject });
      if (!this.#running) void this.#drain();
    });
  }

  /** Takes no more commands, finishes those that wait, and hangs up. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#running) await new Promise<void>((done) => this.#idle.push(done));
    await this.#disconnect();
  }

  async #drain(): Promise<void> {
    this.#running = true;
    // One turn's grace lets commands of the same tick share the first transaction.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const commands = this.#queue.splice(0, BATCH_MAX);
      await this.#settle(commands);
    }
    this.#running = false;
    for (const done of this.#idle.splice(0)) done();
  }

  /** Settles every command of the batch, by value or by error; never throws. */
  async #settle(commands: readonly Command[]): Promise<void> {
    let lookUp = commands.some(({ movement }) => this.#isRecent(movement));
    for (let attempt = 1; ; attempt++) {
      try {
        const outcomes = await this.#transact(commands, lookUp);
        for (let i = 0; i < commands.length; i++) {
          const outcome = outcomes[i];
          assert(outcome !== undefined, "one outcome a command");
          commands[i]?.resolve(outcome);
        }
        return;
      } catch (caught) {
        const error = caught instanceof Error ? caught : new Error(String(caught));
        // What stands under the keys is unknown after any failure: look before writing again.
        lookUp = true;
        if (isKeyTaken(error)) continue;
        const passing = isPassing(error);
        if (passing) this.#options.onTrouble(error, "a ledger batch is tried again");
        if (passing && attempt < TRIES_MAX && !(this.#closed && attempt > 2)) {
          await sleep(Math.min(RETRY_BASE_MS * 2 ** (attempt - 1), RETRY_MAX_MS));
          continue;
        }
        if (!passing && commands.length > 1) return this.#settleAlone(commands);
        const final = passing ? new LedgerUnavailable(error.message, { cause: error }) : error;
        for (const command of commands) command.reject(final);
        return;
      }
    }
  }

  /** One bad command must not take its neighbours down: each goes by itself. */
  async #settleAlone(commands: readonly Command[]): Promise<void> {
    for (const command of commands) await this.#settle([command]);
  }

  async #transact(commands: readonly Command[], lookUp: boolean): Promise<readonly Outcome[]> {
    const client = await this.#connect();
    const movements = commands.map((command) => command.movement);
    let open = true;
    try {
      const plan = await planLocked(client, movements, lookUp);
      if (plan.entries.length === 0) await client.query("ROLLBACK");
      else await this.#write(client, plan);
      open = false;
      for (const { movement } of plan.entries) this.#remember(movement);
      if (plan.entries.length > 0) this.#options.onCommitted(plan);
      return plan.outcomes;
    } catch (error) {
      if (open) await this.#undo(client);
      throw error;
    }
  }

  async #write(client: pg.Client, plan: BatchPlan): Promise<void> {
    const writes = writeBatch(client, plan.accounts, plan.entries);
    const effects = writeEffects(client, plan.entries);
    const checked = effects.filter((effect) => effect.statement.mustAffectEach);
    if (checked.length > 0) {
      await allDone([...writes, ...effects.map((effect) => effect.done)]);
      for (const { statement, expected, done } of checked) {
        if ((await done) !== expected) throw new EffectMissed(statement.name);
      }
    }
    const committed = client.query("COMMIT");
    await allDone([...writes, ...effects.map((effect) => effect.done), committed]);
    // A failed transaction answers COMMIT with ROLLBACK; its error was thrown above already.
    assert((await committed).command === "COMMIT", "the batch was committed");
  }

  async #undo(client: pg.Client): Promise<void> {
    try {
      await client.query("ROLLBACK");
    } catch {
      // The connection is gone and the server has rolled back or will; take a new one.
      await this.#disconnect();
    }
  }

  async #connect(): Promise<pg.Client> {
    if (this.#client !== null) return this.#client;
    const client = new pg.Client({
      connectionString: this.#options.databaseUrl,
      application_name: "perya-ledger",
      pipeline: true,
      stream: () => new CoalescingSocket(),
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      options: SESSION_OPTIONS,
    });
    client.on("error", (error) => {
      if (this.#client === client) this.#client = null;
      this.#options.onTrouble(error, "a ledger connection was lost");
    });
    await client.connect();
    this.#client = client;
    return client;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    // A connection that is already dead has nothing left to say.
    await client?.end().catch(() => undefined);
  }

  #isRecent({ account, key }: Movement): boolean {
    const name = entryName(account.id, key);
    return this.#recent.has(name) || this.#older.has(name);
  }

  #remember({ account, key }: Movement): void {
    if (this.#recent.size >= RECENT_KEYS) {
      this.#older = this.#recent;
      this.#recent = new Set();
    }
    this.#recent.add(entryName(account.id, key));
  }
}

/**
 * Locks the accounts and decides. A movement that is refused may be a repeat whose money has
 * been spent since, or whose target it ended itself when it was first sent, perhaps to another
 * process: it is looked up before anyone is told no.
 */
async function planLocked(
  client: pg.ClientBase,
  movements: readonly Movement[],
  lookUp: boolean,
): Promise<BatchPlan> {
  const accounts = await beginAndLock(client, accountsOf(movements));
  const wanted = keysToFind(movements, lookUp);
  const stored: ReadonlyMap<string, StoredEntry> =
    wanted.length === 0 ? new Map() : await findEntries(client, wanted);
  if (lookUp) return planBatch(movements, accounts, stored);
  // Planning writes into the states; the copy leaves them as locked for a second look.
  const copies = new Map([...accounts].map(([id, state]) => [id, { ...state }]));
  const plan = planBatch(movements, copies, stored);
  const refused = movements.filter(
    ({ account }, i) => plan.outcomes[i]?.ok === false && accounts.has(account.id),
  );
  if (refused.length === 0) return plan;
  const known = await findEntries(client, refused.flatMap(withFollowers));
  return known.size === 0 ? plan : planBatch(movements, accounts, new Map([...stored, ...known]));
}

/** Targets always; the movements' own keys when a repeat is likely. */
function keysToFind(movements: readonly Movement[], lookUp: boolean) {
  const wanted = [];
  for (const movement of movements) {
    for (const { account, key, resolves, requires } of withFollowers(movement)) {
      if (lookUp) wanted.push({ account, key });
      const target = resolves ?? requires;
      if (target !== null) wanted.push({ account, key: target });
    }
  }
  return wanted;
}

/** Waits for all, so that no answer of the pipeline is left unread, then throws the first error. */
async function allDone(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

function sqlState(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** unique_violation of the ledger's own keys: some command of the batch is a repeat. */
function isKeyTaken(error: Error): boolean {
  if (sqlState(error) !== "23505" || !("constraint" in error)) return false;
  return error.constraint === "ledger_entries_key";
}

/**
 * Serialization failure, deadlock, shutdown, lost connection, too many connections: the same
 * command may pass in a moment.
 */
function isPassing(error: Error): boolean {
  const state = sqlState(error);
  if (/^(40001|40P01|57P0[123]|08...|53300|57014)$/.test(state)) return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH)/.test(state)) return true;
  return /connection (terminated|closed|timeout)|not queryable|Connection ended/i.test(
    error.message,
  );
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
