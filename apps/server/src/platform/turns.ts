import { SECOND_MS } from "@perya/kernel/instant";
import { Unavailable } from "./unavailable.ts";

/** As long as anybody waits for a connection of the database. */
const WAIT_MAX_MS = 5 * SECOND_MS;

/** Thrown to whoever has waited for a turn for too long. */
export class NoTurn extends Unavailable {
  override name = "NoTurn";
}

/** Who is at work under a name, and who waits for that. */
export class Turns {
  readonly #lines = new Map<string, { working: number; waiting: (() => void)[] }>();

  /**
   * Waits until fewer than `max` are at work under the name; answers what ends one's own turn.
   * @throws NoTurn after five seconds
   */
  async take(name: string, max: number): Promise<() => void> {
    const line = this.#lines.get(name) ?? { working: 0, waiting: [] };
    this.#lines.set(name, line);
    if (line.working < max) line.working++;
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
}
