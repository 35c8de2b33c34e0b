/** The value of a failed check, in milliseconds; also the longest that one may take. */
export const FAILED_MS = 9_999;
/** So many of a brand's addresses are timed (specification, games §2.11). */
const SERVERS_MAX = 5;
const FAST_MAX_MS = 80;
const NORMAL_MAX_MS = 150;

export type SpeedDisplay = "banded" | "measured";
export type SpeedMark = "fast" | "normal" | "slow";

export interface ServerSpeed {
  /** Host name with its port where needed. */
  readonly domainName: string;
  /** Measured; the list is sorted by it even if `shownMs` differs. */
  readonly ms: number;
  readonly shownMs: number;
  readonly mark: SpeedMark;
}

export interface Measuring {
  /** Times one server, in milliseconds; throws where it does not answer. */
  readonly time: (domainName: string) => Promise<number>;
  readonly display: SpeedDisplay;
}

/** The first servers, the fastest first. */
export async function measureServers(
  domainNames: readonly string[],
  { time, display }: Measuring,
): Promise<ServerSpeed[]> {
  const speeds = await Promise.all(
    domainNames.slice(0, SERVERS_MAX).map(async (domainName) => {
      const ms = await time(domainName).catch(() => FAILED_MS);
      const shownMs = display === "banded" ? bandedMs(ms) : Math.round(ms);
      return { domainName, ms, shownMs, mark: markOf(shownMs) };
    }),
  );
  return speeds.sort((a, b) => a.ms - b.ms);
}

export function markOf(ms: number): SpeedMark {
  if (ms <= FAST_MAX_MS) return "fast";
  return ms <= NORMAL_MAX_MS ? "normal" : "slow";
}

/** A random number of the band of the measured one; a failure keeps its value. */
function bandedMs(ms: number): number {
  if (ms >= FAILED_MS) return FAILED_MS;
  if (ms >= 400) return between(100, 150);
  if (ms >= 200) return between(60, 100);
  return ms >= 100 ? between(40, 60) : between(20, 40);
}

/** A random whole number, both ends included. */
function between(least: number, most: number): number {
  return least + Math.floor(Math.random() * (most - least + 1));
}

/** Times a server by its ping, uncached, so that each check makes a new request. */
export async function timePing(domainName: string): Promise<number> {
  const url = `${location.protocol}//${domainName}/common/v.1.0.1/ping.json`;
  const startedAt = performance.now();
  const answer = await fetch(`${url}?speed=${Math.random()}`, {
    cache: "no-store",
    credentials: "omit",
    signal: AbortSignal.timeout(FAILED_MS),
  });
  if (!answer.ok) throw new Error(`the ping answered ${answer.status}`);
  await answer.text();
  return performance.now() - startedAt;
}
