/** At most one decimal: half a pixel is finer than any screen shows a tile. */
export function n(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return Object.is(rounded, -0) ? "0" : String(rounded);
}

/** Point at `degrees` clockwise from twelve o'clock. */
export function polar(radius: number, degrees: number, cx = 0, cy = 0): [number, number] {
  const angle = ((degrees - 90) * Math.PI) / 180;
  return [cx + radius * Math.cos(angle), cy + radius * Math.sin(angle)];
}

export function polygon(points: readonly (readonly [number, number])[]): string {
  return `M${points.map(([x, y]) => `${n(x)} ${n(y)}`).join("L")}Z`;
}

export function star(tips: number, outer: number, inner: number, turn = 0, cx = 0, cy = 0): string {
  const step = 180 / tips;
  return polygon(
    Array.from({ length: tips * 2 }, (_, i) =>
      polar(i % 2 === 0 ? outer : inner, turn + i * step, cx, cy),
    ),
  );
}

/** A piece of a ring or, from radius 0, of a pie: for wheels and rays. */
export function wedge(inner: number, outer: number, from: number, to: number): string {
  const [ax, ay] = polar(outer, from);
  const [bx, by] = polar(outer, to);
  const big = to - from > 180 ? 1 : 0;
  const arc = `A${n(outer)} ${n(outer)} 0 ${big} 1 ${n(bx)} ${n(by)}`;
  if (inner === 0) return `M0 0L${n(ax)} ${n(ay)}${arc}Z`;
  const [cx, cy] = polar(inner, to);
  const [dx, dy] = polar(inner, from);
  const back = `A${n(inner)} ${n(inner)} 0 ${big} 0 ${n(dx)} ${n(dy)}`;
  return `M${n(ax)} ${n(ay)}${arc}L${n(cx)} ${n(cy)}${back}Z`;
}

export function roundRect(x: number, y: number, w: number, h: number, r: number): string {
  const a = `a${n(r)} ${n(r)} 0 0 1 `;
  return (
    `M${n(x + r)} ${n(y)}h${n(w - 2 * r)}${a}${n(r)} ${n(r)}v${n(h - 2 * r)}${a}${n(-r)} ${n(r)}` +
    `h${n(2 * r - w)}${a}${n(-r)} ${n(-r)}v${n(2 * r - h)}${a}${n(r)} ${n(-r)}Z`
  );
}

/** A circle as part of a path, so that many dots fit in one element. */
export function dot(x: number, y: number, r: number): string {
  const arc = `a${n(r)} ${n(r)} 0 1 0 `;
  return `M${n(x - r)} ${n(y)}${arc}${n(2 * r)} 0${arc}${n(-2 * r)} 0Z`;
}

export function times(count: number, draw: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index)).join("");
}
