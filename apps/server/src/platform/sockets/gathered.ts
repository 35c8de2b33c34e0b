/** A screen with four updates a second shows a crowd at work; 10,000 sockets are 40,000 frames. */
export const GATHER_MS = 250;

/**
 * Gathers what many do at once, so that each socket gets one event per pause: an event for each of
 * k players to each of their k sockets is k² frames, and the process does nothing else.
 */
export class Gathered {
  readonly #pauseMs: number;
  readonly #due = new Map<string, () => void>();
  #timer: NodeJS.Timeout | null = null;

  constructor(pauseMs = GATHER_MS) {
    this.#pauseMs = pauseMs;
  }

  /**
   * There is something to send to those who watch this owner's channel.
   * @param tell the last one given within a pause is called; never throws
   */
  note(owner: string, tell: () => void): void {
    this.#due.set(owner, tell);
    this.#timer ??= setTimeout(() => this.#tellAll(), this.#pauseMs).unref();
  }

  /** Everything that has gathered was sent otherwise. */
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
