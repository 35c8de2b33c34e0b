import { SECOND_MS } from "@perya/kernel/instant";
import { Unavailable } from "./unavailable.ts";

/** As long as anybody waits for a connection of the database. */
const WAIT_MAX_MS = 5 * SECOND_MS;

/** Thrown to whoever has waited for a turn for too long, or finds too many waiting. */
export class NoTurn extends Unavailable {
  override name = "NoTurn";
}

/** Whether nobody waits any more for what is being done. */
export type HasHungUp = () => boolean;

/** How many are at work at once, and how many may wait behind them. */
export interface Line {
  readonly max: number;
  readonly waitingMax: number;
  readonly hasHungUp?: HasHungUp | undefined;
}

/** Who is at work under a name, and who waits for that. */
export class Turns {
  readonly #lines = new Map<string, { working: number; waiting: (() => void)[] }>();

  /**
   * Waits until fewer than `max` are at work under the name; answers what ends one's own turn.
   * @throws NoTurn after five seconds, and at once where `waitingMax` others wait
   */
  async take(name: string, max: number, waitingMax = Infinity): Promise<() => void> {
    const line = this.#lines.get(name) ?? { working: 0, waiting: [] };
    this.#lines.set(name, line);
    if (line.working < max) line.working++;
    else if (line.waiting.length >= waitingMax) throw new NoTurn("too many wait for a turn");
    else {
      await new Promise<void>((done, fail) => {
        const go = () => {
          clearTimeout(timer);
          done();
        };
        const timer = setTimeout(() => {
          line.waiting.splice(line.waiting.indexOf(go), 1);
          fail(new NoTurn("waited too long for a turn"));
        }, WAIT_MAX_MS);
        line.waiting.push(go);
      });
    }
    return () => {
      // Whoever goes next takes the place over.
      const next = line.waiting.shift();
      if (next !== undefined) next();
      else if (--line.working === 0) this.#lines.delete(name);
    };
  }

  /**
   * Does the work in a turn of its own, and none for who has hung up by then.
   * @throws NoTurn as `take` does, and to who has hung up
   */
  async run<T>(
    name: string,
    { max, waitingMax, hasHungUp }: Line,
    work: () => Promise<T>,
  ): Promise<T> {
    const end = await this.take(name, max, waitingMax);
    try {
      if (hasHungUp?.() === true) throw new NoTurn("who waited has hung up");
      return await work();
    } finally {
      end();
    }
  }
}
