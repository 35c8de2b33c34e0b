import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "@perya/kernel/assert";
import type { Result } from "@perya/kernel/result";
import type pg from "pg";
import { CoalescingSocket } from "../../platform/postgres/coalescing-socket.ts";
import { isUnavailable } from "../../platform/postgres/pool.ts";
import { constraintOf } from "../../platform/postgres/violations.ts";
import { isUnanswered, WatchfulClient } from "../../platform/postgres/watchful-client.ts";
import { laneOf } from "./account.ts";
import { type BatchPlan, entryName, planBatch, type StoredEntry } from "./batch.ts";
import {
  accountsOf,
  beginAndLock,
  EffectHeld,
  findEntries,
  freeAmong,
  isLockTimeout,
  writeBatch,
  writeEffects,
  writeTotals,
} from "./ledger.store.ts";
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
  /** When it was submitted, on the monotonic clock. */
  readonly sinceMs: number;
  /** It was set aside, and has waited there for as long as it may. */
  late: boolean;
}

/** The commands of one account that were set aside, in order. */
interface Aside {
  readonly id: string;
  readonly waiting: Command[];
  /** Whether others of its commands are being tried just now. */
  trying: boolean;
  /** Whether its trouble was logged. */
  told: boolean;
  /** Timers that keep it here, even with nothing to do. */
  keptBy: number;
}

/** Commands that failed because somebody holds what they need; nothing of them is booked. */
interface Held {
  readonly commands: readonly Command[];
  readonly error: Error;
}

export interface WriterOptions {
  readonly databaseUrl: string;
  /** Connections that write; each owns the lanes whose number modulo this is its own. */
  readonly writers: number;
  readonly onCommitted: (plan: BatchPlan) => void;
  readonly onTrouble: (error: Error, what: string) => void;
  readonly elapsed: () => number;
  /** The database is a Citus coordinator: rows are locked lane by lane. */
  readonly isCluster: boolean;
}

/** Commands per transaction at most: it limits the p99 and the time of locks. */
const BATCH_MAX = 512;
/** Commands that may wait for one connection; beyond it the caller must try again. */
const QUEUE_MAX = 20_000;
/**
 * How long a command waits before it is begun, over lost connections, restarts and times without
 * writes. After that its sender is about to give up, and the basis of its judgement is old.
 */
const WAIT_MAX_MS = 10_000;
/** Tries of one batch by a writer that is about to end. */
const CLOSING_TRIES_MAX = 3;
const RETRY_BASE_MS = 20;
const RETRY_MAX_MS = 2_000;
/** Keys remembered per generation, to look a probable repeat up before it breaks a batch. */
const RECENT_KEYS = 50_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A host that refuses does so within this time; an unreachable one takes seconds each time. */
const AT_ONCE_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** How long a batch waits for a held row: many times what another's batch takes. */
const LOCK_TIMEOUT_MS = 300;
/** How long commands wait whose rows are held for longer than that. */
const HELD_MAX_MS = 4_000;
/**
 * PostgreSQL undoes a batch after this much silence of ours within it: a batch calls nobody
 * outside, and while it is stopped it holds counters that all others need. Shorter than they wait.
 */
const SILENT_MAX_MS = 2_000;
/**
 * How long an account is tried beside the others after a command of it missed: such a command
 * undoes all of its batch, and a player who sends them on purpose sends more.
 */
const MISSED_ASIDE_MS = 30_000;
/** Tries of one batch to find out what is held, before all of it is set aside. */
const HELD_ROUNDS_MAX = 3;
/**
 * Plans are made once, not per batch, and join by walking the batch's array in its order: rows are
 * locked in that order, the same in every process.
 */
const SESSION_OPTIONS =
  "-c plan_cache_mode=force_generic_plan -c enable_hashjoin=off -c enable_mergejoin=off" +
  ` -c lock_timeout=${LOCK_TIMEOUT_MS}`;
/** A coordinator sends a statement on by the values in it, so it plans each anew. */
const CLUSTER_SESSION_OPTIONS = `-c lock_timeout=${LOCK_TIMEOUT_MS}`;

/**
 * Batches without timers: while one transaction runs, commands for its lanes queue, and all that
 * queued go into the next one. A batch never waits long for a held row: the accounts concerned are
 * set aside and tried on a connection of their own, until they are free or their commands' time is
 * over.
 */
export class Writer {
  readonly #options: WriterOptions;
  #queue: Command[] = [];
  #running = false;
  #closed = false;
  readonly #line: Line;
  readonly #lineAside: Line;
  /** By account, the longest untried first; one with no commands was held a moment ago. */
  readonly #aside = new Map<string, Aside>();
  #asideRunning = false;
  #recent = new Set<string>();
  #older = new Set<string>();
  #idle: (() => void)[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#line = new Line(options);
    this.#lineAside = new Line(options);
  }

  submit(movement: Movement): Promise<Outcome> {
    if (this.#closed) return Promise.reject(new LedgerUnavailable("the ledger is closing"));
    if (this.#queue.length >= QUEUE_MAX) {
      return Promise.reject(new LedgerUnavailable("too many commands are waiting"));
    }
    return new Promise((resolve, reject) => {
      const sinceMs = this.#options.elapsed();
      this.#queue.push({ movement, resolve, reject, sinceMs, late: false });
      if (!this.#running) void this.#drain();
    });
  }

  /** Takes no more commands, finishes those that wait, and hangs up. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#running || this.#asideRunning) {
      await new Promise<void>((done) => this.#idle.push(done));
    }
    await Promise.all([this.#line.hangUp(), this.#lineAside.hangUp()]);
  }

  async #drain(): Promise<void> {
    this.#running = true;
    // One turn's wait lets commands of the same tick share the first transaction.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const taken = this.#queue.splice(0, BATCH_MAX);
      const commands = this.#aside.size === 0 ? taken : this.#sortOut(taken);
      await this.#settleFree(commands);
    }
    this.#running = false;
    this.#tellIdle();
  }

  #tellIdle(): void {
    if (this.#running || this.#asideRunning) return;
    for (const done of this.#idle.splice(0)) done();
  }

  /** Commands whose account is not aside; the others wait behind their account's. */
  #sortOut(commands: readonly Command[]): readonly Command[] {
    const isAside = ({ movement }: Command) => this.#aside.has(movement.account.id);
    this.#setAside(commands.filter(isAside));
    return commands.filter((command) => !isAside(command));
  }

  /** Settles what nobody holds, and sets the rest aside. */
  async #settleFree(commands: readonly Command[]): Promise<void> {
    let left = commands;
    for (let round = 1; left.length > 0; round++) {
      const held = await this.#settle(this.#line, left);
      if (held === null) return;
      const free = round < HELD_ROUNDS_MAX ? await this.#freeAmong(held) : new Set<string>();
      const isFree = ({ movement }: Command) => free.has(movement.account.id);
      this.#setAside(held.commands.filter((command) => !isFree(command)));
      left = held.commands.filter(isFree);
    }
  }

  /** The accounts whose rows no other transaction seems to have locked. */
  async #freeAmong({ commands, error }: Held): Promise<ReadonlySet<string>> {
    if (error instanceof EffectHeld) {
      const all = new Set(commands.map(({ movement }) => movement.account.id));
      for (const { movement } of commands) {
        if (hasEffect(movement, error.statement)) all.delete(movement.account.id);
      }
      return all;
    }
    return this.#freeNow(this.#line, commands);
  }

  /** The accounts whose row nobody holds; none if that cannot be told. */
  async #freeNow(line: Line, commands: readonly Command[]): Promise<ReadonlySet<string>> {
    const accounts = accountsOf(commands.map(({ movement }) => movement));
    const free = line
      .connect()
      .then((client) => freeAmong(client, accounts, this.#options.isCluster));
    return free.catch(() => new Set());
  }

  #setAside(commands: readonly Command[]): void {
    for (const command of commands) {
      const aside = this.#asideOf(command);
      aside.waiting.push(command);
      setTimeout(() => this.#giveUp(command, aside), HELD_MAX_MS).unref();
    }
    if (!this.#asideRunning) void this.#drainAside();
  }

  #asideOf({ movement }: Command): Aside {
    const { id } = movement.account;
    const known = this.#aside.get(id);
    if (known !== undefined) return known;
    const fresh: Aside = { id, waiting: [], trying: false, told: false, keptBy: 0 };
    this.#aside.set(id, fresh);
    return fresh;
  }

  /** A command that is done ignores this, and one that is being tried learns it from that try. */
  #giveUp(command: Command, aside: Aside): void {
    command.late = true;
    const at = aside.waiting.indexOf(command);
    if (at < 0) return;
    this.#refuse(aside.waiting.splice(at, 1));
    this.#forgetInTime(aside);
  }

  #refuse(commands: readonly Command[], cause?: Error): void {
    const busy = new LedgerUnavailable("the wallet is held by somebody else", { cause });
    for (const command of commands) {
      const aside = this.#asideOf(command);
      if (!aside.told) this.#options.onTrouble(cause ?? busy, "a wallet is held by somebody else");
      aside.told = true;
      command.reject(busy);
    }
  }

  /** Its next command is likely to find it held as well, and must not delay a batch. */
  #forgetInTime(aside: Aside, afterMs = HELD_MAX_MS): void {
    aside.keptBy++;
    setTimeout(() => {
      aside.keptBy--;
      this.#forgetIfOver(aside);
    }, afterMs).unref();
  }

  #forgetIfOver({ id, waiting, trying, keptBy }: Aside): void {
    if (waiting.length === 0 && !trying && keptBy === 0) this.#aside.delete(id);
  }

  #waitingAside(): Aside[] {
    return [...this.#aside.values()].filter(({ waiting }) => waiting.length > 0);
  }

  /**
   * Tries what was set aside until it is done or late. Each round settles what is free together,
   * and waits for one that is not: a check of free rows alone would never get a row that several
   * hold one after the other.
   */
  async #drainAside(): Promise<void> {
    this.#asideRunning = true;
    for (let all = this.#waitingAside(); all.length > 0; all = this.#waitingAside()) {
      for (let at = 0; at < all.length; at += BATCH_MAX) {
        await this.#tryFree(all.slice(at, at + BATCH_MAX));
      }
      const [next] = this.#waitingAside();
      if (next !== undefined) await this.#tryAside([next]);
    }
    await this.#lineAside.hangUp();
    this.#asideRunning = false;
    // Some may have come while it hung up.
    if (this.#waitingAside().length > 0) void this.#drainAside();
    else this.#tellIdle();
  }

  /** Settles those of the given accounts that nobody holds. */
  async #tryFree(given: readonly Aside[]): Promise<void> {
    const commands = given.flatMap(({ waiting }) => waiting);
    const free = await this.#freeNow(this.#lineAside, commands);
    const tried = given.filter(({ id }) => free.has(id));
    // Something that they need may be held all the same, such as a lane's counter; it is unknown
    // whose.
    await this.#tryHalves(tried.sort((a, b) => laneOf(a.id) - laneOf(b.id)));
  }

  /**
   * Settles what is not held, by ever smaller halves. If both halves of one lane are held, it is
   * likely their counter, which all of them need: those wait for the next round.
   */
  async #tryHalves(given: readonly Aside[]): Promise<void> {
    if ((await this.#tryAside(given)) || given.length === 1) return;
    const lanes = [...new Set(given.map(({ id }) => laneOf(id)))];
    const middle = lanes[Math.ceil(lanes.length / 2)];
    if (middle !== undefined) {
      await this.#tryHalves(given.filter(({ id }) => laneOf(id) < middle));
      await this.#tryHalves(given.filter(({ id }) => laneOf(id) >= middle));
      return;
    }
    const [front, back] = [given.slice(0, given.length / 2), given.slice(given.length / 2)];
    const isFree = [await this.#tryAside(front), await this.#tryAside(back)];
    if (isFree[0] !== isFree[1]) await this.#tryHalves(isFree[0] ? back : front);
  }

  /** Whether all that was tried is done. */
  async #tryAside(given: readonly Aside[]): Promise<boolean> {
    // An account with nothing left may have been forgotten since.
    const tried = given.filter(({ waiting }) => waiting.length > 0);
    const commands: Command[] = [];
    for (const aside of tried) {
      commands.push(...aside.waiting.splice(0, BATCH_MAX - commands.length));
      aside.trying = true;
      // To the end of the queue.
      this.#aside.delete(aside.id);
      this.#aside.set(aside.id, aside);
    }
    const held = await this.#settle(this.#lineAside, commands);
    const left = held?.commands ?? [];
    for (const command of left.filter(({ late }) => !late).reverse()) {
      this.#asideOf(command).waiting.unshift(command);
    }
    this.#refuse(
      left.filter(({ late }) => late),
      held?.error,
    );
    const stillHeld = new Set(left.map(({ movement }) => movement.account.id));
    for (const aside of tried) {
      aside.trying = false;
      if (aside.waiting.length > 0) continue;
      if (stillHeld.has(aside.id)) this.#forgetInTime(aside);
      else this.#forgetIfOver(aside);
    }
    return held === null;
  }

  /** Commands that may still be begun; the others fail because it took too long. */
  #inTime(commands: readonly Command[], cause?: Error): readonly Command[] {
    const elapsed = this.#options.elapsed();
    const isLate = (command: Command) => elapsed - command.sinceMs > WAIT_MAX_MS;
    const late = commands.filter(isLate);
    if (late.length === 0) return commands;
    const busy = new LedgerUnavailable("the ledger took too long", { cause });
    this.#options.onTrouble(busy, "commands waited too long for the ledger");
    for (const command of late) command.reject(busy);
    return commands.filter((command) => !isLate(command));
  }

  /** Settles every command but the held ones by value or by error; never throws. */
  async #settle(line: Line, given: readonly Command[]): Promise<Held | null> {
    let commands = this.#inTime(given);
    if (commands.length === 0) return null;
    let lookUp = commands.some(({ movement }) => this.#isRecent(movement));
    for (let attempt = 1; ; attempt++) {
      try {
        const outcomes = await this.#transact(line, commands, lookUp);
        for (const [i, command] of commands.entries()) {
          const outcome = outcomes[i];
          assert(outcome !== undefined, "one outcome a command");
          command.resolve(outcome);
        }
        return null;
      } catch (caught) {
        const error = caught instanceof Error ? caught : new Error(String(caught));
        // After any failure the entries under the keys are unknown: look before writing again.
        lookUp = true;
        if (isKeyTaken(error) || error instanceof Lapsed) continue;
        if (error instanceof EffectHeld || isLockTimeout(error)) return { commands, error };
        const passing = isUnavailable(error);
        const away = passing || error instanceof NotConnected;
        if (away) this.#options.onTrouble(error, "a ledger batch found no database");
        const isEnding = this.#closed && attempt >= CLOSING_TRIES_MAX;
        if (passing && !isEnding && !isTimeout(error)) {
          await sleep(Math.min(RETRY_BASE_MS * 2 ** (attempt - 1), RETRY_MAX_MS));
          commands = this.#inTime(commands, error);
          if (commands.length > 0) continue;
        }
        if (!away && commands.length > 1) return this.#settleHalves(line, commands);
        const final = away ? new LedgerUnavailable(error.message, { cause: error }) : error;
        for (const command of commands) {
          if (error instanceof EffectMissed) {
            this.#forgetInTime(this.#asideOf(command), MISSED_ASIDE_MS);
          }
          command.reject(final);
        }
        // Commands that came meanwhile would wait as long, one batch after the other, for the same.
        if (away && line === this.#line) {
          for (const command of this.#queue.splice(0)) command.reject(final);
        }
        return null;
      }
    }
  }

  /** One bad command must not fail its neighbours: each half goes by itself. */
  async #settleHalves(line: Line, commands: readonly Command[]): Promise<Held | null> {
    const middle = Math.ceil(commands.length / 2);
    const behind = commands.slice(middle);
    const held = await this.#settle(line, commands.slice(0, middle));
    // Those after the held one have not been tried, and need not wait for it.
    if (held !== null) return { ...held, commands: [...held.commands, ...behind] };
    return this.#settle(line, behind);
  }

  async #transact(
    line: Line,
    commands: readonly Command[],
    lookUp: boolean,
  ): Promise<readonly Outcome[]> {
    const client = await line.connect();
    const movements = commands.map((command) => command.movement);
    try {
      const plan = await planLocked(client, movements, lookUp, this.#options.isCluster);
      if (plan.entries.length === 0) await client.query("ROLLBACK");
      else await this.#write(client, plan);
      for (const { movement } of plan.entries) this.#remember(movement);
      if (plan.entries.length > 0) this.#options.onCommitted(plan);
      return plan.outcomes;
    } catch (error) {
      await line.undo(client);
      throw error;
    }
  }

  async #write(client: pg.Client, plan: BatchPlan): Promise<void> {
    const writes = writeBatch(client, plan.accounts, plan.entries);
    const effects = writeEffects(client, plan.entries);
    // Last: a batch that waits for an effect's row must hold nothing that other accounts need.
    const totalled = writeTotals(client, plan.entries);
    // In the order in which they were sent: the first failure is the cause of the others.
    const sent = [...writes, ...effects.map((effect) => effect.done), totalled];
    const checked = effects.filter((effect) => effect.statement.mustAffectEach);
    const canLapse = plan.entries.some(({ movement }) => movement.hasLapsed !== null);
    if (checked.length > 0 || canLapse) {
      await allDone(sent);
      for (const { statement, expected, done } of checked) {
        if ((await done) !== expected) throw new EffectMissed(statement.name);
      }
      // It may have waited for its rows.
      if (plan.entries.some(({ movement }) => hasLapsed(movement))) throw new Lapsed();
    }
    const committed = client.query("COMMIT");
    await allDone([...sent, committed]);
    // A failed transaction answers COMMIT with ROLLBACK; its error was thrown above already.
    assert((await committed).command === "COMMIT", "the batch was committed");
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

/** A movement lapsed while its batch was being written: the batch is planned anew without it. */
class Lapsed extends Error {
  override name = "Lapsed";
}

/** No connection could be made, for any reason: nothing was begun. */
class NotConnected extends Error {
  override name = "NotConnected";

  /** Whether that was found out at once, as when the database is just starting. */
  readonly atOnce: boolean;

  constructor(cause: unknown, atOnce: boolean) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the ledger has no database: ${reason}`, { cause });
    this.atOnce = atOnce;
  }
}

/** A connection that is made again when it is lost. */
class Line {
  readonly #options: WriterOptions;
  #client: pg.Client | null = null;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async undo(client: pg.Client): Promise<void> {
    try {
      await client.query("ROLLBACK");
    } catch {
      // The connection is gone, and the server has rolled back or will; take a new one.
      await this.hangUp();
    }
  }

  async connect(): Promise<pg.Client> {
    if (this.#client !== null) return this.#client;
    const client = new WatchfulClient({
      connectionString: this.#options.databaseUrl,
      application_name: "perya-ledger",
      pipeline: true,
      stream: () => new CoalescingSocket(),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: SILENT_MAX_MS,
      options: this.#options.isCluster ? CLUSTER_SESSION_OPTIONS : SESSION_OPTIONS,
    });
    client.on("error", (error) => {
      if (this.#client === client) this.#client = null;
      this.#options.onTrouble(error, "a ledger connection was lost");
    });
    const soon = AbortSignal.timeout(AT_ONCE_MS);
    await client.connect().catch((error: unknown) => {
      throw new NotConnected(error, !soon.aborted);
    });
    this.#client = client;
    return client;
  }

  async hangUp(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    // A connection that is already dead answers nothing more.
    await client?.end().catch(() => undefined);
  }
}

function hasEffect(movement: Movement, statement: string): boolean {
  return withFollowers(movement).some(({ effects }) =>
    effects.some((effect) => effect.statement.name === statement),
  );
}

/**
 * Locks the accounts and decides. A refused movement may be a repeat whose money has been spent
 * since, or whose target it ended itself when it was first sent, perhaps in another process: it is
 * looked up before it is refused.
 */
async function planLocked(
  client: pg.ClientBase,
  movements: readonly Movement[],
  lookUp: boolean,
  isCluster: boolean,
): Promise<BatchPlan> {
  const given = { isCluster, lockTimeoutMs: LOCK_TIMEOUT_MS };
  const accounts = await beginAndLock(client, accountsOf(movements), given);
  const wanted = keysToFind(movements, lookUp);
  const stored: ReadonlyMap<string, StoredEntry> =
    wanted.length === 0 ? new Map() : await findEntries(client, wanted);
  const lapsed = new Set(movements.filter(hasLapsed));
  // Planning writes into the states; the copy keeps them as locked for a second look.
  const copies = new Map([...accounts].map(([id, state]) => [id, { ...state }]));
  const plan = planBatch(movements, copies, stored, lapsed);
  const refused = movements.filter(
    ({ account }, i) => plan.outcomes[i]?.ok === false && accounts.has(account.id),
  );
  if (refused.length === 0) return plan;
  const known = await findEntries(client, refused.flatMap(withFollowers));
  return planBatch(movements, accounts, new Map([...stored, ...known]), lapsed);
}

function hasLapsed(movement: Movement): boolean {
  return movement.hasLapsed?.() ?? false;
}

/** Targets always; the movements' own keys if a repeat is likely. */
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

/** unique_violation of the ledger's own keys: some command of the batch is a repeat. */
function isKeyTaken(error: Error): boolean {
  return constraintOf(error) === "ledger_entries_key";
}

/** It has taken longer than anybody waits for an answer: trying again would delay the others. */
function isTimeout(error: Error): boolean {
  if (error instanceof NotConnected) return !error.atOnce;
  return Reflect.get(error, "code") === "57014" || isUnanswered(error);
}
