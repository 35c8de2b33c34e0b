import { SECOND_MS } from "@perya/kernel/instant";
import { Unavailable } from "./unavailable.ts";

/** As long as anybody waits for a connection of the database. */
const TURN_WAIT_MAX_MS = 5 * SECOND_MS;

/** Thrown to a caller that has waited too long for a turn, or finds too many waiting. */
export class NoTurn extends Unavailable {
  override name = "NoTurn";
}

const HUNG_UP = "who waited has hung up";

/** Whether nobody waits any more for the work. */
export type HasHungUp = () => boolean;

/** How many work at once, and how many may wait behind them. */
export interface Line {
  readonly max: number;
  readonly waitingMax: number;
  readonly hasHungUp?: HasHungUp | undefined;
  readonly hangUp?: AbortSignal | undefined;
}

interface Wait {
  /** So many others may wait already. */
  readonly waitingMax?: number;
  readonly weight?: number;
  /** Aborted when the waiter leaves. */
  readonly hangUp?: AbortSignal | undefined;
}

/** Who works under a name, and who waits for that, in their order. */
interface Waiting {
  working: number;
  readonly waiting: { readonly weight: number; readonly go: () => void }[];
}

/** Lets so much work go on at once under each name. */
export class Turns {
  readonly #lines = new Map<string, Waiting>();

  /**
   * Waits until the caller's weight, of at most `max`, has room beside the work under the name;
   * nobody passes a waiter. Answers the function that ends the turn.
   * @throws NoTurn after five seconds, at once if `waitingMax` others wait, and when the caller hangs up
   */
  async take(
    name: string,
    max: number,
    { waitingMax = Infinity, weight = 1, hangUp }: Wait = {},
  ): Promise<() => void> {
    const line = this.#lines.get(name) ?? { working: 0, waiting: [] };
    this.#lines.set(name, line);
    if (line.waiting.length === 0 && line.working + weight <= max) line.working += weight;
    else if (line.waiting.length >= waitingMax) throw new NoTurn("too many wait for a turn");
    else {
      await new Promise<void>((done, fail) => {
        const stay = untilGivenUp("a turn", hangUp, (why) => {
          line.waiting.splice(line.waiting.indexOf(me), 1);
          fail(why);
          // A lighter one behind may have room.
          letIn(line, max);
        });
        const go = () => {
          stay();
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
   * Does the work in a turn of its own, and none for a caller who has hung up by then.
   * @throws NoTurn as `take` does, and to a caller who has hung up
   */
  async run<T>(
    name: string,
    { max, waitingMax, hasHungUp, hangUp }: Line,
    work: () => Promise<T>,
  ): Promise<T> {
    const end = await this.take(name, max, { waitingMax, hangUp });
    try {
      if (hasHungUp?.() === true || hangUp?.aborted === true) throw new NoTurn(HUNG_UP);
      return await work();
    } finally {
      end();
    }
  }
}

/**
 * Makes a waiter give up after five seconds, or when it hangs up; answers the function that cancels
 * that.
 * @throws NoTurn to a caller who has hung up before
 */
export function untilGivenUp(
  forWhat: string,
  hangUp: AbortSignal | undefined,
  giveUp: (why: NoTurn) => void,
): () => void {
  if (hangUp?.aborted === true) throw new NoTurn(HUNG_UP);
  const leave = (why: string) => {
    stay();
    giveUp(new NoTurn(why));
  };
  const timer = setTimeout(leave, TURN_WAIT_MAX_MS, `waited too long for ${forWhat}`);
  const hungUp = () => leave(HUNG_UP);
  hangUp?.addEventListener("abort", hungUp);
  const stay = () => {
    clearTimeout(timer);
    hangUp?.removeEventListener("abort", hungUp);
  };
  return stay;
}

function letIn(line: Waiting, max: number): void {
  for (let next = line.waiting[0]; next !== undefined; next = line.waiting[0]) {
    if (line.working + next.weight > max) return;
    line.waiting.shift();
    line.working += next.weight;
    next.go();
  }
}
