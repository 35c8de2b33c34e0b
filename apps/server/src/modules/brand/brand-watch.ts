import { repeat } from "../../platform/repeat.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import { findInMaintenance } from "./brand.store.ts";

export interface BrandWatchOptions extends Pick<ModuleParts, "pool" | "log"> {
  readonly everyMs: number;
  /** A brand was closed to its players or opened again; each process tells its own sockets. */
  readonly onChange: (merchantId: string, maintenance: boolean) => void;
}

/**
 * Sees which brands are under maintenance, also if another process set it. Each process looks by
 * itself, so that none depends on a message that may be lost.
 */
export class BrandWatch {
  readonly #options: BrandWatchOptions;
  #closed: ReadonlySet<string> | null = null;
  readonly #ending = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  constructor(options: BrandWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { everyMs, log } = this.#options;
    let blind = false;
    const look = async () => {
      try {
        await this.look();
        blind = false;
      } catch (error) {
        // Once while it lasts: the database logs the rest itself.
        if (!blind) log.warn({ err: error }, "the state of the brands was not seen");
        blind = true;
      }
    };
    this.#watching = repeat(look, () => everyMs, this.#ending.signal);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#watching;
  }

  /** The result of the last look; looks now if there was none yet. */
  async isUnderMaintenance(merchantId: string): Promise<boolean> {
    if (this.#closed === null) await this.look();
    return this.#closed?.has(merchantId) === true;
  }

  async look(): Promise<void> {
    const closed = new Set(await findInMaintenance(this.#options.pool));
    const earlier = this.#closed;
    this.#closed = closed;
    // Before the first look no socket was told anything.
    if (earlier === null) return;
    for (const id of closed) if (!earlier.has(id)) this.#options.onChange(id, true);
    for (const id of earlier) if (!closed.has(id)) this.#options.onChange(id, false);
  }
}
