import { untilGivenUp } from "./turns.ts";

export interface Holding {
  readonly holder: string;
  readonly weight: number;
  /** Aborted when the waiter leaves. */
  readonly hangUp?: AbortSignal | undefined;
  readonly canGiveWay: () => boolean;
  /** Called when it no longer holds anything. */
  readonly giveWay: () => void;
}

interface Waiter {
  readonly holding: Holding;
  readonly letIn: () => void;
}

/**
 * Limited room. If it is full, the largest holder gives way to one who would hold less, so that a
 * crowd of requests by a few keeps nobody else out.
 */
export class FairRoom {
  readonly #max: number;
  readonly #inside = new Set<Holding>();
  readonly #waiting = new Set<Waiter>();
  readonly #held = new Map<string, number>();
  #full = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Waits for room; answers the function that gives it back.
   * @throws NoTurn after five seconds, and to a waiter who has hung up
   */
  async take(holding: Holding): Promise<() => void> {
    await new Promise<void>((done, fail) => {
      const stay = untilGivenUp("room", holding.hangUp, (why) => {
        this.#waiting.delete(me);
        fail(why);
      });
      const letIn = () => {
        stay();
        this.#waiting.delete(me);
        done();
      };
      const me = { holding, letIn };
      this.#waiting.add(me);
      this.#settle();
    });
    return () => {
      this.#leave(holding);
      this.#settle();
    };
  }

  #settle(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const { holding, letIn } = next;
      this.#inside.add(holding);
      this.#held.set(holding.holder, this.#with(holding));
      this.#full += holding.weight;
      letIn();
    }
  }

  /** The one who would hold least, if others can give way to it; else the first that has room. */
  #next(): Waiter | null {
    const all = [...this.#waiting];
    const [first] = all;
    if (first === undefined) return null;
    const least = all.reduce(
      (least, one) => (this.#with(one.holding) < this.#with(least.holding) ? one : least),
      first,
    );
    if (this.#makeRoom(least.holding)) return least;
    return all.find(({ holding }) => this.#full + holding.weight <= this.#max) ?? null;
  }

  #with({ holder, weight }: Holding): number {
    return (this.#held.get(holder) ?? 0) + weight;
  }

  /**
   * Takes room from the holders that hold more than this one would, the largest first and their
   * latest holdings first. If that frees too little, it takes none.
   */
  #makeRoom(holding: Holding): boolean {
    const than = this.#with(holding);
    const held = new Map(this.#held);
    const gone = new Set<Holding>();
    for (let full = this.#full; full + holding.weight > this.#max; ) {
      const last = this.#lastOfMost(held, gone, than);
      if (last === null) return false;
      gone.add(last);
      held.set(last.holder, (held.get(last.holder) ?? 0) - last.weight);
      full -= last.weight;
    }
    for (const one of gone) {
      this.#leave(one);
      one.giveWay();
    }
    return true;
  }

  #lastOfMost(held: Map<string, number>, but: Set<Holding>, than: number): Holding | null {
    let found: Holding | null = null;
    let most = than + 1;
    for (const one of this.#inside) {
      const its = held.get(one.holder) ?? 0;
      if (its < most || but.has(one) || !one.canGiveWay()) continue;
      found = one;
      most = its;
    }
    return found;
  }

  #leave(holding: Holding): void {
    if (!this.#inside.delete(holding)) return;
    const left = (this.#held.get(holding.holder) ?? 0) - holding.weight;
    if (left === 0) this.#held.delete(holding.holder);
    else this.#held.set(holding.holder, left);
    this.#full -= holding.weight;
  }
}
