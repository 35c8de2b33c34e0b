/**
 * A screen that is told four times a second shows a crowd at work; 10,000 sockets are 40,000
 * frames.
 */
export const GATHER_MS = 250;

/**
 * Gathers what many do at once, so that each socket is told of it by one event a pause: an event for
 * each of k players to each of their k sockets is k² frames, and the process does nothing else.
 */
export class Gathered {
  readonly #pauseMs: number;
  readonly #due = new Map<string, () => void>();
  #timer: NodeJS.Timeout | null = null;

  constructor(pauseMs = GATHER_MS) {
    this.#pauseMs = pauseMs;
  }

  /**
   * There is something to tell to whoever looks at what is this owner's.
   * @param tell of those that were given within a pause the last one is called; never throws
   */
  note(owner: string, tell: () => void): void {
    this.#due.set(owner, tell);
    this.#timer ??= setTimeout(() => this.#tellAll(), this.#pauseMs).unref();
  }

  /** All that has gathered was told otherwise. */
  clear(): void {
    this.#due.clear();
  }

  #tellAll(): void {
    this.#timer = null;
    const due = [...this.#due.values()];
    this.#due.clear();
    for (const tell of due) tell();
  }
}
