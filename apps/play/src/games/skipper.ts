/** Waits of a show: each tap ends the current one, not a later one. */
export interface Skipper {
  /** Resolves after the time or with the next skip; never again after `stop`. */
  wait(ms: number): Promise<void>;
  /** Runs `hurry` with the next skip while `work` goes on. */
  during(work: Promise<void>, hurry: () => void): Promise<void>;
  skip(): void;
  stop(): void;
  readonly stopped: boolean;
}

export function createSkipper(): Skipper {
  let onSkip: () => void = () => undefined;
  let stopped = false;
  return {
    wait: (ms) =>
      new Promise((done) => {
        if (stopped) return;
        const timer = setTimeout(done, ms);
        onSkip = () => {
          clearTimeout(timer);
          done();
        };
      }),
    async during(work, hurry) {
      onSkip = hurry;
      await work;
      onSkip = () => undefined;
    },
    skip: () => onSkip(),
    stop() {
      stopped = true;
      onSkip = () => undefined;
    },
    get stopped() {
      return stopped;
    },
  };
}
