import { setTimeout as sleep } from "node:timers/promises";
import type { TcpLine } from "../setup/tcp-line.ts";
import type { FaultDatabase } from "./fault-database.ts";

/** The jobs of a dead process run again within a minute; the rest is for polling. */
const BOUND_MS = 63_000;
const LOOK_MS = 500;
/** A beat that met a fault is repeated so much later; the bound is for a database that is up. */
const NEXT_BEAT_MS = 11_000;
/** The same write as a process's beat: a fault that blocks beats is noticed here. */
const LOOK = `
  INSERT INTO worker_processes (id, beat_at) VALUES ('campaign', now())
    ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at;
  SELECT id::text, task_identifier AS task, locked_at::text AS "lockedAt"
    FROM graphile_worker.jobs WHERE locked_by IS NOT NULL`;

interface Locked {
  readonly id: string;
  readonly task: string;
  readonly lockedAt: string;
}

/** Jobs that a server held when it was killed, until another takes them over. */
export class Orphans {
  readonly #database: FaultDatabase;
  readonly #line: TcpLine;
  readonly #held = new Map<string, { readonly task: string; readonly killedAt: number }>();
  #late: string[] = [];
  #excuseMs = 0;
  #seen = 0;
  #longestMs = 0;
  #closed = false;

  constructor(database: FaultDatabase, line: TcpLine) {
    this.#database = database;
    this.#line = line;
    void this.#watch();
  }

  /** Whether all have been taken over. */
  get areNone(): boolean {
    return this.#held.size === 0;
  }

  /** How many there were, and the longest wait, without the time of database faults. */
  get told(): string {
    const seconds = (this.#longestMs / 1_000).toFixed(1);
    return `${this.#seen} jobs of killed servers, the last taken over after ${seconds} s`;
  }

  /** Jobs that are locked now belong to the killed server, or are done in no time. */
  async note(): Promise<void> {
    const killedAt = this.#now();
    for (const one of await this.#locked()) {
      const key = keyOf(one);
      if (!this.#held.has(key)) this.#held.set(key, { task: one.task, killedAt });
    }
  }

  /** The jobs that have waited too long since the last call. */
  takeLate(): string[] {
    const late = this.#late;
    this.#late = [];
    return late;
  }

  close(): void {
    this.#closed = true;
  }

  /** Time that counts only while the database accepts beats. */
  #now(): number {
    return performance.now() - this.#excuseMs;
  }

  async #watch(): Promise<void> {
    let troubles = this.#troubles();
    let lookedAt = performance.now();
    let isTroubled = false;
    while (!this.#closed) {
      await sleep(LOOK_MS);
      const locked = await this.#locked().catch(() => null);
      const now = performance.now();
      const met = this.#troubles();
      const isWell = locked !== null && met === troubles && now - lookedAt < 4 * LOOK_MS;
      if (!isWell) this.#excuseMs += now - lookedAt;
      else if (isTroubled) this.#excuseMs += NEXT_BEAT_MS;
      isTroubled = !isWell;
      troubles = met;
      lookedAt = now;
      if (locked !== null) this.#compare(new Set(locked.map(keyOf)));
    }
  }

  #compare(locked: ReadonlySet<string>): void {
    for (const [key, { task, killedAt }] of this.#held) {
      const waitedMs = this.#now() - killedAt;
      if (locked.has(key) && waitedMs <= BOUND_MS) continue;
      this.#held.delete(key);
      if (locked.has(key)) this.#late.push(`job ${task} ${key} is still its dead server's`);
      // A job that is done within a second belonged to a living server.
      else if (waitedMs > 1_000) {
        this.#seen++;
        this.#longestMs = Math.max(this.#longestMs, waitedMs);
      }
    }
  }

  #troubles(): number {
    const { silenced, delayed, lost, cut, refused } = this.#line.counts;
    return silenced + delayed + lost + cut + refused;
  }

  async #locked(): Promise<readonly Locked[]> {
    // There is one result per statement.
    const results: unknown = await this.#database.ask(LOOK);
    const last = Array.isArray(results) ? results.at(-1) : results;
    return last.rows;
  }
}

function keyOf({ id, lockedAt }: Locked): string {
  return `${id} ${lockedAt}`;
}
