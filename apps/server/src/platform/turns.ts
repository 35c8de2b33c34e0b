import { SECOND_MS } from "@perya/kernel/instant";
import { Unavailable } from "./unavailable.ts";

/** As long as anybody waits for a connection of the database. */
export const TURN_WAIT_MAX_MS = 5 * SECOND_MS;

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

/** Who is at work under a name, and who waits for that, in their order. */
interface Waiting {
  working: number;
  readonly waiting: { readonly weight: number; readonly go: () => void }[];
}

/** Lets so much work go on at once under each name. */
export class Turns {
  readonly #lines = new Map<string, Waiting>();

  /**
   * Waits until one's own weight, of at most `max`, has room beside what is at work under the name;
   * nobody passes one who waits. Answers what ends one's own turn.
   * @throws NoTurn after five seconds, and at once where `waitingMax` others wait
   */
  async take(name: string, max: number, waitingMax = Infinity, weight = 1): Promise<() => void> {
    const line = this.#lines.get(name) ?? { working: 0, waiting: [] };
    this.#lines.set(name, line);
    if (line.waiting.length === 0 && line.working + weight <= max) line.working += weight;
    else if (line.waiting.length >= waitingMax) throw new NoTurn("too many wait for a turn");
    else {
      await new Promise<void>((done, fail) => {
        const timer = setTimeout(() => {
          line.waiting.splice(line.waiting.indexOf(me), 1);
          fail(new NoTurn("waited too long for a turn"));
          // A lighter one behind may have room.
          letIn(line, max);
        }, TURN_WAIT_MAX_MS);
        const go = () => {
          clearTimeout(timer);
          done();
        };
        const me = { weight, go };
        line.waiting.push(me);
      });
    }
    return () => {
      line.working -= weight;
      letIn(line, max);
      if (line.working === 0) this.#lines.delete(name);
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

function letIn(line: Waiting, max: number): void {
  for (let next = line.waiting[0]; next !== undefined; next = line.waiting[0]) {
    if (line.working + next.weight > max) return;
    line.waiting.shift();
    line.working += next.weight;
    next.go();
  }
}
