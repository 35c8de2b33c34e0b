import { Unavailable } from "./unavailable.ts";

/** There are too many before whoever asks, or they have gone: nothing was done, and it may be tried again. */
export class LineFull extends Unavailable {
  override name = "LineFull";
}

/** Says whether whoever waits has gone meanwhile. */
export type IsGone = () => boolean;

const STAYS: IsGone = () => false;

/** For work that keeps a thread to itself: a few at once, a short line behind them, and no more. */
export class WorkLine {
  readonly #atOnce: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #working = 0;

  constructor(atOnce: number, waitingMax: number) {
    this.#atOnce = atOnce;
    this.#waitingMax = waitingMax;
  }

  /**
   * Does the work in its turn, none for those who have gone by then.
   * @throws LineFull where the line is full, and to whoever has gone
   */
  async run<T>(work: () => Promise<T>, isGone: IsGone = STAYS): Promise<T> {
    if (this.#working < this.#atOnce) this.#working++;
    else {
      if (this.#waiting.length >= this.#waitingMax) throw new LineFull("too many wait for this");
      // Whoever ends hands the place over, so that nobody who comes now is before those who wait.
      await new Promise<void>((go) => this.#waiting.push(go));
    }
    try {
      if (isGone()) throw new LineFull("whoever waited has gone");
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#working--;
      else next();
    }
  }
}
