/** OKLCH (lightness 0 to 1, chroma, hue in degrees) to `#rrggbb`, clipped into sRGB. */
export function oklch(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  // Matrices of Björn Ottosson, https://bottosson.github.io/posts/oklab/
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return `#${linear.map(channel).join("")}`;
}

function channel(linear: number): string {
  const clipped = Math.min(1, Math.max(0, linear));
  const encoded = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
  return Math.round(encoded * 255)
    .toString(16)
    .padStart(2, "0");
}

/** The dark colour of every outline: ube, never black. */
export const INK = "#190b30";

/** Painted materials, each from its light to its shade. */
export const MATERIALS = {
  gold: ["#fff3b8", "#ffc83a", "#b5650a"],
  red: ["#ff8d74", "#e2262f", "#7c0a28"],
  blue: ["#9ccbff", "#2f70ea", "#172783"],
  green: ["#b6f385", "#2aa84b", "#0b5037"],
  pink: ["#ffb0e0", "#ee3a9c", "#7e1069"],
  cyan: ["#e2fdff", "#5dd3ec", "#1c76a6"],
  violet: ["#d5bcff", "#8746e4", "#381487"],
  orange: ["#ffd08a", "#ff8722", "#ad3d09"],
  cream: ["#fffef6", "#ffeccb", "#cf9f72"],
  silver: ["#ffffff", "#c0c9e6", "#656c95"],
  wood: ["#dca266", "#9a5a2b", "#4c2613"],
  slate: ["#8f8fb8", "#4c4a78", "#211d45"],
  night: ["#5a47a0", "#2c1d63", "#140a33"],
} as const satisfies Record<string, readonly [string, string, string]>;

export type Material = keyof typeof MATERIALS;

export const BRIGHTS = [
  "red",
  "blue",
  "green",
  "pink",
  "violet",
  "orange",
  "cyan",
  "gold",
] as const;
