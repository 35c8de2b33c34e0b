import { slotSymbolSvg } from "@perya/art/slot-symbol";
import { type ParolSymbol, SYMBOLS } from "@perya/games/parol-reels";

export type SymbolPictures = Readonly<Record<ParolSymbol, HTMLCanvasElement>>;

/** Drawn once at this size and scaled down: crisp on a phone with three dots per pixel. */
const PICTURE_PX = 224;

let loading: Promise<SymbolPictures> | null = null;

/** The symbols as pictures; the SVG travels in the code, so nothing is fetched. */
export function symbolPictures(): Promise<SymbolPictures> {
  loading ??= Promise.all(SYMBOLS.map(async (name) => [name, await draw(name)] as const)).then(
    // Built from SYMBOLS one by one, so no symbol is missing.
    (pairs) => Object.fromEntries(pairs) as Record<ParolSymbol, HTMLCanvasElement>,
  );
  return loading;
}

async function draw(name: ParolSymbol): Promise<HTMLCanvasElement> {
  // Some browsers draw no SVG that lacks a size of its own.
  const size = `width='${PICTURE_PX}' height='${PICTURE_PX}'`;
  const svg = slotSymbolSvg(name).replace("<svg ", `<svg ${size} `);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = PICTURE_PX;
  canvas.height = PICTURE_PX;
  canvas.getContext("2d")?.drawImage(image, 0, 0, PICTURE_PX, PICTURE_PX);
  return canvas;
}
