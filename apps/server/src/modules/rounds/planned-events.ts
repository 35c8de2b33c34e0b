import { seedHash } from "@perya/games/fairness";
import { type Clock, type Entropy, HOUR_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { addJobs, type NewJob } from "../../platform/jobs.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { LedgerUnavailable } from "../ledger/ledger.ts";

/** An event that could not be ended for so long after its time is void, and its stakes go back. */
export const LATEST_MS = HOUR_MS;
/** Between two searches for events whose job came to nothing. */
const OVERDUE_MS = MINUTE_MS;
const OVERDUE_MAX = 200;

export interface EventRow {
  readonly id: string;
  readonly server_seed: string;
  readonly seed_hash: string;
  /** `open` until its end. */
  readonly state: string;
  readonly settled_at: Date | null;
}

interface PlannedGame<Event extends EventRow> {
  /** The job that ends an event. `word` names an event in error messages. */
  readonly task: string;
  readonly word: string;
  readonly table: string;
  /** The column of the instant at which an event ends. */
  readonly dueColumn: keyof Event & string;
  /** An event is unique by its kind and its time. */
  readonly kindColumn: string;
  readonly timeColumn: string;
  readonly find: (id: string) => Promise<Event | null>;
  /** Ends an open one, by its seed or as void; one that another process ended stays as it is. */
  readonly finish: (event: Event, isVoid: boolean) => Promise<void>;
  /** Ends the bets of an ended event, and answers how many are owed. */
  readonly settle: (id: string) => Promise<number>;
}

/**
 * Events are planned ahead. Each has a job that ends it. Any process may run the job; the row's state
 * lets only one end the event. What the bets get follows from the seed alone, so if a process dies
 * while it pays, another pays the rest.
 */
export class PlannedEvents<Event extends EventRow> {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #game: PlannedGame<Event>;

  constructor({ pool, clock }: { pool: pg.Pool; clock: Clock }, game: PlannedGame<Event>) {
    this.#pool = pool;
    this.#clock = clock;
    this.#game = game;
  }

  /** The instants after `from` and up to `until` that have an event of a kind. */
  async plannedTimes(kind: string, from: Instant, until: Instant): Promise<Set<Instant>> {
    const { table, kindColumn, timeColumn } = this.#game;
    const { rows } = await this.#pool.query<{ at: Date }>(
      `SELECT ${timeColumn} AS at FROM ${table} WHERE ${kindColumn} = $1
         AND ${timeColumn} > to_timestamp($2 / 1000.0)
         AND ${timeColumn} <= to_timestamp($3 / 1000.0)`,
      [kind, from, until],
    );
    return new Set(rows.map(({ at }) => at.getTime()));
  }

  /**
   * Stores events and their jobs together; one that another process planned is left.
   * @param insert takes the events as a jsonb array and the instant in milliseconds, and returns
   *   `id` and `due` of those that are new
   */
  async add(insert: string, events: readonly object[]): Promise<void> {
    if (events.length === 0) return;
    await withTransaction(this.#pool, async (client) => {
      const values = [JSON.stringify(events), this.#clock.now()];
      const { rows } = await client.query<{ id: string; due: Date }>(insert, values);
      await addJobs(
        client,
        rows.map(({ id, due }) => this.#jobOf(id, due.getTime())),
      );
    });
  }

  async takeUp(): Promise<void> {
    const { table, dueColumn } = this.#game;
    const now = this.#clock.now();
    const { rows } = await this.#pool.query<{ id: string }>(
      `SELECT id FROM ${table}
       WHERE settled_at IS NULL AND ${dueColumn} < to_timestamp($1 / 1000.0)
       ORDER BY ${dueColumn} LIMIT $2`,
      [now - OVERDUE_MS, OVERDUE_MAX],
    );
    const jobs = rows.map(({ id }) => ({ ...this.#jobOf(id, now), unlessRunning: true }));
    await addJobs(this.#pool, jobs);
  }

  /**
   * Ends an event whose time has come, and its bets; a repetition is harmless.
   * @throws Error before its time
   * @throws LedgerUnavailable if a wallet was busy, after all others have been settled
   */
  async end(id: string): Promise<void> {
    const { word, table, dueColumn, find, finish, settle } = this.#game;
    const now = this.#clock.now();
    const event = await find(id);
    if (event === null || event.settled_at !== null) return;
    const due = event[dueColumn] as Date; // as PlannedGame says of the column
    const lateMs = now - due.getTime();
    // Jobs run by the database's clock; if it is ahead of ours, the worker tries again later.
    if (lateMs < 0) throw new Error(`${word} ${id} is not due yet`);
    if (event.state === "open") {
      const isSound = seedHash(event.server_seed) === event.seed_hash && lateMs <= LATEST_MS;
      await finish(event, !isSound);
    }
    const owed = await settle(id);
    if (owed > 0) throw new LedgerUnavailable(`${word} ${id} owes ${owed} bets`);
    await this.#pool.query(
      `UPDATE ${table} SET settled_at = to_timestamp($2 / 1000.0)
       WHERE id = $1 AND settled_at IS NULL`,
      [id, this.#clock.now()],
    );
  }

  #jobOf(id: string, runAt: Instant): NewJob {
    const { task } = this.#game;
    return { task, payload: { id }, key: `${task}:${id}`, runAt };
  }
}

/** A secret server seed, and its public hash. */
export function newSeed(entropy: Entropy): {
  readonly server_seed: string;
  readonly seed_hash: string;
} {
  const seed = Buffer.from(entropy.bytes(32)).toString("hex");
  return { server_seed: seed, seed_hash: seedHash(seed) };
}
