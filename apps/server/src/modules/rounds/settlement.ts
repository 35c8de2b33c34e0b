import { isUnavailable } from "../../platform/postgres/pool.ts";
import { unlessMissed } from "../ledger/ledger.ts";

/** Two of the ledger's batches: while the wallets of one are all held, the other goes on. */
const AT_ONCE = 1_024;

/**
 * The end of many bets, which share the ledger's batches: so many are under way at once, and none
 * waits for another. One that another process has settled is done. One whose wallet or database is
 * busy is owed: it stays open, and a later search for such bets settles it.
 */
export class Settlement {
  #underWay = 0;
  #owed = 0;
  readonly #failures: unknown[] = [];
  #stepped: () => void = () => undefined;

  /** Begins one more as soon as there is room; one caller at a time. */
  async add(settle: () => Promise<void>): Promise<void> {
    if (this.#underWay >= AT_ONCE) await this.#step();
    this.#underWay += 1;
    void this.#settle(settle);
  }

  /** Does work without a wallet, such as a statement for all lost bets, before the next one. */
  async inTurn(work: () => Promise<void>): Promise<void> {
    this.#underWay += 1;
    await this.#settle(work);
  }

  /**
   * Waits for all.
   * @returns how many are owed
   * @throws the first failure that would not pass by itself, after all have been tried
   */
  async end(): Promise<number> {
    while (this.#underWay > 0) await this.#step();
    if (this.#failures.length > 0) throw this.#failures[0];
    return this.#owed;
  }

  #step(): Promise<void> {
    return new Promise((done) => {
      this.#stepped = done;
    });
  }

  async #settle(settle: () => Promise<void>): Promise<void> {
    try {
      await unlessMissed(settle);
    } catch (error) {
      if (isUnavailable(error)) this.#owed += 1;
      else this.#failures.push(error);
    }
    this.#underWay -= 1;
    this.#stepped();
  }
}
