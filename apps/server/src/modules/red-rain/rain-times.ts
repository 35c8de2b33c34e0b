import { DAY_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type { RedRainRule } from "../brand/brand.ts";

/** Every zone's full hours fall on one of these, and its clocks are changed at one. */
const QUARTER_MS = 15 * MINUTE_MS;
/** No zone sets its clocks back by more. */
const SET_BACK_MAX_MS = DAY_MS;

/**
 * When rains begin after `after` and up to `until`, in order.
 * @param zone IANA name, in whose hours the schedule is written
 */
export function rainTimes(
  schedule: RedRainRule["schedule"],
  zone: string,
  after: Instant,
  until: Instant,
): Instant[] {
  if ("hours" in schedule) return timesOfHours(schedule.hours, zone, after, until);
  return stepsBetween(schedule.everyMinutes * MINUTE_MS, after, until);
}

/**
 * The first instant of each wanted hour of each day: an hour that comes again as clocks are set
 * back brings no second rain, and one that is skipped as they are set ahead has its rain at the
 * instant that follows; if that hour is wanted too, the two rains are one.
 */
function timesOfHours(
  hours: readonly number[],
  zone: string,
  after: Instant,
  until: Instant,
): Instant[] {
  const wall = wallClock(zone);
  const from = after - SET_BACK_MAX_MS;
  const times: Instant[] = [];
  /** The latest time that clocks there have shown. */
  let reached = wall(from);
  for (const at of stepsBetween(QUARTER_MS, from, until)) {
    const shown = wall(at);
    if (shown <= reached) continue;
    const wanted = [dayOf(reached), dayOf(shown)].flatMap((day) =>
      hours.map((hour) => `${day} ${String(hour).padStart(2, "0")}:00`),
    );
    const begins = wanted.some((time) => time > reached && time <= shown);
    if (begins && at > after) times.push(at);
    reached = shown;
  }
  return times;
}

function stepsBetween(step: number, after: Instant, until: Instant): Instant[] {
  const times: Instant[] = [];
  for (let at = (Math.floor(after / step) + 1) * step; at <= until; at += step) times.push(at);
  return times;
}

/** The local time, as `2026-03-08 01:45`: the later, the greater. */
function wallClock(zone: string): (at: Instant) => string {
  const local = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (at) => local.format(at);
}

function dayOf(shown: string): string {
  return shown.slice(0, "2026-03-08".length);
}
