import type { EmblaCarouselType } from "embla-carousel";
import { useEffect, useRef, useState } from "react";

interface Moving {
  /** One slide alone neither loops nor can be dragged. */
  readonly many: boolean;
  /** A friction, not a time: the smaller, the sooner it rests; with 28 after about 1000 ms. */
  readonly duration: number;
  /** The slide that it begins with. */
  readonly startIndex?: number;
}

/** Moves the slides in `viewport`. They do not move until the library has loaded. */
export function useEmbla(viewport: HTMLElement | null, options: Moving): EmblaCarouselType | null {
  const [embla, setEmbla] = useState<EmblaCarouselType | null>(null);
  const { many, duration, startIndex = 0 } = options;
  const first = useRef(startIndex);
  useEffect(() => {
    if (viewport === null) return;
    const direction = document.documentElement.dir === "rtl" ? "rtl" : "ltr";
    let made: EmblaCarouselType | null = null;
    let gone = false;
    void import("embla-carousel").then(
      ({ default: EmblaCarousel }) => {
        if (gone) return;
        made = EmblaCarousel(viewport, {
          loop: many,
          watchDrag: many,
          startIndex: first.current,
          duration,
          direction,
        });
        setEmbla(made);
      },
      // Without it the first slide stays, which is no reason to disturb anybody.
      () => undefined,
    );
    return () => {
      gone = true;
      made?.destroy();
      setEmbla(null);
    };
  }, [viewport, many, duration]);
  return embla;
}
