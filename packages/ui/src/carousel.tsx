import type { EmblaCarouselType } from "embla-carousel";
import { type CSSProperties, type ReactNode, useEffect, useState } from "react";
import styles from "./carousel.module.css";
import { PauseIcon, PlayIcon } from "./icon.tsx";
import { useReducedMotion } from "./reduced-motion.tsx";
import { useEmbla } from "./use-embla.tsx";

/** A slide stays five seconds (specification, business constants). */
const DWELL_MS = 5_000;
/** Embla's `duration` is a friction, not a time; at 28 a slide rests within a pixel in 1000 ms. */
const GLIDE_OF_1000_MS = 28;

interface CarouselLabels {
  region: string;
  pause: string;
  play: string;
  /** `position` and `total` count from one. */
  slide: (position: number, total: number) => string;
  goTo: (position: number, total: number) => string;
}

export interface CarouselProps {
  slides: readonly { key: string; content: ReactNode }[];
  labels: CarouselLabels;
  /** Reserved before anything has loaded; CSS `aspect-ratio`, by default `12 / 5`. */
  ratio?: CSSProperties["aspectRatio"];
}

/** Runs and loops only with more than one slide; stays still where less motion is asked for. */
export function Carousel({ slides, labels, ratio }: CarouselProps) {
  const many = slides.length > 1;
  const still = useReducedMotion();
  const [paused, setPaused] = useState(false);
  const [held, setHeld] = useState(false);
  const [viewport, setViewport] = useState<HTMLElement | null>(null);
  const embla = useEmbla(viewport, {
    many,
    duration: still ? 0 : GLIDE_OF_1000_MS,
  });
  const current = useSelectedSlide(embla);

  // `current` restarts the wait, so a slide that was swiped in by hand stays its full time.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is a restart signal, never read.
  useEffect(() => {
    if (embla === null || !many || still || paused || held) return;
    const timer = setInterval(() => {
      if (!document.hidden) embla.scrollNext();
    }, DWELL_MS);
    return () => clearInterval(timer);
  }, [embla, many, still, paused, held, current]);

  const style: CSSProperties & { "--carousel-ratio"?: CSSProperties["aspectRatio"] } =
    ratio === undefined ? {} : { "--carousel-ratio": ratio };
  return (
    <section
      className={styles.carousel}
      style={style}
      aria-roledescription="carousel"
      aria-label={labels.region}
      // A tap leaves the focus on its target, which is no reading by keyboard.
      onFocus={({ target }) => setHeld(target.matches(":focus-visible"))}
      onBlur={() => setHeld(false)}
    >
      <div ref={setViewport} className={styles.window}>
        <div className={styles.track}>
          {slides.map((slide, index) => (
            <fieldset
              key={slide.key}
              className={styles.slide}
              aria-roledescription="slide"
              aria-label={labels.slide(index + 1, slides.length)}
              inert={index !== current}
            >
              {slide.content}
            </fieldset>
          ))}
        </div>
      </div>
      <div className={styles.frame} />
      {many && (
        <div className={styles.controls}>
          <div className={styles.dots}>
            {slides.map((slide, index) => (
              <button
                key={slide.key}
                type="button"
                className={styles.dot}
                aria-label={labels.goTo(index + 1, slides.length)}
                aria-current={index === current}
                onClick={() => embla?.scrollTo(index)}
              />
            ))}
          </div>
          {!still && (
            <button
              type="button"
              className={styles.pause}
              aria-label={paused ? labels.play : labels.pause}
              onClick={() => {
                setPaused(!paused);
                setHeld(false);
              }}
            >
              {paused ? (
                <PlayIcon size={12} fill="currentColor" />
              ) : (
                <PauseIcon size={12} fill="currentColor" />
              )}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

function useSelectedSlide(embla: EmblaCarouselType | null): number {
  const [current, setCurrent] = useState(0);
  useEffect(() => {
    if (embla === null) return;
    const follow = () => setCurrent(embla.selectedScrollSnap());
    follow();
    embla.on("select", follow).on("reInit", follow);
    return () => {
      embla.off("select", follow).off("reInit", follow);
    };
  }, [embla]);
  return current;
}
