import { night, rays } from "./backdrop.ts";
import { createBrush, inked, linear, paint, place } from "./brush.ts";
import { dot } from "./geometry.ts";
import { ferrisWheel } from "./landmarks.ts";

/** Perya's mark: the big wheel with a parol as its hub (viewBox 96 × 96, clear ground). */
export function brandMarkSvg(): string {
  const b = createBrush("perya-mark");
  const wheel = place(inked(ferrisWheel(b, 8), 5), 48, 47, 0, 0.5);
  return `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 96 96'>${b.defs()}${wheel}</svg>`;
}

/**
 * The app's icon, 512 × 512. A maskable one bleeds to every edge and keeps the mark in the middle
 * 80 %, as the web app manifest requires; the other has its own rounded corners.
 */
export function appIconSvg({ maskable }: { maskable: boolean }): string {
  const b = createBrush(maskable ? "perya-icon-maskable" : "perya-icon");
  const at = night(305);
  const ground = b.custom("ground", (id) => linear(id, ["#4a1f86", "#27115a", "#120a2e"]));
  const corner = maskable ? "" : " rx='112'";
  const clip = b.custom(
    "clip",
    (id) => `<clipPath id='${id}'><rect width='512' height='512'${corner}/></clipPath>`,
  );
  const body =
    `<g clip-path='${clip}'><path d='M0 0H512V512H0Z' fill='${ground}'/>` +
    place(rays(b, at, 16, 6, 340), 256, 248) +
    paint(
      dot(84, 96, 4) + dot(430, 120, 5) + dot(60, 330, 3) + dot(452, 352, 4) + dot(140, 440, 3),
      "#fff6dc",
      0.8,
    ) +
    place(inked(ferrisWheel(b, 8), 5), 256, 250, 0, maskable ? 1.95 : 2.3) +
    "</g>";
  return `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 512 512'>${b.defs()}${body}</svg>`;
}
