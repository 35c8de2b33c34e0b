import { type Clock, MINUTE_MS, stillStands } from "@perya/kernel/instant";
import { LRUCache } from "lru-cache";
import type { Logger } from "../log.ts";

export interface RefusedRequest {
  readonly status: number;
  /** Block of addresses. */
  readonly address: string;
  readonly [fact: string]: unknown;
}

/** What a defender of the house looks for: guesses, probes, floods; and who was refused. */
const TOLD = new Set([401, 403, 429, 503]);
/** Lines a minute per block of addresses, and for all; a flood is summed up, not written down. */
const LINES_MAX = 5;
const LINES_IN_ALL_MAX = 300;
const BLOCKS_MAX = 10_000;

interface Told {
  endsAt: number;
  lines: number;
  unlogged: number;
}

/** A line for each refusal that a defender wants to see, up to a limit; then how many more. */
export function createRefusalLog(log: Logger, clock: Clock) {
  const blocks = new LRUCache<string, Told>({ max: BLOCKS_MAX });
  const all: Told = { endsAt: 0, lines: 0, unlogged: 0 };

  /** Begins a new minute if the last is over; its first line says what was left out. */
  function renew(told: Told, now: number): number {
    if (stillStands(told.endsAt, now, MINUTE_MS)) return 0;
    const { unlogged } = told;
    Object.assign(told, { endsAt: now + MINUTE_MS, lines: 0, unlogged: 0 });
    return unlogged;
  }

  return {
    takes: (status: number) => TOLD.has(status),
    note(request: RefusedRequest): void {
      const now = clock.now();
      const own = blocks.get(request.address) ?? { endsAt: 0, lines: 0, unlogged: 0 };
      blocks.set(request.address, own);
      const [ownBefore, allBefore] = [renew(own, now), renew(all, now)];
      if (own.lines >= LINES_MAX || all.lines >= LINES_IN_ALL_MAX) {
        own.unlogged++;
        all.unlogged++;
        return;
      }
      own.lines++;
      all.lines++;
      const line = {
        ...request,
        ...(ownBefore > 0 ? { unlogged: ownBefore } : {}),
        ...(allBefore > 0 ? { unloggedInAll: allBefore } : {}),
      };
      if (request.status >= 500) log.warn(line, "sent away");
      else log.info(line, "refused");
    },
  };
}
