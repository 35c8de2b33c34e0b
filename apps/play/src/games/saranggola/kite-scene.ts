import type { SaranggolaState } from "@perya/contract/socket";

/** The night fair and its kite on a plain canvas. All lengths are shares of the canvas. */

interface KiteFrame {
  readonly phase: SaranggolaState["phase"];
  /** Since take-off; the flight's whole length once it has crashed. */
  readonly elapsedMs: number;
  /** Since the string snapped. */
  readonly crashedMs: number;
  /** Any steadily rising clock, for everything that sways in the wind. */
  readonly nowMs: number;
  readonly reduced: boolean;
}

export interface KiteScene {
  resize(width: number, height: number): void;
  draw(frame: KiteFrame): void;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const HAND: Point = { x: 0.1, y: 0.79 };
/** As steep as the multiplier's own growth, so the curve is the true one. */
const GROWTH = 0.00006;
const FALL_MS = 1_600;

export function createKiteScene(canvas: HTMLCanvasElement): KiteScene {
  const context = canvas.getContext("2d");
  const far = document.createElement("canvas");
  const near = document.createElement("canvas");
  let width = 0;
  let height = 0;
  let dots = 1;

  return {
    resize(nextWidth, nextHeight) {
      width = nextWidth;
      height = nextHeight;
      dots = Math.min(devicePixelRatio, 2);
      for (const one of [canvas, far, near]) {
        one.width = Math.round(width * dots);
        one.height = Math.round(height * dots);
      }
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      for (const [still, draw] of [
        [far, drawHills],
        [near, drawFair],
      ] as const) {
        const pen = still.getContext("2d");
        pen?.scale(dots, dots);
        if (pen !== null) draw(pen, width, height);
      }
    },
    draw(frame) {
      if (context === null || width === 0) return;
      context.setTransform(dots, 0, 0, dots, 0, 0);
      context.clearRect(0, 0, width, height);
      const pen = context;
      const size = { width, height };
      const airMs = frame.reduced ? 0 : frame.nowMs;
      pen.drawImage(far, 0, 0, width, height);
      drawClouds(pen, size, airMs);
      drawWheel(pen, { x: width * 0.82, y: height * 0.73 }, height * 0.155, airMs);
      pen.drawImage(near, 0, 0, width, height);
      if (!frame.reduced) drawBulbs(pen, size, frame.nowMs);
      const hand = { x: HAND.x * width, y: HAND.y * height };
      const kite = kiteAt(frame, size);
      if (!onTheGround(frame)) drawCurve(pen, hand, kite, frame);
      drawString(pen, hand, kite, frame, size);
      drawKite(pen, frame.phase === "crashed" ? falling(kite, frame, size) : kite, frame, size);
      drawFlyer(pen, hand, size);
    },
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Before its flight, and after an interrupted one. */
function onTheGround({ phase }: KiteFrame): boolean {
  return phase === "waiting" || phase === "voided";
}

/** Rises quickly at first and never leaves the picture, however long the flight. */
function kiteAt(frame: KiteFrame, { width, height }: Size): Point {
  const { elapsedMs, nowMs, reduced } = frame;
  const sway = reduced ? 0 : Math.sin(nowMs / 620);
  if (onTheGround(frame)) {
    return { x: (HAND.x + 0.09) * width, y: (HAND.y - 0.14) * height + sway * 3 };
  }
  const along = 1 - Math.exp(-elapsedMs / 6_000);
  const up = 1 - Math.exp(-elapsedMs / 9_000);
  return {
    x: (HAND.x + 0.09 + 0.57 * along) * width + sway * 3,
    y: (HAND.y - 0.14 - 0.4 * up) * height + (reduced ? 0 : Math.cos(nowMs / 480) * 4),
  };
}

function falling(from: Point, { crashedMs, reduced }: KiteFrame, { width }: Size): Point {
  if (reduced) return from;
  const share = Math.min(1, crashedMs / FALL_MS);
  return {
    x: from.x + share * width * 0.26,
    y: from.y - Math.sin(share * 2.6) * 46 + share ** 2 * 40,
  };
}

function drawCurve(
  pen: CanvasRenderingContext2D,
  hand: Point,
  kite: Point,
  { elapsedMs, phase }: KiteFrame,
): void {
  const steps = 40;
  const whole = Math.expm1(GROWTH * elapsedMs) || 1;
  const start = { x: hand.x, y: hand.y + 8 };
  pen.beginPath();
  pen.moveTo(start.x, start.y);
  for (let step = 1; step <= steps; step++) {
    const share = step / steps;
    const rise = Math.expm1(GROWTH * elapsedMs * share) / whole;
    pen.lineTo(start.x + (kite.x - start.x) * share, start.y + (kite.y - start.y) * rise);
  }
  const crashed = phase === "crashed";
  pen.lineWidth = 4;
  pen.lineCap = "round";
  const gold = pen.createLinearGradient(start.x, start.y, kite.x, kite.y);
  gold.addColorStop(0, crashed ? "#d8322f00" : "#f5c22e22");
  gold.addColorStop(1, crashed ? "#ff6a5e" : "#ffd76a");
  pen.strokeStyle = gold;
  pen.stroke();
  pen.lineTo(kite.x, start.y);
  pen.closePath();
  const under = pen.createLinearGradient(0, kite.y, 0, start.y);
  under.addColorStop(0, crashed ? "#ff6a5e33" : "#ffd76a3d");
  under.addColorStop(1, "#ffd76a00");
  pen.fillStyle = under;
  pen.fill();
}

function drawString(
  pen: CanvasRenderingContext2D,
  hand: Point,
  kite: Point,
  { phase, crashedMs, reduced }: KiteFrame,
  { height }: Size,
): void {
  const snapped = phase === "crashed";
  const drop = snapped ? Math.min(1, (reduced ? FALL_MS : crashedMs) / 700) : 0;
  const end = snapped
    ? {
        x: hand.x + (kite.x - hand.x) * (0.62 - drop * 0.2),
        y: kite.y + (height * 0.9 - kite.y) * drop,
      }
    : kite;
  const sag = 18 + drop * 30;
  pen.beginPath();
  pen.moveTo(hand.x, hand.y);
  pen.quadraticCurveTo((hand.x + end.x) / 2 + sag, (hand.y + end.y) / 2 + sag, end.x, end.y);
  pen.strokeStyle = snapped ? `rgba(255,255,255,${0.7 - drop * 0.5})` : "rgba(255,255,255,.75)";
  pen.lineWidth = 1.2;
  pen.stroke();
}

function drawKite(
  pen: CanvasRenderingContext2D,
  at: Point,
  { phase, crashedMs, nowMs, reduced }: KiteFrame,
  { width }: Size,
): void {
  const size = Math.max(24, Math.min(38, width * 0.085));
  const lost = phase === "crashed" ? Math.min(1, crashedMs / FALL_MS) : 0;
  const wind = reduced ? 0 : Math.sin(nowMs / 700) * 0.07;
  pen.save();
  pen.globalAlpha = 1 - lost * 0.75;
  pen.translate(at.x, at.y);
  pen.rotate(0.5 + wind + (reduced ? 0 : lost * 3.4));
  drawTail(pen, size, reduced ? 0 : nowMs);
  const [top, side, foot] = [-size * 1.15, size * 0.82, size * 1.35];
  const shoulder = -size * 0.2;
  const panels: readonly (readonly [string, readonly (readonly [number, number])[]])[] = [
    [
      "#ef4f9d",
      [
        [0, top],
        [side, shoulder],
        [0, shoulder],
      ],
    ],
    [
      "#f7c531",
      [
        [0, top],
        [-side, shoulder],
        [0, shoulder],
      ],
    ],
    [
      "#34c3d6",
      [
        [side, shoulder],
        [0, foot],
        [0, shoulder],
      ],
    ],
    [
      "#7a4fe0",
      [
        [-side, shoulder],
        [0, foot],
        [0, shoulder],
      ],
    ],
  ];
  for (const [fill, points] of panels) {
    pen.beginPath();
    for (const [x, y] of points) pen.lineTo(x, y);
    pen.closePath();
    pen.fillStyle = fill;
    pen.fill();
  }
  pen.strokeStyle = "#fff4d6";
  pen.lineWidth = 1.6;
  pen.lineJoin = "round";
  pen.beginPath();
  pen.moveTo(0, top);
  pen.lineTo(side, shoulder);
  pen.lineTo(0, foot);
  pen.lineTo(-side, shoulder);
  pen.closePath();
  pen.moveTo(0, top);
  pen.lineTo(0, foot);
  pen.moveTo(-side, shoulder);
  pen.lineTo(side, shoulder);
  pen.stroke();
  pen.restore();
}

const BOWS = ["#f7c531", "#ef4f9d", "#34c3d6", "#f7c531"] as const;

function drawTail(pen: CanvasRenderingContext2D, size: number, nowMs: number): void {
  const at = (share: number): Point => ({
    x: Math.sin(nowMs / 260 + share * 5) * size * 0.34 * share,
    y: size * (1.35 + share * 2.2),
  });
  pen.strokeStyle = "#fff4d6";
  pen.lineWidth = 1.2;
  pen.beginPath();
  pen.moveTo(0, size * 1.35);
  for (let i = 1; i <= 12; i++) {
    const { x, y } = at(i / 12);
    pen.lineTo(x, y);
  }
  pen.stroke();
  BOWS.forEach((fill, i) => {
    const { x, y } = at((i + 1) / BOWS.length);
    pen.fillStyle = fill;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x - 6, y - 4);
    pen.lineTo(x - 6, y + 4);
    pen.lineTo(x, y);
    pen.lineTo(x + 6, y - 4);
    pen.lineTo(x + 6, y + 4);
    pen.closePath();
    pen.fill();
  });
}

function drawFlyer(pen: CanvasRenderingContext2D, hand: Point, { height }: Size): void {
  const foot = height * 0.94;
  const tall = foot - hand.y;
  const x = hand.x - tall * 0.26;
  const [skin, shirt, shorts, hair] = ["#d99a6c", "#f7c531", "#2a57b8", "#2a1730"] as const;
  const limb = (colour: string, wide: number, ...[first, ...rest]: readonly Point[]) => {
    if (first === undefined) return;
    pen.strokeStyle = colour;
    pen.lineWidth = tall * wide;
    pen.beginPath();
    pen.moveTo(first.x, first.y);
    for (const point of rest) pen.lineTo(point.x, point.y);
    pen.stroke();
  };
  const at = (side: number, up: number): Point => ({ x: x + tall * side, y: foot - tall * up });
  pen.lineCap = "round";
  pen.lineJoin = "round";
  limb(skin, 0.09, at(-0.08, 0.26), at(-0.1, 0.04));
  limb(skin, 0.09, at(0.07, 0.26), at(0.12, 0.04));
  limb("#e2483d", 0.09, at(-0.12, 0.03), at(-0.06, 0.03));
  limb("#e2483d", 0.09, at(0.1, 0.03), at(0.16, 0.03));
  limb(shorts, 0.15, at(-0.08, 0.27), at(-0.02, 0.36), at(0.06, 0.27));
  limb(shirt, 0.24, at(-0.01, 0.44), at(0, 0.6));
  limb(skin, 0.08, at(0.07, 0.62), at(0.2, 0.74), hand);
  limb(skin, 0.08, at(-0.1, 0.6), at(-0.16, 0.44), at(-0.06, 0.4));
  limb("#f1e3c4", 0.1, at(-0.06, 0.36), at(-0.06, 0.44));
  pen.fillStyle = skin;
  pen.beginPath();
  pen.arc(x + tall * 0.01, foot - tall * 0.85, tall * 0.14, 0, Math.PI * 2);
  pen.fill();
  pen.fillStyle = hair;
  pen.beginPath();
  pen.arc(x - tall * 0.01, foot - tall * 0.88, tall * 0.15, Math.PI * 0.75, Math.PI * 1.95);
  pen.fill();
}

function drawHills(pen: CanvasRenderingContext2D, width: number, height: number): void {
  const base = height * 0.93;
  const dusk = pen.createLinearGradient(0, height * 0.45, 0, base);
  dusk.addColorStop(0, "#f0743c00");
  dusk.addColorStop(1, "#c4468a66");
  pen.fillStyle = dusk;
  pen.fillRect(0, height * 0.4, width, base - height * 0.4);
  drawMoon(pen, { x: width * 0.14, y: height * 0.2 }, Math.min(width, height) * 0.055);
  drawVolcano(pen, { x: width * 0.46, y: height * 0.5 }, { width, height: base });
  pen.fillStyle = "#1b1238";
  pen.beginPath();
  pen.moveTo(0, base);
  pen.lineTo(0, height * 0.8);
  pen.quadraticCurveTo(width * 0.2, height * 0.74, width * 0.42, height * 0.83);
  pen.quadraticCurveTo(width * 0.7, height * 0.72, width, height * 0.8);
  pen.lineTo(width, base);
  pen.fill();
}

function drawMoon(pen: CanvasRenderingContext2D, { x, y }: Point, radius: number): void {
  const light = pen.createRadialGradient(x, y, radius * 0.8, x, y, radius * 3.2);
  light.addColorStop(0, "#ffe9b83d");
  light.addColorStop(1, "#ffe9b800");
  pen.fillStyle = light;
  pen.fillRect(x - radius * 3.2, y - radius * 3.2, radius * 6.4, radius * 6.4);
  pen.fillStyle = "#ffedc2";
  pen.beginPath();
  pen.arc(x, y, radius, 0, Math.PI * 2);
  pen.fill();
  pen.fillStyle = "#e8cf9a";
  for (const [side, down, size] of [
    [-0.35, -0.2, 0.2],
    [0.3, 0.25, 0.26],
    [0.15, -0.45, 0.12],
  ] as const) {
    pen.beginPath();
    pen.arc(x + side * radius, y + down * radius, size * radius, 0, Math.PI * 2);
    pen.fill();
  }
}

function drawVolcano(
  pen: CanvasRenderingContext2D,
  { x, y }: Point,
  { width, height: base }: Size,
): void {
  const [left, right, brim] = [x - width * 0.5, x + width * 0.52, width * 0.022];
  const low = base * 0.9;
  const bend = y + (low - y) * 0.72;
  pen.strokeStyle = "#cbb7f016";
  pen.lineCap = "round";
  pen.lineWidth = width * 0.03;
  pen.beginPath();
  pen.moveTo(x, y - brim * 1.4);
  pen.bezierCurveTo(x + width * 0.03, y - 20, x + width * 0.08, y - 14, x + width * 0.14, y - 30);
  pen.stroke();
  const flank = pen.createLinearGradient(0, y, 0, low);
  flank.addColorStop(0, "#5b3a86");
  flank.addColorStop(1, "#2b1850");
  pen.fillStyle = flank;
  pen.beginPath();
  pen.moveTo(left, low);
  pen.quadraticCurveTo(x - width * 0.16, bend, x - brim, y);
  pen.lineTo(x + brim, y);
  pen.quadraticCurveTo(x + width * 0.17, bend, right, low);
  pen.fill();
  pen.fillStyle = "#1c103a40";
  pen.beginPath();
  pen.moveTo(x + brim * 0.2, y);
  pen.lineTo(x + brim, y);
  pen.quadraticCurveTo(x + width * 0.17, bend, right, low);
  pen.lineTo(x + width * 0.06, low);
  pen.quadraticCurveTo(x + width * 0.05, bend, x + brim * 0.2, y);
  pen.fill();
  pen.strokeStyle = "#ff9a5ecc";
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(x - brim, y);
  pen.quadraticCurveTo(x, y + brim * 0.5, x + brim, y);
  pen.stroke();
}

/** Share of the width, share of the height, size, and pixels per second. */
const CLOUDS = [
  [0.12, 0.5, 1, 5],
  [0.62, 0.33, 0.75, 3.4],
  [0.86, 0.54, 1.1, 6],
  [0.36, 0.12, 0.6, 2.6],
] as const;

/** Drift one way and come back on the other side. */
function drawClouds(pen: CanvasRenderingContext2D, { width, height }: Size, nowMs: number): void {
  pen.fillStyle = "#b9a4ea1c";
  for (const [across, down, size, speed] of CLOUDS) {
    const r = width * 0.045 * size;
    const way = width + r * 8;
    const x = ((across * width + (nowMs / 1_000) * speed) % way) - r * 2;
    const y = height * down;
    pen.beginPath();
    pen.moveTo(x - r * 2.6, y);
    pen.arc(x - r * 1.4, y - r * 0.3, r * 0.7, Math.PI * 0.9, Math.PI * 1.7);
    pen.arc(x - r * 0.2, y - r * 0.75, r, Math.PI * 1.15, Math.PI * 1.85);
    pen.arc(x + r * 1.3, y - r * 0.35, r * 0.75, Math.PI * 1.3, Math.PI * 2.1);
    pen.lineTo(x + r * 2.8, y);
    pen.fill();
  }
}

function drawWheel(
  pen: CanvasRenderingContext2D,
  { x, y }: Point,
  radius: number,
  nowMs: number,
): void {
  pen.strokeStyle = "#6b58ab";
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(x - radius * 0.6, y + radius * 1.28);
  pen.lineTo(x, y);
  pen.lineTo(x + radius * 0.6, y + radius * 1.28);
  pen.stroke();
  for (const share of [1, 0.86]) {
    pen.beginPath();
    pen.arc(x, y, radius * share, 0, Math.PI * 2);
    pen.stroke();
  }
  const cabins = ["#e2483d", "#f4c542", "#3f7de8", "#2f9e5b", "#d53f8c"];
  for (let i = 0; i < 10; i++) {
    const angle = (i / 10) * Math.PI * 2 + nowMs / 7_000;
    const [cx, cy] = [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius];
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(cx, cy);
    pen.stroke();
    pen.fillStyle = cabins[i % cabins.length] ?? "#f4c542";
    pen.beginPath();
    pen.arc(cx, cy + 2, radius * 0.1, 0, Math.PI * 2);
    pen.fill();
  }
}

function drawFair(pen: CanvasRenderingContext2D, width: number, height: number): void {
  const base = height * 0.93;
  drawHouse(pen, width * 0.23, base, height * 0.15);
  drawTent(pen, width * 0.47, base, width * 0.17, height * 0.13, ["#b8322f", "#f1e3c4"]);
  drawTent(pen, width * 0.63, base, width * 0.13, height * 0.1, ["#2a57b8", "#f5c22e"]);
  drawTent(pen, width * 0.345, base, width * 0.12, height * 0.09, ["#1d7a45", "#f1e3c4"]);
  pen.fillStyle = "#120b24";
  pen.fillRect(0, base, width, height - base);
  pen.fillStyle = "#ffffff14";
  pen.fillRect(0, base, width, 1.5);
}

/** A house on stilts with its lamp lit; `x` is its middle, `high` the roof's top. */
function drawHouse(pen: CanvasRenderingContext2D, x: number, base: number, high: number): void {
  const wide = high * 0.92;
  const floor = base - high * 0.24;
  pen.fillStyle = "#4a2f2a";
  for (const side of [-0.34, -0.1, 0.1, 0.34]) {
    pen.fillRect(x + side * wide - 1.5, floor, 3, base - floor);
  }
  pen.fillStyle = "#7d5136";
  pen.fillRect(x - wide * 0.4, floor - high * 0.32, wide * 0.8, high * 0.34);
  pen.fillStyle = "#ffd76a";
  pen.fillRect(x - wide * 0.26, floor - high * 0.25, wide * 0.2, high * 0.16);
  pen.fillRect(x + wide * 0.06, floor - high * 0.25, wide * 0.2, high * 0.16);
  pen.fillStyle = "#b98a4a";
  pen.beginPath();
  pen.moveTo(x - wide * 0.14, base - high);
  pen.lineTo(x + wide * 0.14, base - high);
  pen.lineTo(x + wide * 0.54, floor - high * 0.28);
  pen.lineTo(x - wide * 0.54, floor - high * 0.28);
  pen.fill();
  pen.fillStyle = "#00000026";
  pen.beginPath();
  pen.moveTo(x + wide * 0.02, base - high);
  pen.lineTo(x + wide * 0.14, base - high);
  pen.lineTo(x + wide * 0.54, floor - high * 0.28);
  pen.lineTo(x + wide * 0.12, floor - high * 0.28);
  pen.fill();
}

function drawTent(
  pen: CanvasRenderingContext2D,
  x: number,
  base: number,
  wide: number,
  high: number,
  [dark, light]: readonly [string, string],
): void {
  const stripes = 6;
  for (let i = 0; i < stripes; i++) {
    const [from, to] = [x + (wide * i) / stripes, x + (wide * (i + 1)) / stripes];
    pen.fillStyle = i % 2 === 0 ? dark : light;
    pen.globalAlpha = 0.85;
    pen.beginPath();
    pen.moveTo(x + wide / 2, base - high);
    pen.lineTo(from, base - high * 0.5);
    pen.lineTo(from, base);
    pen.lineTo(to, base);
    pen.lineTo(to, base - high * 0.5);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

function drawBulbs(pen: CanvasRenderingContext2D, { width, height }: Size, nowMs: number): void {
  const colours = ["#ffd76a", "#ff8ac6", "#7fe3f2"];
  for (let i = 0; i < 22; i++) {
    const share = i / 21;
    const x = width * (0.26 + share * 0.74);
    const y = height * (0.775 + 0.028 * Math.sin(share * Math.PI * 3) ** 2);
    pen.globalAlpha = 0.45 + 0.5 * Math.abs(Math.sin(nowMs / 900 + i * 1.7));
    pen.fillStyle = colours[i % colours.length] ?? "#ffd76a";
    pen.beginPath();
    pen.arc(x, y, 1.9, 0, Math.PI * 2);
    pen.fill();
  }
  pen.globalAlpha = 1;
}
