import { REELS, ROWS, STRIPS } from "@perya/games/parol-reels";
import type { ReelsPainter, ReelsView } from "./reels-view.ts";
import type { SymbolPictures } from "./symbol-pictures.ts";

/** Draws the reels without WebGL: a phone without it plays just as well. */
export function canvasPainter(host: HTMLElement, pictures: SymbolPictures): ReelsPainter {
  const canvas = document.createElement("canvas");
  canvas.setAttribute("aria-hidden", "true");
  host.append(canvas);
  const context = canvas.getContext("2d");
  let width = 0;
  let height = 0;
  let dots = 1;

  function draw(view: ReelsView): void {
    if (context === null || width === 0) return;
    context.setTransform(dots, 0, 0, dots, 0, 0);
    context.clearRect(0, 0, width, height);
    context.globalAlpha = view.alpha;
    const cell = { w: width / REELS, h: height / ROWS };
    for (let reel = 0; reel < REELS; reel++) drawReel(context, view, reel, cell);
    context.globalAlpha = view.alpha;
    for (const line of view.lines) drawLine(context, line, cell);
  }

  function drawReel(
    pen: CanvasRenderingContext2D,
    view: ReelsView,
    reel: number,
    cell: { readonly w: number; readonly h: number },
  ): void {
    const strip = STRIPS[reel] ?? [];
    const position = view.positions[reel] ?? 0;
    const blur = view.blurs[reel] ?? 0;
    const top = Math.floor(position);
    const part = position - top;
    pen.save();
    pen.beginPath();
    pen.rect(reel * cell.w, 0, cell.w, height);
    pen.clip();
    if (view.teased[reel] === true) {
      const glow = pen.createLinearGradient(0, 0, 0, height);
      glow.addColorStop(0, "#ffd76a00");
      glow.addColorStop(0.5, "#ffd76a66");
      glow.addColorStop(1, "#ffd76a00");
      pen.fillStyle = glow;
      pen.fillRect(reel * cell.w, 0, cell.w, height);
    }
    for (let row = -1; row <= ROWS; row++) {
      const name = strip[(((top + row) % strip.length) + strip.length) % strip.length];
      if (name === undefined) continue;
      const lit = view.lit?.[reel]?.[row] === true;
      const dim = view.lit !== null && !lit;
      const size = Math.min(cell.w, cell.h) * (lit ? 0.98 + view.pulse * 0.1 : 0.94);
      const tall = size * (1 + blur * 0.28);
      pen.globalAlpha = view.alpha * (dim ? 0.32 : 1 - blur * 0.35);
      const x = (reel + 0.5) * cell.w - size / 2;
      const y = (row - part + 0.5) * cell.h - tall / 2;
      pen.drawImage(pictures[name], x, y, size, tall);
    }
    pen.restore();
  }

  return {
    kind: "canvas",
    resize(nextWidth, nextHeight) {
      width = nextWidth;
      height = nextHeight;
      dots = Math.min(devicePixelRatio, 2);
      canvas.width = Math.round(width * dots);
      canvas.height = Math.round(height * dots);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    },
    draw,
    destroy: () => canvas.remove(),
  };
}

function drawLine(
  pen: CanvasRenderingContext2D,
  line: ReelsView["lines"][number],
  cell: { readonly w: number; readonly h: number },
): void {
  const points = line.rows.map((row, reel) => [(reel + 0.5) * cell.w, (row + 0.5) * cell.h]);
  const colour = `#${line.colour.toString(16).padStart(6, "0")}`;
  const length = (points.length - 1) * line.drawn;
  pen.lineJoin = "round";
  pen.lineCap = "round";
  for (const [stroke, widthPx] of [
    ["#140c22", 6],
    [colour, 3],
  ] as const) {
    pen.strokeStyle = stroke;
    pen.lineWidth = widthPx;
    pen.beginPath();
    points.forEach(([x = 0, y = 0], i) => {
      if (i === 0) pen.moveTo(x, y);
      else if (i <= length) pen.lineTo(x, y);
      else if (i - 1 < length) {
        const [fromX = 0, fromY = 0] = points[i - 1] ?? [];
        const share = length - (i - 1);
        pen.lineTo(fromX + (x - fromX) * share, fromY + (y - fromY) * share);
      }
    });
    pen.stroke();
  }
}
