/** The night fair and its kite on a plain canvas. All lengths are shares of the canvas. */

export interface KiteFrame {
  readonly phase: "waiting" | "flying" | "crashed";
  /** Since take-off; the flight's whole length once it has crashed. */
  readonly elapsedMs: number;
  /** Since the string snapped. */
  readonly crashedMs: number;
  /** Any steadily rising clock, for what sways in the wind. */
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
  const ground = document.createElement("canvas");
  let width = 0;
  let height = 0;
  let dots = 1;

  return {
    resize(nextWidth, nextHeight) {
      width = nextWidth;
      height = nextHeight;
      dots = Math.min(devicePixelRatio, 2);
      for (const one of [canvas, ground]) {
        one.width = Math.round(width * dots);
        one.height = Math.round(height * dots);
      }
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      const pen = ground.getContext("2d");
      pen?.scale(dots, dots);
      if (pen !== null) drawFair(pen, width, height);
    },
    draw(frame) {
      if (context === null || width === 0) return;
      context.setTransform(dots, 0, 0, dots, 0, 0);
      context.clearRect(0, 0, width, height);
      context.drawImage(ground, 0, 0, width, height);
      const pen = context;
      const size = { width, height };
      if (!frame.reduced) drawBulbs(pen, size, frame.nowMs);
      const hand = { x: HAND.x * width, y: HAND.y * height };
      const kite = kiteAt(frame, size);
      if (frame.phase !== "waiting") drawCurve(pen, hand, kite, frame);
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

/** Rises quickly at first and never leaves the picture, however long the flight. */
function kiteAt({ phase, elapsedMs, nowMs, reduced }: KiteFrame, { width, height }: Size): Point {
  const sway = reduced ? 0 : Math.sin(nowMs / 620);
  if (phase === "waiting") {
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

/** Whoever holds the string: a head, a shirt, a raised arm. */
function drawFlyer(pen: CanvasRenderingContext2D, hand: Point, { height }: Size): void {
  const foot = height * 0.935;
  const tall = foot - hand.y;
  const x = hand.x - tall * 0.28;
  pen.strokeStyle = "#1a1030";
  pen.lineCap = "round";
  pen.lineWidth = tall * 0.16;
  pen.beginPath();
  pen.moveTo(x, foot - tall * 0.45);
  pen.lineTo(hand.x, hand.y);
  pen.moveTo(x - tall * 0.08, foot);
  pen.lineTo(x, foot - tall * 0.4);
  pen.lineTo(x + tall * 0.1, foot);
  pen.stroke();
  pen.strokeStyle = "#d53f8c";
  pen.lineWidth = tall * 0.24;
  pen.beginPath();
  pen.moveTo(x, foot - tall * 0.62);
  pen.lineTo(x, foot - tall * 0.4);
  pen.stroke();
  pen.fillStyle = "#e9b48a";
  pen.beginPath();
  pen.arc(x + tall * 0.02, foot - tall * 0.88, tall * 0.15, 0, Math.PI * 2);
  pen.fill();
}

/** What never moves: hills, tents, the wheel and the ground. */
function drawFair(pen: CanvasRenderingContext2D, width: number, height: number): void {
  const base = height * 0.93;
  const dusk = pen.createLinearGradient(0, height * 0.45, 0, base);
  dusk.addColorStop(0, "#f0743c00");
  dusk.addColorStop(1, "#c4468a4d");
  pen.fillStyle = dusk;
  pen.fillRect(0, height * 0.4, width, base - height * 0.4);
  pen.fillStyle = "#1b1238";
  pen.beginPath();
  pen.moveTo(0, base);
  pen.lineTo(0, height * 0.8);
  pen.quadraticCurveTo(width * 0.2, height * 0.7, width * 0.42, height * 0.82);
  pen.quadraticCurveTo(width * 0.7, height * 0.68, width, height * 0.8);
  pen.lineTo(width, base);
  pen.fill();
  drawWheel(pen, { x: width * 0.84, y: base - height * 0.2 }, height * 0.16);
  drawTent(pen, width * 0.47, base, width * 0.17, height * 0.13, ["#b8322f", "#f1e3c4"]);
  drawTent(pen, width * 0.63, base, width * 0.13, height * 0.1, ["#2a57b8", "#f5c22e"]);
  drawTent(pen, width * 0.3, base, width * 0.12, height * 0.09, ["#1d7a45", "#f1e3c4"]);
  pen.fillStyle = "#120b24";
  pen.fillRect(0, base, width, height - base);
  pen.fillStyle = "#ffffff14";
  pen.fillRect(0, base, width, 1.5);
}

function drawWheel(pen: CanvasRenderingContext2D, { x, y }: Point, radius: number): void {
  pen.strokeStyle = "#5b4a94";
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
    const angle = (i / 10) * Math.PI * 2;
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

/** Strings of bulbs over the tents, each glimmering in its own time. */
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
