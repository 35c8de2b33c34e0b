import type pg from "pg";
import type { Logger } from "../../platform/log.ts";
import { findInMaintenance } from "./brand.store.ts";

export interface BrandWatchOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly everyMs: number;
  /** A brand was closed to its players or opened again; told by each process to its own sockets. */
  readonly onChange: (merchantId: string, maintenance: boolean) => void;
}

/**
 * Sees which brands are under maintenance, whoever set it and wherever. Each process looks by
 * itself, so that none depends on a word that may be lost.
 */
export class BrandWatch {
  readonly #options: BrandWatchOptions;
  #closed: ReadonlySet<string> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();
  #stopping = false;
  #blind = false;

  constructor(options: BrandWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { everyMs, log } = this.#options;
    const next = () => {
      if (this.#stopping) return;
      this.#timer = setTimeout(() => {
        this.#looking = this.look()
          .then(() => {
            this.#blind = false;
          })
          .catch((error) => {
            // Once for as long as it lasts: the database says the rest of itself.
            if (!this.#blind) log.warn({ err: error }, "the state of the brands was not seen");
            this.#blind = true;
          })
          .then(next);
      }, everyMs);
      this.#timer.unref();
    };
    next();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#looking;
  }

  /** What the last look saw; looks now where there was none yet. */
  async isUnderMaintenance(merchantId: string): Promise<boolean> {
    if (this.#closed === null) await this.look();
    return this.#closed?.has(merchantId) === true;
  }

  async look(): Promise<void> {
    const closed = new Set(await findInMaintenance(this.#options.pool));
    const before = this.#closed;
    this.#closed = closed;
    // Before the first look no socket was told anything.
    if (before === null) return;
    for (const id of closed) if (!before.has(id)) this.#options.onChange(id, true);
    for (const id of before) if (!closed.has(id)) this.#options.onChange(id, false);
  }
}
