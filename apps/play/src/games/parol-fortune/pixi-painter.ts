// The content security policy forbids evaluated code; this swaps Pixi's for plain functions.
import "pixi.js/unsafe-eval";
import { REELS, ROWS, STRIPS } from "@perya/games/parol-reels";
import { Application, Container, Graphics, Sprite, Texture } from "pixi.js";
import type { ReelsPainter, ReelsView, ShownLine } from "./reels-view.ts";
import type { SymbolPictures } from "./symbol-pictures.ts";

/** Symbols of a reel that can be in sight at once, including the two half ones. */
const SLOTS = ROWS + 2;
const SPARKS = 28;

/**
 * Draws the reels with WebGL.
 * @param onLost the graphics context is gone; the painter is useless from then on.
 * @throws Error where WebGL is unavailable.
 */
export async function pixiPainter(
  host: HTMLElement,
  pictures: SymbolPictures,
  onLost: () => void,
): Promise<ReelsPainter> {
  const app = new Application();
  await app.init({
    preference: "webgl",
    backgroundAlpha: 0,
    antialias: true,
    autoDensity: true,
    autoStart: false,
    sharedTicker: false,
    resolution: Math.min(devicePixelRatio, 2),
    width: 1,
    height: 1,
  });
  const { canvas, stage } = app;
  canvas.setAttribute("aria-hidden", "true");
  host.append(canvas);
  canvas.addEventListener("webglcontextlost", lost);
  const textures = Object.fromEntries(
    Object.entries(pictures).map(([name, picture]) => [name, Texture.from(picture)]),
  );
  const pieces = createPieces(stage);
  const { clip, glow, lines, sparks, strips } = pieces;
  let width = 1;
  let height = 1;
  let gone = false;

  function lost(event: Event): void {
    event.preventDefault();
    gone = true;
    onLost();
  }

  function draw(view: ReelsView): void {
    if (gone) return;
    const cell = { w: width / REELS, h: height / ROWS };
    glow.clear();
    strips.alpha = view.alpha;
    for (let reel = 0; reel < REELS; reel++) placeReel(pieces, textures, view, reel, cell);
    lines.clear();
    for (const line of view.lines) drawLine(lines, line, cell);
    sparks.clear();
    if (view.lit !== null && view.pulse > 0) drawSparks(sparks, view, cell);
    app.render();
  }

  return {
    kind: "webgl",
    resize(nextWidth, nextHeight) {
      width = nextWidth;
      height = nextHeight;
      app.renderer.resize(width, height);
      clip.clear().rect(0, 0, width, height).fill(0xffffff);
    },
    draw,
    destroy() {
      canvas.removeEventListener("webglcontextlost", lost);
      for (const texture of Object.values(textures)) texture.destroy(true);
      app.destroy({ removeView: true }, { children: true });
      canvas.remove();
    },
  };
}

type Pieces = ReturnType<typeof createPieces>;

function createPieces(stage: Container) {
  const reels = Array.from({ length: REELS }, () => new Container());
  const clip = new Graphics();
  const glow = new Graphics();
  const lines = new Graphics();
  const sparks = new Graphics();
  const sprites = reels.map((reel) =>
    Array.from({ length: SLOTS }, () => {
      const sprite = new Sprite();
      sprite.anchor.set(0.5);
      reel.addChild(sprite);
      return sprite;
    }),
  );
  const strips = new Container();
  strips.addChild(...reels);
  strips.mask = clip;
  stage.addChild(glow, strips, clip, lines, sparks);
  return { clip, glow, lines, sparks, strips, sprites };
}

interface Cell {
  readonly w: number;
  readonly h: number;
}

function placeReel(
  { glow, sprites }: Pieces,
  textures: Readonly<Record<string, Texture>>,
  view: ReelsView,
  reel: number,
  cell: Cell,
): void {
  const strip = STRIPS[reel] ?? [];
  const position = view.positions[reel] ?? 0;
  const blur = view.blurs[reel] ?? 0;
  const top = Math.floor(position);
  if (view.teased[reel] === true) {
    glow.rect(reel * cell.w, 0, cell.w, cell.h * ROWS).fill({ color: 0xffd76a, alpha: 0.28 });
  }
  sprites[reel]?.forEach((sprite, slot) => {
    const row = slot - 1;
    const name = strip[(((top + row) % strip.length) + strip.length) % strip.length];
    sprite.texture = (name === undefined ? undefined : textures[name]) ?? Texture.EMPTY;
    const lit = view.lit?.[reel]?.[row] === true;
    const dim = view.lit !== null && !lit;
    const size = Math.min(cell.w, cell.h) * (lit ? 0.98 + view.pulse * 0.1 : 0.94);
    sprite.width = size;
    sprite.height = size * (1 + blur * 0.28);
    sprite.alpha = dim ? 0.32 : 1 - blur * 0.35;
    sprite.position.set((reel + 0.5) * cell.w, (row - (position - top) + 0.5) * cell.h);
  });
}

function drawLine(pen: Graphics, { rows, colour, drawn }: ShownLine, cell: Cell): void {
  const length = (rows.length - 1) * drawn;
  const at = (reel: number) => ({
    x: (reel + 0.5) * cell.w,
    y: ((rows[reel] ?? 0) + 0.5) * cell.h,
  });
  for (const [color, width] of [
    [0x140c22, 6],
    [colour, 3],
  ] as const) {
    const start = at(0);
    pen.moveTo(start.x, start.y);
    for (let reel = 1; reel < rows.length && reel - 1 < length; reel++) {
      const share = Math.min(1, length - (reel - 1));
      const [from, to] = [at(reel - 1), at(reel)];
      pen.lineTo(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
    }
    pen.stroke({ color, width, cap: "round", join: "round" });
  }
}

function drawSparks(pen: Graphics, view: ReelsView, cell: Cell): void {
  view.lit?.forEach((rows, reel) => {
    rows.forEach((lit, row) => {
      if (!lit) return;
      const radius = Math.min(cell.w, cell.h) * (0.46 + view.pulse * 0.05);
      for (let i = 0; i < SPARKS; i += 4) {
        const angle = (i / SPARKS) * Math.PI * 2 + view.pulse * 0.7;
        const x = (reel + 0.5) * cell.w + Math.cos(angle) * radius;
        const y = (row + 0.5) * cell.h + Math.sin(angle) * radius;
        pen.circle(x, y, 1.6).fill({ color: 0xffe9a8, alpha: 0.3 + 0.6 * view.pulse });
      }
    });
  });
}
