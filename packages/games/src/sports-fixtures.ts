/** Who plays whom and when: invented teams in an endless season. */
import { present } from "@perya/kernel/assert";
import { type Instant, MINUTE_MS } from "@perya/kernel/instant";
import { type Chances, MILLION, type Sport, TICKS } from "./sports.ts";

/** The catalogue entry that opens a sport's lobby. */
export interface Lobby {
  readonly sport: Sport;
  readonly vendor: "LRO" | "IA";
  readonly gameId: string;
  readonly gameCode: string;
  readonly name: string;
}

export const LOBBIES: Readonly<Record<Sport, Lobby>> = {
  football: {
    sport: "football",
    vendor: "LRO",
    gameId: "lro-football",
    gameCode: "LARO_FOOTBALL",
    name: "Laro Football",
  },
  esports: {
    sport: "esports",
    vendor: "IA",
    gameId: "ia-arena",
    gameCode: "ISLA_ARENA",
    name: "Isla Arena",
  },
};

/** Minutes between two starts; a match lasts six. */
const EVERY_MINUTES: Readonly<Record<Sport, number>> = { football: 2, esports: 3 };

export const PLAN_AHEAD_MS = 30 * MINUTE_MS;

const TEAMS: Readonly<Record<Sport, readonly (readonly [name: string, strength: number])[]>> = {
  football: [
    ["Vigan Lampara", 6],
    ["Baguio Ulap", 5],
    ["Laoag Asin", 3],
    ["Naga Sili", 7],
    ["Legazpi Abo", 6],
    ["Batangas Barako", 8],
    ["Lucena Pahiyas", 4],
    ["Calapan Agila", 5],
    ["Iloilo Duyan", 7],
    ["Bacolod Maskara", 6],
    ["Cebu Gitara", 9],
    ["Tagbilaran Tarsier", 3],
    ["Tacloban Habagat", 4],
    ["Zamboanga Layag", 5],
    ["Davao Pomelo", 8],
    ["Surigao Alon", 2],
  ],
  esports: [
    ["Makati Lagablab", 7],
    ["Pasay Piksel", 6],
    ["Taguig Tala", 8],
    ["Mandaluyong Kidlat", 5],
    ["Caloocan Bagyo", 4],
    ["Antipolo Amihan", 5],
    ["Pasig Agos", 6],
    ["Parañaque Sinag", 7],
    ["Valenzuela Baga", 3],
    ["Muntinlupa Dilim", 5],
    ["Navotas Daluyong", 2],
    ["Malabon Anino", 4],
    ["Las Piñas Himig", 3],
    ["San Juan Apoy", 9],
    ["Marikina Yapak", 6],
    ["Quezon Kislap", 8],
  ],
};

export interface Fixture {
  readonly sport: Sport;
  readonly home: string;
  readonly away: string;
  readonly chances: Chances;
  readonly startsAt: Instant;
}

export function fixturesBetween(sport: Sport, after: Instant, until: Instant): readonly Fixture[] {
  const every = EVERY_MINUTES[sport] * MINUTE_MS;
  const fixtures: Fixture[] = [];
  for (let slot = Math.floor(after / every) + 1; slot * every <= until; slot++) {
    fixtures.push(fixtureOf(sport, slot, slot * every));
  }
  return fixtures;
}

/** From one start to the next, home moves on by this many places. */
const STRIDE = 5;
/** How far away is from home, never one or two strides, so that no team plays twice at once. */
const SHIFTS = [1, 2, 3, 4, 7, 8, 9, 12, 13, 14, 15];

function fixtureOf(sport: Sport, slot: number, startsAt: Instant): Fixture {
  const teams = TEAMS[sport];
  const at = (slot * STRIDE) % teams.length;
  const shift = SHIFTS[Math.floor(slot / teams.length) % SHIFTS.length] ?? 1;
  const [home, homeStrength] = present(teams[at], "home");
  const [away, awayStrength] = present(teams[(at + shift) % teams.length], "away");
  const chances = chancesOf(sport, homeStrength - awayStrength);
  return { sport, home, away, chances, startsAt };
}

/**
 * Goals of a match between equals, home and away: the averages of the English league
 * (https://www.football-data.co.uk/englandm.php). A step of strength is worth 6 percent.
 */
const GOALS = { home: 1.5, away: 1.2 };
const STEP_OF_GOALS = 1.06;
/** A step of strength in the chance of winning a map, shared between home and away. */
const STEP_OF_MAP = 35_000;

/** @param lead home's strength less away's */
function chancesOf(sport: Sport, lead: number): Chances {
  if (sport === "esports") {
    const home = MILLION / 2 + lead * STEP_OF_MAP;
    return { home, away: MILLION - home };
  }
  const aTick = (goals: number) => Math.round((goals / TICKS) * MILLION);
  return {
    home: aTick(GOALS.home * STEP_OF_GOALS ** lead),
    away: aTick(GOALS.away * STEP_OF_GOALS ** -lead),
  };
}
