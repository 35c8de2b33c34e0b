import { type CSSProperties, type ReactNode, useState } from "react";
import { classNames } from "./class-names.tsx";
import { AnnouncementIcon, PauseIcon, PlayIcon } from "./icon.tsx";
import { useReducedMotion } from "./reduced-motion.tsx";
import styles from "./ticker.module.css";

/** The line moves thirty times a second (specification, business constants). */
const FRAMES_PER_SECOND = 30;
/** About a slow reader's pace for a title of usual length. */
const SECONDS_PER_ITEM = 7;

export interface TickerProps {
  labels: { region: string; pause: string; play: string };
  /** Focusable parts of an item take the index: its second copy is out of the tab order. */
  items: readonly { key: string; content: (tabIndex: 0 | -1) => ReactNode }[];
  /** Replaces the line when there is no item. */
  empty: ReactNode;
  icon?: ReactNode;
}

/**
 * One scrolling line. The list is drawn twice and moved by half, so it has no seam. The second copy
 * can be tapped like the first, and is hidden from keyboards and screen readers. With less motion
 * asked for it does not move and can be scrolled by hand.
 */
export function Ticker({ labels, items, empty, icon }: TickerProps) {
  const still = useReducedMotion();
  const [paused, setPaused] = useState(false);
  const seconds = Math.max(2, items.length) * SECONDS_PER_ITEM;
  const pace: CSSProperties & Record<"--ticker-time" | "--ticker-steps", string> = {
    "--ticker-time": `${seconds}s`,
    "--ticker-steps": `steps(${seconds * FRAMES_PER_SECOND})`,
  };
  const list = (tabIndex: 0 | -1) =>
    items.map((item) => (
      <li key={item.key} className={styles.item}>
        {item.content(tabIndex)}
      </li>
    ));
  return (
    <section
      className={classNames(styles.ticker, paused && styles.paused, still && styles.still)}
      aria-label={labels.region}
    >
      <span className={styles.lead} aria-hidden="true">
        {icon ?? <AnnouncementIcon size={18} />}
      </span>
      {items.length === 0 ? (
        <p className={styles.none}>{empty}</p>
      ) : (
        <div className={styles.window}>
          <div className={styles.track} style={pace}>
            <ul className={styles.copy}>{list(0)}</ul>
            {!still && (
              <ul className={styles.copy} aria-hidden="true">
                {list(-1)}
              </ul>
            )}
          </div>
        </div>
      )}
      {items.length > 0 && !still && (
        <button
          type="button"
          className={styles.pause}
          aria-label={paused ? labels.play : labels.pause}
          onClick={() => setPaused(!paused)}
        >
          {paused ? <PlayIcon size={16} /> : <PauseIcon size={16} />}
        </button>
      )}
    </section>
  );
}
