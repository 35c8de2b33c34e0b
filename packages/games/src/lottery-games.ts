/** The house's lotteries, under names of our own, and their draw times. */
import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from "@perya/kernel/instant";
import type { LotteryKind, LotteryMode } from "./lottery.ts";

/** At these hours in Manila, or at this interval in minutes round the clock. */
export type DrawSchedule =
  | { readonly hours: readonly number[] }
  | { readonly everyMinutes: number };

export interface Lottery {
  readonly gameId: string;
  readonly gameCode: string;
  readonly name: string;
  readonly vendor: "LOTT" | "ELOTT" | "TCG_SEA" | "TCG_LOTTO_VN";
  readonly kind: LotteryKind;
  readonly mode: LotteryMode;
  readonly schedule: DrawSchedule;
}

/** 2, 5 and 9 in the afternoon and evening, when the country is used to hearing numbers. */
const DAILY: DrawSchedule = { hours: [14, 17, 21] };

export const LOTTERIES: readonly Lottery[] = [
  lottery("LOTT", "Suwerte 3D", "3d", "trad", DAILY),
  lottery("LOTT", "Suwerte 6/49", "6-49", "trad", DAILY),
  lottery("TCG_SEA", "Silangan 3D", "3d", "trad", DAILY),
  lottery("ELOTT", "Mabilis 3D", "3d", "ent", { everyMinutes: 1 }),
  lottery("ELOTT", "Mabilis 6/49", "6-49", "ent", { everyMinutes: 5 }),
  lottery("TCG_LOTTO_VN", "Hilaga 3D", "3d", "ent", { everyMinutes: 5 }),
  lottery("TCG_LOTTO_VN", "Hilaga 6/49", "6-49", "ent", { everyMinutes: 10 }),
];

/** @throws Error for a lottery not drawn here; one that ever had draws stays in the list. */
export function lotteryOf(gameId: string): Lottery {
  const found = LOTTERIES.find((lottery) => lottery.gameId === gameId);
  return present(found, `the lottery ${gameId}`);
}

/** How far ahead draws are open: two days of the hourly ones, an hour of the quick ones. */
export function planAheadMs({ schedule }: Lottery): number {
  return "hours" in schedule ? 2 * DAY_MS : HOUR_MS;
}

/** Manila is at UTC+8 all year round. */
const MANILA_MS = 8 * HOUR_MS;

/** Every draw after `after` and up to `until`, in order. */
export function drawTimes(
  schedule: DrawSchedule,
  after: Instant,
  until: Instant,
): readonly Instant[] {
  const times: Instant[] = [];
  for (let day = dayStart(after); day <= until; day += DAY_MS) {
    for (const offset of dayOffsets(schedule)) {
      const at = day + offset;
      if (at > after && at <= until) times.push(at);
    }
  }
  return times;
}

/** `20261121-02`: the day in Manila and the draw's number within that day. */
export function drawNumber(schedule: DrawSchedule, at: Instant): string {
  const start = dayStart(at);
  const index = dayOffsets(schedule).indexOf(at - start);
  const day = new Date(start + MANILA_MS).toISOString().slice(0, 10).replaceAll("-", "");
  return `${day}-${String(index + 1).padStart(2, "0")}`;
}

function dayStart(at: Instant): Instant {
  return Math.floor((at + MANILA_MS) / DAY_MS) * DAY_MS - MANILA_MS;
}

/** When draws are held, counted from midnight in Manila. */
function dayOffsets(schedule: DrawSchedule): readonly number[] {
  if ("hours" in schedule) return schedule.hours.map((hour) => hour * HOUR_MS);
  const step = schedule.everyMinutes * MINUTE_MS;
  return Array.from({ length: DAY_MS / step }, (_, i) => i * step);
}

function lottery(
  vendor: Lottery["vendor"],
  name: string,
  kind: LotteryKind,
  mode: LotteryMode,
  schedule: DrawSchedule,
): Lottery {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return {
    gameId: `${vendor.toLowerCase()}-${slug}`,
    gameCode: slug.toUpperCase().replaceAll("-", "_"),
    name,
    vendor,
    kind,
    mode,
    schedule,
  };
}
