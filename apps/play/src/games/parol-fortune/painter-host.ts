import { canvasPainter } from "./canvas-painter.ts";
import type { ReelsPainter, ReelsView } from "./reels-view.ts";
import { type SymbolPictures, symbolPictures } from "./symbol-pictures.ts";

const LOST_MAX = 3;

/**
 * Draws with the best painter that works.
 * @param onKind is told which painter draws
 * @param onFit is called when the picture must be drawn again
 */
export function createPainterHost(
  host: HTMLElement,
  onKind: (kind: string) => void,
  onFit: () => void,
) {
  let painter: ReelsPainter | null = null;
  let pictures: SymbolPictures | null = null;
  let losses = 0;
  let gone = false;

  async function build(): Promise<void> {
    pictures ??= await symbolPictures();
    if (gone) return;
    // The plain canvas is ready at once; WebGL replaces it when its code has loaded.
    use(canvasPainter(host, pictures));
    if (losses >= LOST_MAX || !hasWebgl()) return;
    try {
      const { pixiPainter } = await import("./pixi-painter.ts");
      const made = await pixiPainter(host, pictures, () => {
        losses += 1;
        void build();
      });
      if (gone) made.destroy();
      else use(made);
    } catch {
      // The driver failed after all: the plain canvas goes on drawing the same picture.
    }
  }

  function use(next: ReelsPainter): void {
    painter?.destroy();
    painter = next;
    onKind(next.kind);
    fit();
  }

  function fit(): void {
    const { width, height } = host.getBoundingClientRect();
    if (painter === null || width === 0 || height === 0) return;
    painter.resize(width, height);
    onFit();
  }

  const sizes = new ResizeObserver(fit);
  sizes.observe(host);
  void build();

  return {
    draw: (view: ReelsView) => painter?.draw(view),
    destroy() {
      gone = true;
      sizes.disconnect();
      painter?.destroy();
      painter = null;
    },
  };
}

/** Software WebGL is slower than the plain canvas, so it does not count. */
function hasWebgl(): boolean {
  const probe = document.createElement("canvas");
  const context = probe.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return context !== null;
}
