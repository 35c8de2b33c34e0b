import type { SportsBoardState, SportsFixture } from "@perya/contract/sports";
import { SPORTS, TICK_MS } from "@perya/games/sports";
import { repeat } from "../../platform/repeat.ts";
import type { ModuleParts } from "../../platform/server-module.ts";
import { fixtureReply } from "./match-now.ts";
import type { Sports } from "./sports.ts";

/** Matches of a sport that wait on the board for their start. */
const NEXT_SHOWN = 8;
/** After a tick's instant, so that a timer that is slightly early still sees the new tick. */
const LATE_MS = 20;

export interface BoardOptions extends Pick<ModuleParts, "clock" | "log"> {
  readonly sports: Pick<Sports, "around" | "told">;
  readonly tell: (event: {
    readonly version: number;
    readonly after: number;
    readonly event: unknown;
  }) => void;
}

/**
 * What every screen shows of the matches. Each process computes it at every tick, since it follows
 * from the seeds and the clock, and tells its own sockets what changed.
 */
export class SportsBoard {
  readonly #options: BoardOptions;
  #shown: ReadonlyMap<string, SportsFixture> = new Map();
  #version = 0;
  readonly #ending = new AbortController();
  #beating: Promise<void> = Promise.resolve();

  constructor(options: BoardOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, log } = this.#options;
    const beat = () =>
      this.beat().catch((error) => log.warn({ err: error }, "the sports board stood still"));
    const untilTick = () => TICK_MS - (clock.now() % TICK_MS) + LATE_MS;
    this.#beating = repeat(beat, untilTick, this.#ending.signal);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#beating;
  }

  /** The present state; read now if no tick has been sent yet. */
  async snapshot(): Promise<{ readonly version: number; readonly data: SportsBoardState }> {
    if (this.#version === 0) await this.beat();
    const data = { now: this.#options.clock.now(), fixtures: [...this.#shown.values()] };
    return { version: this.#version, data };
  }

  async beat(): Promise<void> {
    const { sports, clock, tell } = this.#options;
    const rows = await sports.around();
    const told = sports.told.now();
    const fixtures = SPORTS.flatMap((sport) => {
      const own = rows.filter((row) => row.sport === sport).map((row) => fixtureReply(row, told));
      const next = own.filter(({ phase }) => phase === "next").slice(0, NEXT_SHOWN);
      return [...own.filter(({ phase }) => phase !== "next"), ...next];
    });
    const changed = fixtures.filter((one) => !sameFixture(one, this.#shown.get(one.id)));
    const shown = new Map(fixtures.map((one) => [one.id, one]));
    const gone = [...this.#shown.keys()].filter((id) => !shown.has(id));
    this.#shown = shown;
    if (this.#version > 0 && changed.length === 0 && gone.length === 0) return;
    const after = this.#version;
    this.#version += 1;
    const event = { type: "fixtures", now: clock.now(), changed, gone };
    tell({ version: this.#version, after, event });
  }
}

function sameFixture(one: SportsFixture, other: SportsFixture | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
