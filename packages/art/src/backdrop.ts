import { type Brush, beads, line, linear, paint, radial } from "./brush.ts";
import { MATERIALS, oklch } from "./colour.ts";
import { n, polar, roundRect, star, times } from "./geometry.ts";

/** The night sky of one picture: a lit hue and its deep neighbour. */
export interface Night {
  readonly hue: number;
  readonly lit: string;
  readonly mid: string;
  readonly deep: string;
  readonly ray: string;
}

export function night(hue: number): Night {
  // The eye sees a dark green or teal as far more vivid than a violet of equal chroma.
  const calm = hue > 100 && hue < 215 ? 0.68 : 1;
  return {
    hue,
    lit: oklch(0.57, 0.17 * calm, hue),
    mid: oklch(0.36, 0.13 * calm, hue - 8),
    deep: oklch(0.17, 0.06, 290 + (((hue - 290 + 540) % 360) - 180) * 0.18),
    ray: oklch(0.84, 0.13, hue + 24),
  };
}

/** Deep at the edge, lit behind the subject. */
export function sky(b: Brush, at: Night, w: number, h: number, cx: number, cy: number): string {
  const reach = n(Math.hypot(w, h) * 0.56);
  const box = `gradientUnits='userSpaceOnUse' cx='${cx}' cy='${cy}' r='${reach}'`;
  const fill = b.custom("sky", (id) => radial(id, [at.lit, at.mid, at.deep], box));
  return `<path d='M0 0H${w}V${h}H0Z' fill='${fill}'/>`;
}

/** A conic burst that fades out towards the edge. */
export function rays(b: Brush, at: Night, count: number, turn: number, reach: number): string {
  const step = 360 / count;
  const box = `gradientUnits='userSpaceOnUse' cx='0' cy='0' r='${reach}'`;
  const stops = [`${at.ray}/.6`, `${at.ray}/.22`, `${at.ray}/0`];
  const fill = b.custom("rays", (id) => radial(id, stops, box));
  const corner = (degrees: number) => polar(reach, degrees).map(Math.round).join(" ");
  const d = times(
    count,
    (i) => `M0 0L${corner(turn + i * step)}L${corner(turn + (i + 0.5) * step)}`,
  );
  return `<path d='${d}' fill='${fill}'/>`;
}

export function halo(b: Brush, at: Night, r: number): string {
  const fill = b.custom("halo", (id) =>
    radial(id, [`${at.ray}/.85`, `${at.ray}/.3`, `${at.ray}/0`]),
  );
  return `<circle r='${r}' fill='${fill}'/>`;
}

export function bulbRing(r: number): string {
  return (
    `<circle r='${n(r)}' fill='none' stroke='#ffd566' stroke-width='2' opacity='.5'/>` +
    beads(24, r, 5.6, "#ffc83a", 0.25) +
    beads(24, r, 3.2, "#fff0b8", 0.9)
  );
}

/** The lattice of a capiz window, faint panes of shell. */
export function capiz(w: number, h: number): string {
  const pane = `h${n(w / 4 - 6)}v${n(h / 5 - 6)}h${n(6 - w / 4)}Z`;
  const panes = times(20, (i) => {
    const [column, row] = [i % 4, Math.floor(i / 4)];
    return `M${n(-w / 2 + (column * w) / 4 + 3)} ${n(-h / 2 + (row * h) / 5 + 3)}${pane}`;
  });
  return `<path d='${panes}' fill='#c9f3ff' stroke='#c9f3ff' stroke-width='2' opacity='.12'/>`;
}

export function hills(at: Night, w: number, h: number): string {
  return (
    paint(
      `M0 ${h - 92}Q${w * 0.22} ${h - 150} ${w * 0.46} ${h - 96}T${w} ${h - 112}V${h}H0Z`,
      oklch(0.3, 0.1, at.hue + 20),
      0.75,
    ) +
    paint(
      `M0 ${h - 58}Q${w * 0.3} ${h - 104} ${w * 0.62} ${h - 62}T${w} ${h - 72}V${h}H0Z`,
      oklch(0.22, 0.08, at.hue),
      0.9,
    )
  );
}

export function waves(at: Night, w: number, h: number): string {
  const row = (y: number) => `M0 ${y}${times(Math.ceil(w / 40), () => "q20-18 40 0")}V${h}H0Z`;
  return (
    paint(row(h - 96), oklch(0.52, 0.11, at.hue + 6), 0.5) +
    paint(row(h - 72), oklch(0.4, 0.11, at.hue), 0.7) +
    paint(row(h - 48), oklch(0.28, 0.09, at.hue), 0.9)
  );
}

export function stars(b: Brush, w: number, h: number, count: number): string {
  const some = (share: number) =>
    times(Math.round(count * share), () => {
      const [x, y] = [b.rng.int(8, w - 8), b.rng.int(8, Math.round(h * 0.8))];
      return `M${x} ${y}h0`;
    });
  const field = line(some(0.6), "#fff6dc", 1.8, 0.6) + line(some(0.4), "#fff6dc", 3.6, 0.75);
  return `<g stroke-linecap='round'>${field}</g>`;
}

export function confetti(b: Brush, w: number, h: number, count: number): string {
  const bits = (share: number) =>
    times(count, () => {
      const [x, y, s] = [b.rng.range(6, w - 6), b.rng.range(6, h * share), b.rng.range(3, 6)];
      const [up, aside] = [b.rng.int(-4, 4), b.rng.int(-2, 2)];
      return `M${Math.round(x)} ${Math.round(y)}l${n(s)} ${up}l${aside} ${n(s)}Z`;
    });
  return (
    paint(bits(0.85), "#ffd566", 0.85) +
    paint(bits(0.85), "#ff7fc4", 0.8) +
    paint(bits(0.85), "#7fe3f5", 0.8)
  );
}

/** A string of little flags between two points; for banners and empty scenes. */
export function banderitas(x0: number, x1: number, y: number, sag: number, flags: number): string {
  const colours = ["red", "gold", "blue", "green", "pink"] as const;
  const at = (t: number) => [x0 + (x1 - x0) * t, y + 4 * sag * t * (1 - t)] as const;
  const rope = line(
    `M${n(x0)} ${n(y)}Q${n((x0 + x1) / 2)} ${n(y + 2 * sag)} ${n(x1)} ${n(y)}`,
    "#fff3d6",
    1.6,
    0.75,
  );
  const width = (Math.abs(x1 - x0) / flags) * 0.36;
  const cloth = (colour: (typeof colours)[number], which: number, low: boolean) =>
    paint(
      times(Math.ceil((flags - which) / 5), (i) => {
        const [x, top] = at((which + i * 5 + 0.5) / flags);
        const tip = top + width * 2.5;
        return low
          ? `M${n(x)} ${n(top)}h${n(width)}L${n(x)} ${n(tip)}Z`
          : `M${n(x - width)} ${n(top)}h${n(width * 2)}L${n(x)} ${n(tip)}Z`;
      }),
      low ? MATERIALS[colour][2] : MATERIALS[colour][1],
      low ? 0.45 : 1,
    );
  return (
    rope + colours.map((colour, i) => cloth(colour, i, false) + cloth(colour, i, true)).join("")
  );
}

export function pinstripes(w: number, h: number, first: string, second: string): string {
  const half =
    line(
      `M-8 ${h - 30}C${w * 0.16} ${h - 30} ${w * 0.2} ${h - 12} ${w * 0.4} ${h - 12}` +
        `C${w * 0.47} ${h - 12} ${w * 0.47} ${h - 22} ${w * 0.43} ${h - 21}`,
      first,
      2.6,
      0.95,
    ) +
    line(
      `M-8 ${h - 21}C${w * 0.14} ${h - 21} ${w * 0.2} ${h - 5} ${w * 0.42} ${h - 5}`,
      second,
      1.8,
      0.9,
    );
  return (
    `<g stroke-linecap='round'>${half}<g transform='translate(${w}) scale(-1 1)'>${half}</g></g>` +
    paint(star(4, 7, 2.6, 0, w / 2, h - 13), first)
  );
}

/** Darkens the foot, where a name may be written, and adds a chrome rim around the whole. */
export function frame(b: Brush, at: Night, w: number, h: number): string {
  const foot = b.custom("foot", (id) =>
    linear(id, [`${at.deep}/0`, `${at.deep}/.92`], "x1='0' y1='0' x2='0'"),
  );
  return `<path d='M0 ${h * 0.6}H${w}V${h}H0Z' fill='${foot}'/>`;
}

export function chrome(b: Brush, w: number, h: number, r: number): string {
  const rim = b.custom("rim", (id) =>
    linear(id, ["#ffffff/.75", "#ffffff/.12", "#ffffff/.3"], "x1='0' y1='0' x2='.3'"),
  );
  return line(roundRect(1, 1, w - 2, h - 2, r), rim, 2);
}
