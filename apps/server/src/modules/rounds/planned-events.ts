import { seedHash } from "@perya/games/fairness";
import { type Clock, type Entropy, HOUR_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { addJobs } from "../../platform/jobs.ts";
import { PlannedJobs, type PlannedTable } from "../../platform/planned-jobs.ts";
import { withTransaction } from "../../platform/postgres/pool.ts";
import { LedgerUnavailable } from "../ledger/ledger.ts";

/** An event that could not be ended for so long after its time is void, and its stakes go back. */
export const LATEST_MS = HOUR_MS;
export interface EventRow {
  readonly id: string;
  readonly server_seed: string;
  readonly seed_hash: string;
  /** `open` until its end. */
  readonly state: string;
  readonly settled_at: Date | null;
}

interface PlannedGame<Event extends EventRow> extends Omit<PlannedTable, "endedColumn"> {
  readonly dueColumn: keyof Event & string;
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
  readonly jobs: PlannedJobs;

  constructor({ pool, clock }: { pool: pg.Pool; clock: Clock }, game: PlannedGame<Event>) {
    this.#pool = pool;
    this.#clock = clock;
    this.#game = game;
    this.jobs = new PlannedJobs(pool, { ...game, endedColumn: "settled_at" });
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
        rows.map(({ id, due }) => this.jobs.jobOf(id, due.getTime())),
      );
    });
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
    const lateMs = this.jobs.lateMs(id, due, now);
    if (event.state === "open") await finish(event, !endsBySeed(event, lateMs, LATEST_MS));
    const owed = await settle(id);
    if (owed > 0) throw new LedgerUnavailable(`${word} ${id} owes ${owed} bets`);
    await this.#pool.query(
      `UPDATE ${table} SET settled_at = to_timestamp($2 / 1000.0)
       WHERE id = $1 AND settled_at IS NULL`,
      [id, this.#clock.now()],
    );
  }
}

/** Whether an event ends by its seed. It is void if that is not the announced one, or too late. */
export function endsBySeed(
  { server_seed, seed_hash }: Pick<EventRow, "server_seed" | "seed_hash">,
  lateMs: number,
  latestMs: number,
): boolean {
  return seedHash(server_seed) === seed_hash && lateMs <= latestMs;
}

/** A secret server seed, and its public hash. */
export function newSeed(entropy: Entropy): {
  readonly server_seed: string;
  readonly seed_hash: string;
} {
  const seed = Buffer.from(entropy.bytes(32)).toString("hex");
  return { server_seed: seed, seed_hash: seedHash(seed) };
}
