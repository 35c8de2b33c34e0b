import { type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type { RedRainRule } from "../brand/brand.ts";

/** Every zone's full hours fall on one of these. */
const QUARTER_MS = 15 * MINUTE_MS;

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
  const step = "hours" in schedule ? QUARTER_MS : schedule.everyMinutes * MINUTE_MS;
  const times: Instant[] = [];
  for (let at = Math.floor(after / step) * step + step; at <= until; at += step) times.push(at);
  if (!("hours" in schedule)) return times;
  const wanted = new Set(schedule.hours.map((hour) => `${String(hour).padStart(2, "0")}:00`));
  const local = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return times.filter((at) => wanted.has(local.format(at)));
}
