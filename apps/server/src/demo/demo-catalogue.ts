import type { GameType } from "@perya/contract/catalogue";
import {
  HOUSE_VENDOR,
  isLotteryVendor,
  isSportsVendor,
  VENDOR_PAGE,
} from "@perya/contract/launch-terms";
import type { GameTerms, HouseGame } from "@perya/games/house-game";
import { HOUSE_GAMES } from "@perya/games/house-games";
import { lotteryReturn } from "@perya/games/lottery";
import { LOTTERIES, type Lottery } from "@perya/games/lottery-games";
import { percentText } from "@perya/games/rational";
import { SPORTS, SPORTS_STAKE } from "@perya/games/sports";
import { LOBBIES, type Lobby } from "@perya/games/sports-fixtures";
import { present } from "@perya/kernel/assert";
import type { NewGame, NewLiveModel, NewVendor } from "../modules/catalogue/catalogue.ts";
import { wheelReturn } from "../simulator/wheel.ts";
import { demoEntropy, pick } from "./demo-entropy.ts";

/**
 * The demo's vendors. Codes of the specification are unchanged; every name is ours. The house deals
 * its own games and the vendor simulator all others, except for lotteries, for the sports that we
 * play ourselves, and for some that are in maintenance, to show that too.
 */
export const demoVendors: readonly NewVendor[] = [
  vendor("BGS", "RNG", "Perya Originals"),
  vendor("PGE", "RNG", "Pista Reels"),
  vendor("ANI", "RNG", "Ani Studio"),
  vendor("LWY", "RNG", "Liwayway Slots", "maintenance"),
  vendor("BNH", "RNG", "Bayanihan Play"),
  vendor("LUN", "LIVE", "Luna Live"),
  vendor("HRN", "LIVE", "Harana Live", "maintenance"),
  vendor("TMB", "PVP", "Tambayan Cards"),
  vendor("KBT", "PVP", "Kubo Tables"),
  vendor("LMB", "FISH", "Lambat Games"),
  vendor("DGT", "FISH", "Dagat Studio", "maintenance"),
  vendor("LRO", "SPORTS", "Laro Sports"),
  vendor("PLS", "SPORTS", "Palaro"),
  vendor("AV", "ESPORTS", "Arena Visayas"),
  vendor("AI", "ESPORTS", "Alon Interactive"),
  vendor("IMES", "ESPORTS", "Imahe Esports"),
  vendor("TF", "ESPORTS", "Talim Fights"),
  vendor("IA", "ESPORTS", "Isla Arena"),
  vendor("BGS", "COCKFIGHT", "Perya Originals"),
  vendor("SV3", "COCKFIGHT", "Sabong Virtual"),
  vendor("DS88", "COCKFIGHT", "Derby Stage"),
  vendor("DIG", "COCKFIGHT", "Digital Gallera"),
  vendor("WGB", "COCKFIGHT", "Wing Battle"),
  vendor("LOTT", "LOTT", "Suwerte Draws"),
  vendor("TCG_SEA", "LOTT", "Silangan Draws"),
  vendor("ELOTT", "ELOTT", "Mabilis Draws"),
  vendor("TCG_LOTTO_VN", "ELOTT", "Hilaga Draws"),
];

export const SIMULATED_VENDORS: readonly string[] = demoVendors
  .map(({ code }) => code)
  .filter((code) => code !== HOUSE_VENDOR && !isLotteryVendor(code) && !isSportsVendor(code));

function vendor(
  code: string,
  gameType: GameType,
  displayName: string,
  status: NewVendor["status"] = "up",
): NewVendor {
  return { code, gameType, displayName, status };
}

const TERMS = new Map<string, GameTerms>(
  await Promise.all(HOUSE_GAMES.map(async ({ id, rules }) => [id, await rules()] as const)),
);

/** Subject and ending words per category; each pair is one game. Lotteries are those drawn here. */
const WORDS: Readonly<
  Partial<Record<GameType, { subjects: string[]; endings: string[]; count: number }>>
> = {
  RNG: {
    subjects: [
      "Jeepney",
      "Mangga",
      "Sampaguita",
      "Kalabaw",
      "Kalesa",
      "Halo-Halo",
      "Bahay Kubo",
      "Tarsier",
      "Perlas",
      "Bakunawa",
      "Buko",
      "Salakot",
      "Tambol",
      "Araw",
      "Bituin",
      "Ginto",
      "Maria Makiling",
      "Sarimanok",
      "Adarna",
      "Pahiyas",
      "Ati-Atihan",
      "Bulkan",
    ],
    endings: ["Riches", "Fiesta", "Express", "Gold", "Nights", "Deluxe", "Quest", "Blast", "Reels"],
    count: 180,
  },
  LIVE: {
    subjects: ["Luneta", "Intramuros", "Harana", "Makati", "Cebu", "Vigan", "Bonifacio"],
    endings: ["Roulette", "Baccarat", "Blackjack", "Dragon Tiger", "Sic Bo", "Wheel", "Hold'em"],
    count: 45,
  },
  PVP: {
    subjects: ["Tambayan", "Kanto", "Barkada", "Kubo", "Palengke", "Bayanihan"],
    endings: ["Tongits", "Pusoy", "Lucky 9", "Mahjong", "Domino", "Pusoy Dos"],
    count: 34,
  },
  FISH: {
    subjects: ["Bangus", "Lapu-Lapu", "Pawikan", "Pugita", "Palawan", "Tubbataha", "Dugong"],
    endings: ["Bounty", "Hunter", "Treasure", "Frenzy", "Deep"],
    count: 32,
  },
  SPORTS: {
    subjects: ["Laro", "Palaro", "Barangay"],
    endings: ["Basketball", "Football", "Boxing", "Volleyball", "Tennis", "Billiards"],
    count: 16,
  },
  ESPORTS: {
    subjects: ["Kampilan", "Bagani", "Talim", "Isla"],
    endings: ["Arena", "Legends", "Strike", "League", "Royale", "Rift"],
    count: 24,
  },
  COCKFIGHT: {
    subjects: ["Meron", "Wala", "Derby", "Gallera"],
    endings: ["Classic", "Rumble", "Championship"],
    count: 12,
  },
};

const CLASSIFY: Readonly<Record<GameType, readonly string[]>> = {
  RNG: ["VIDEO", "CLASSIC", "JACKPOT", "MEGA"],
  LIVE: ["ROU", "BAC", "BJ", "DT", "SB"],
  PVP: ["CARD", "TILE"],
  FISH: ["FISH"],
  SPORTS: ["SPORT"],
  ESPORTS: ["ESPORT"],
  COCKFIGHT: ["SABONG"],
  LOTT: ["TRAD"],
  ELOTT: ["ENT"],
};

/** Their games are chosen on the vendor's own page. */
const OPENS_ITS_VENDOR: ReadonlySet<GameType> = new Set(["SPORTS", "ESPORTS", "COCKFIGHT"]);

const SIMULATED_RETURN = percentText(wheelReturn(), 2);

/** Names that pair a fixed classification with its meaning. */
const CLASSIFY_BY_ENDING: Readonly<Record<string, string>> = {
  Roulette: "ROU",
  Wheel: "ROU",
  Baccarat: "BAC",
  Blackjack: "BJ",
  "Dragon Tiger": "DT",
  "Sic Bo": "SB",
  "Hold'em": "POK",
  Mahjong: "TILE",
  Domino: "TILE",
  Tongits: "CARD",
  Pusoy: "CARD",
  "Pusoy Dos": "CARD",
  "Lucky 9": "CARD",
};

/** Our own games after these are numbered last, so that the number of a game never changes. */
const NUMBERED_FIRST = 3;

export function demoGames(): NewGame[] {
  const entropy = demoEntropy("catalogue");
  const games: NewGame[] = HOUSE_GAMES.slice(0, NUMBERED_FIRST).map((game, i) => ({
    ...houseRow(i, game),
    sort: i,
    hotSort: i,
  }));
  for (const [type, { subjects, endings, count }] of Object.entries(WORDS)) {
    const gameType = type as GameType; // the table's keys are exactly the game types
    const vendors = demoVendors.filter(
      ({ code, ...one }) =>
        one.gameType === gameType && code !== HOUSE_VENDOR && !isSportsVendor(code),
    );
    for (let i = 0; i < count; i++) {
      // Walks the pairs so that neighbours share neither word.
      const subject = subjects[i % subjects.length] ?? "";
      const turn = Math.floor(i / subjects.length);
      const ending = endings[((i % subjects.length) + turn) % endings.length] ?? "";
      const maker = vendors[pick(entropy, vendors.length)];
      if (maker === undefined) throw new Error(`no vendor for ${gameType}`);
      games.push(demoGame(games.length, gameType, `${subject} ${ending}`, ending, maker, entropy));
    }
  }
  games.push(...LOTTERIES.map((lottery, i) => lotteryGame(games.length + i, lottery)));
  games.push(...SPORTS.map((sport, i) => sportsGame(games.length + i, LOBBIES[sport], i)));
  const later = HOUSE_GAMES.slice(NUMBERED_FIRST);
  games.push(...later.map((game, i) => houseRow(games.length + i, game)));
  return games;
}

function houseRow(index: number, game: HouseGame): NewGame {
  const { stake, returnToPlayer } = present(TERMS.get(game.id), `the rules of ${game.id}`);
  return {
    nodeId: 1001 + index,
    gameId: game.id,
    name: game.name,
    gameType: game.gameType,
    vendor: HOUSE_VENDOR,
    vendorName: "Perya Originals",
    classify: game.classify,
    gameCode: game.name.toUpperCase().replaceAll(" ", "_"),
    minBetMinor: Number(stake.minMinor),
    isNew: game.isNew,
    supportPlay: true,
    freeplay: true,
    isGameH5: null,
    lottoMode: null,
    rtp: percentText(returnToPlayer(), 2),
    houseGame: game.id,
    sort: 0,
    hotSort: null,
  };
}

function sportsGame(index: number, lobby: Lobby, sort: number): NewGame {
  const maker = vendorOf(lobby.vendor);
  return {
    nodeId: 1001 + index,
    gameId: lobby.gameId,
    name: lobby.name,
    gameType: maker.gameType,
    vendor: maker.code,
    vendorName: maker.displayName,
    classify: CLASSIFY[maker.gameType][0] ?? "",
    gameCode: lobby.gameCode,
    minBetMinor: Number(SPORTS_STAKE.minMinor),
    isNew: true,
    supportPlay: true,
    freeplay: true,
    isGameH5: null,
    lottoMode: null,
    rtp: null,
    houseGame: null,
    sort,
    hotSort: null,
  };
}

function vendorOf(code: string): NewVendor {
  const found = demoVendors.find((vendor) => vendor.code === code);
  if (found === undefined) throw new Error(`no vendor ${code}`);
  return found;
}

/** Drawn people with names of our own; two are off the air, to show that too. */
const LIVE_MODELS = [
  "Ligaya",
  "Tala",
  "Mayumi",
  "Hiraya",
  "Amihan",
  "Bituin",
  "Dalisay",
  "Luningning",
];
const ON_THE_AIR = 6;

/** One at each of the first tables of the vendor that is up. */
export function demoLiveModels(games: readonly NewGame[]): NewLiveModel[] {
  const tables = games.filter(({ vendor }) => vendor === "LUN");
  return LIVE_MODELS.flatMap((name, i) => {
    const table = tables[i];
    const state = { active: true, streaming: i < ON_THE_AIR };
    return table === undefined
      ? []
      : { id: name.toLowerCase(), name, nodeId: table.nodeId, ...state };
  });
}

/** For free play too: a draw of trial credit is as fair as one of money. */
function lotteryGame(index: number, { mode, kind, ...lottery }: Lottery): NewGame {
  const daily = mode === "trad";
  const vendor = vendorOf(lottery.vendor);
  return {
    nodeId: 1001 + index,
    gameId: lottery.gameId,
    name: lottery.name,
    gameType: vendor.gameType,
    vendor: vendor.code,
    vendorName: vendor.displayName,
    classify: daily ? "TRAD" : "ENT",
    gameCode: lottery.gameCode,
    minBetMinor: 100,
    isNew: true,
    supportPlay: true,
    freeplay: true,
    isGameH5: null,
    lottoMode: daily ? "Tradition" : "Entertainment",
    rtp: percentText(lotteryReturn(mode, kind === "3d" ? "straight" : "six"), 2),
    houseGame: null,
    sort: index,
    hotSort: null,
  };
}

function demoGame(
  index: number,
  gameType: GameType,
  name: string,
  ending: string,
  maker: NewVendor,
  entropy: ReturnType<typeof demoEntropy>,
): NewGame {
  const classes = CLASSIFY[gameType];
  const spread = gameType === "RNG" || gameType === "FISH" || gameType === "PVP";
  return {
    nodeId: 1001 + index,
    gameId: `${maker.code.toLowerCase()}-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`,
    name,
    gameType,
    vendor: maker.code,
    vendorName: maker.displayName,
    classify: CLASSIFY_BY_ENDING[ending] ?? classes[index % classes.length] ?? "",
    gameCode: `${maker.code}_${1001 + index}`,
    minBetMinor: [20, 100, 200, 500, 1_000][pick(entropy, 5)] ?? 100,
    isNew: pick(entropy, 9) === 0,
    supportPlay: spread,
    freeplay: spread,
    isGameH5: OPENS_ITS_VENDOR.has(gameType) ? VENDOR_PAGE : null,
    lottoMode: null,
    rtp: spread ? SIMULATED_RETURN : null,
    houseGame: null,
    sort: index,
    hotSort: index < 400 && index % 13 === 5 ? index : null,
  };
}
