/** With reduced motion the picture changes ten times a second: enough to read it. */
const CALM_MS = 100;

/**
 * Draws with every frame of the screen, or ten times a second where motion is reduced.
 * @param draw gets a clock that only rises, in milliseconds
 * @returns a function that ends it
 */
export function drawFrames(reduced: boolean, draw: (nowMs: number) => void): () => void {
  if (reduced) {
    const calm = () => draw(performance.now());
    const timer = setInterval(calm, CALM_MS);
    calm();
    return () => clearInterval(timer);
  }
  let frame = requestAnimationFrame(next);
  return () => cancelAnimationFrame(frame);

  function next(nowMs: number): void {
    frame = requestAnimationFrame(next);
    draw(nowMs);
  }
}
