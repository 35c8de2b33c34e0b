import type { Rng } from "./rng.ts";
import type { Subject } from "./subject.ts";
import * as arena from "./subjects-arena.ts";
import * as draw from "./subjects-draw.ts";
import * as fiesta from "./subjects-fiesta.ts";
import * as sea from "./subjects-sea.ts";
import * as table from "./subjects-table.ts";

export const CATEGORIES = [
  "RNG",
  "LIVE",
  "PVP",
  "FISH",
  "SPORTS",
  "ESPORTS",
  "COCKFIGHT",
  "LOTT",
  "ELOTT",
] as const;

export type Category = (typeof CATEGORIES)[number];

const SUBJECTS = {
  parol: fiesta.parol,
  jeepney: fiesta.jeepney,
  mango: fiesta.mango,
  sampaguita: fiesta.sampaguita,
  carabao: fiesta.carabao,
  kalesa: fiesta.kalesa,
  "halo-halo": fiesta.haloHalo,
  seven: fiesta.seven,
  ginto: fiesta.ginto,
  salakot: fiesta.salakot,
  tarsier: fiesta.tarsier,
  perlas: fiesta.perlas,
  kubo: fiesta.kubo,
  araw: fiesta.araw,
  buko: fiesta.buko,
  bakunawa: fiesta.bakunawa,
  tambol: fiesta.tambol,
  rolyo: fiesta.rolyo,
  roulette: table.roulette,
  baraha: table.baraha,
  dado: table.dado,
  tsips: table.tsips,
  "rueda-swerte": table.ruedaSwerte,
  punto: table.punto,
  tongits: table.tongits,
  mahjong: table.mahjong,
  korona: table.korona,
  domino: table.domino,
  alas: table.alas,
  bangus: sea.bangus,
  pugita: sea.pugita,
  angkla: sea.angkla,
  sibat: sea.sibat,
  baul: sea.baul,
  "lapu-lapu": sea.lapuLapu,
  pawikan: sea.pawikan,
  alitang: sea.alitang,
  basketbol: arena.basketbol,
  putbol: arena.putbol,
  boksing: arena.boksing,
  bolibol: arena.bolibol,
  tenis: arena.tenis,
  tropeo: arena.tropeo,
  gamepad: arena.gamepad,
  kampilan: arena.kampilan,
  headset: arena.headset,
  asinta: arena.asinta,
  "manok-pula": arena.manokPula,
  "manok-asul": arena.manokAsul,
  salpukan: arena.salpukan,
  plumahe: arena.plumahe,
  bola: draw.bola,
  tiket: draw.tiket,
  tambiolo: draw.tambiolo,
  "tatlong-numero": draw.tatlongNumero,
  bingo: draw.bingo,
  premyo: draw.premyo,
} as const satisfies Record<string, Subject>;

export type Motif = keyof typeof SUBJECTS;

export const MOTIFS: Readonly<Record<Category, readonly [Motif, ...Motif[]]>> = {
  RNG: [
    "parol",
    "jeepney",
    "mango",
    "sampaguita",
    "carabao",
    "kalesa",
    "halo-halo",
    "seven",
    "ginto",
    "salakot",
    "tarsier",
    "perlas",
    "kubo",
    "araw",
    "buko",
    "bakunawa",
    "tambol",
    "rolyo",
  ],
  LIVE: ["roulette", "baraha", "dado", "tsips", "rueda-swerte", "punto"],
  PVP: ["tongits", "mahjong", "korona", "domino", "alas"],
  FISH: ["bangus", "pugita", "angkla", "sibat", "baul", "lapu-lapu", "pawikan", "alitang"],
  SPORTS: ["basketbol", "putbol", "boksing", "bolibol", "tenis", "tropeo"],
  ESPORTS: ["gamepad", "kampilan", "headset", "asinta", "tropeo"],
  COCKFIGHT: ["manok-pula", "manok-asul", "salpukan", "plumahe"],
  LOTT: ["bola", "tiket", "tambiolo", "premyo", "bingo"],
  ELOTT: ["tatlong-numero", "bola", "bingo", "tambiolo", "tiket"],
};

export function isMotif(name: string): name is Motif {
  return Object.hasOwn(SUBJECTS, name);
}

export function subjectOf(motif: Motif): Subject {
  return SUBJECTS[motif];
}

export function pickMotif(category: Category, rng: Rng): Motif {
  return rng.pick(MOTIFS[category]);
}
