import { type ReactNode, useEffect, useState } from "react";
import { ForwardIcon } from "./icon.tsx";
import { useReducedMotion } from "./reduced-motion.tsx";
import styles from "./swiper.module.css";
import { useEmbla } from "./use-embla.tsx";

/** Embla's `duration` is a friction, not a time; 25 comes to rest after about 300 ms. */
const GLIDE_OF_300_MS = 25;

interface SwiperLabels {
  region: string;
  previous: string;
  next: string;
  /** `position` and `total` count from one. */
  slide: (position: number, total: number) => string;
}

export interface SwiperProps {
  slides: readonly { key: string; content: ReactNode }[];
  labels: SwiperLabels;
  /** The slide in sight; the caller changes it in `onIndex`. */
  index: number;
  onIndex: (index: number) => void;
}

/**
 * Slides that are swiped or stepped through; the first follows the last. They never move by
 * themselves: the content below belongs to the slide in sight.
 */
export function Swiper({ slides, labels, index, onIndex }: SwiperProps) {
  const many = slides.length > 1;
  const still = useReducedMotion();
  const [viewport, setViewport] = useState<HTMLElement | null>(null);
  const embla = useEmbla(viewport, {
    many,
    startIndex: index,
    duration: still ? 0 : GLIDE_OF_300_MS,
  });

  useEffect(() => {
    if (embla === null) return;
    const tell = () => onIndex(embla.selectedScrollSnap());
    embla.on("select", tell);
    return () => {
      embla.off("select", tell);
    };
  }, [embla, onIndex]);

  useEffect(() => {
    if (embla !== null && embla.selectedScrollSnap() !== index) embla.scrollTo(index);
  }, [embla, index]);

  // Until the library has loaded, an arrow simply shows the next one.
  const step = (by: number) => onIndex((index + by + slides.length) % slides.length);

  return (
    <section className={styles.swiper} aria-roledescription="carousel" aria-label={labels.region}>
      <div ref={setViewport} className={styles.window}>
        <div className={styles.track}>
          {slides.map((slide, at) => (
            <fieldset
              key={slide.key}
              className={styles.slide}
              aria-roledescription="slide"
              aria-label={labels.slide(at + 1, slides.length)}
              inert={at !== index}
            >
              {slide.content}
            </fieldset>
          ))}
        </div>
      </div>
      {many && (
        <>
          <button
            type="button"
            className={styles.previous}
            aria-label={labels.previous}
            onClick={() => (embla === null ? step(-1) : embla.scrollPrev())}
          >
            <ForwardIcon className={styles.back} size={20} />
          </button>
          <button
            type="button"
            className={styles.next}
            aria-label={labels.next}
            onClick={() => (embla === null ? step(1) : embla.scrollNext())}
          >
            <ForwardIcon size={20} />
          </button>
        </>
      )}
    </section>
  );
}
