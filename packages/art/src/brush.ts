import { INK, MATERIALS, type Material } from "./colour.ts";
import { dot, n } from "./geometry.ts";
import { hash32, type Rng, seededRng } from "./rng.ts";

/**
 * The tool that paints a subject. Gradients are defined on first use, under ids made from the seed,
 * so a page can hold any number of pictures inline. The surrounding group (`inked`) outlines all
 * shapes except light, shade and lines.
 */
export interface Brush {
  readonly rng: Rng;
  fill(material: Material): string;
  /** A material on a ball, lit from above left. */
  ball(material: Material): string;
  /** A gradient from the caller; `def` gets the id. */
  custom(key: string, def: (id: string) => string): string;
  defs(): string;
}

/** @param variant keeps ids apart where one seed draws two different pictures. */
export function createBrush(seed: string, variant = ""): Brush {
  const prefix = `p${hash32(seed + variant).toString(36)}`;
  const made = new Map<string, { id: string; def: string }>();
  const custom = (key: string, def: (id: string) => string) => {
    let entry = made.get(key);
    if (entry === undefined) {
      const id = `${prefix}${made.size.toString(36)}`;
      entry = { id, def: def(id) };
      made.set(key, entry);
    }
    return `url(#${entry.id})`;
  };
  return {
    rng: seededRng(seed),
    custom,
    fill: (material) => custom(`f-${material}`, (id) => linear(id, MATERIALS[material])),
    ball: (material) =>
      custom(`b-${material}`, (id) => radial(id, MATERIALS[material], "cx='.36' cy='.3' r='.75'")),
    defs: () => `<defs>${[...made.values()].map((entry) => entry.def).join("")}</defs>`,
  };
}

export function linear(
  id: string,
  stops: readonly string[],
  box = "x1='.2' y1='0' x2='.5'",
): string {
  const y2 = box.includes("y2") ? "" : " y2='1'";
  return `<linearGradient id='${id}' ${box}${y2}>${stopList(stops)}</linearGradient>`;
}

export function radial(id: string, stops: readonly string[], box = ""): string {
  return `<radialGradient id='${id}' ${box}>${stopList(stops)}</radialGradient>`;
}

/** Evenly spread stops; `#rrggbb/.5` gives a stop its opacity. */
function stopList(stops: readonly string[]): string {
  return stops
    .map((stop, index) => {
      const [colour = stop, opacity] = stop.split("/");
      const offset = stops.length < 2 ? 0 : index / (stops.length - 1);
      const veil = opacity === undefined ? "" : ` stop-opacity='${opacity}'`;
      return `<stop offset='${Math.round(offset * 100) / 100}' stop-color='${colour}'${veil}/>`;
    })
    .join("");
}

export function inked(content: string, width = 4): string {
  const pen = `stroke='${INK}' stroke-width='${n(width)}'`;
  return `<g ${pen} stroke-linejoin='round' stroke-linecap='round'>${content}</g>`;
}

export function place(content: string, x: number, y: number, turn = 0, size = 1): string {
  const rotate = turn === 0 ? "" : ` rotate(${n(turn)})`;
  const scale = size === 1 ? "" : ` scale(${Math.round(size * 100) / 100})`;
  return `<g transform='translate(${n(x)} ${n(y)})${rotate}${scale}'>${content}</g>`;
}

/** The same drawing mirrored: for the second of two rivals. */
export function mirrored(content: string): string {
  return `<g transform='scale(-1 1)'>${content}</g>`;
}

export function path(d: string, fill: string, more = ""): string {
  return `<path d='${d}' fill='${fill}'${more}/>`;
}

export function circle(x: number, y: number, r: number, fill: string, more = ""): string {
  return `<circle cx='${n(x)}' cy='${n(y)}' r='${n(r)}' fill='${fill}'${more}/>`;
}

export function oval(
  x: number,
  y: number,
  rx: number,
  ry: number,
  fill: string,
  more = "",
): string {
  const size = `rx='${n(rx)}' ry='${n(ry)}'`;
  return `<ellipse cx='${n(x)}' cy='${n(y)}' ${size} fill='${fill}'${more}/>`;
}

/** Light on a surface: white, no outline. */
export function shine(d: string, opacity = 0.55): string {
  return `<path d='${d}' fill='#fff' opacity='${opacity}' stroke='none'/>`;
}

export function shade(d: string, opacity = 0.28): string {
  return `<path d='${d}' fill='${INK}' opacity='${opacity}' stroke='none'/>`;
}

/** Flat colour without an outline: patterns painted on a surface. */
export function paint(d: string, fill: string, opacity = 1): string {
  const veil = opacity === 1 ? "" : ` opacity='${opacity}'`;
  return `<path d='${d}' fill='${fill}'${veil} stroke='none'/>`;
}

export function line(d: string, colour: string, width: number, opacity = 1): string {
  const veil = opacity === 1 ? "" : ` opacity='${opacity}'`;
  return `<path d='${d}' fill='none' stroke='${colour}' stroke-width='${n(width)}'${veil}/>`;
}

/** A line with an ink edge, for ropes, rims, legs. */
export function cord(d: string, colour: string, width: number, edge = 3.5): string {
  return line(d, INK, width + 2 * edge) + line(d, colour, width);
}

/** `count` beads on a circle: dashes of no length with round ends, in a few bytes. */
export function beads(count: number, r: number, size: number, colour: string, opacity = 1): string {
  const gap = Math.round(((2 * Math.PI * r) / count) * 100) / 100;
  const veil = opacity === 1 ? "" : ` opacity='${opacity}'`;
  const pen = `stroke='${colour}' stroke-width='${n(size * 2)}' stroke-linecap='round'`;
  return `<circle r='${n(r)}' fill='none' ${pen} stroke-dasharray='0 ${gap}'${veil}/>`;
}

export function glint(x: number, y: number, r: number): string {
  const s = r * 0.16;
  return (
    `M${n(x)} ${n(y - r)}Q${n(x + s)} ${n(y - s)} ${n(x + r)} ${n(y)}` +
    `Q${n(x + s)} ${n(y + s)} ${n(x)} ${n(y + r)}Q${n(x - s)} ${n(y + s)} ${n(x - r)} ${n(y)}` +
    `Q${n(x - s)} ${n(y - s)} ${n(x)} ${n(y - r)}Z`
  );
}

export function eye(x: number, y: number, r: number): string {
  return (
    paint(dot(x, y, r), "#fff") +
    paint(dot(x + r * 0.1, y + r * 0.1, r * 0.62), INK) +
    paint(dot(x - r * 0.2, y - r * 0.25, r * 0.24), "#fff")
  );
}
