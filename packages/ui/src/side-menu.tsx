import { useEffect, useId, useRef, useState } from "react";
import { IconButton } from "./button.tsx";
import type { ChipRowProps } from "./chip-row.tsx";
import { ExpandIcon } from "./icon.tsx";
import styles from "./side-menu.module.css";

export interface SideMenuProps<V extends string> extends ChipRowProps<V> {
  /** Names the arrow, which is there only while entries stand below what is in sight. */
  moreLabel: string;
}

/** A choice of one out of many in a column beside what it narrows, each with its mark and name. */
export function SideMenu<V extends string>(props: SideMenuProps<V>) {
  const { label, moreLabel, choices, value, onValueChange } = props;
  const name = useId();
  const list = useRef<HTMLDivElement>(null);
  const more = useMoreBelow(list);

  // An entry chosen elsewhere (from an address) may stand out of sight.
  useEffect(() => {
    const entries = list.current?.querySelectorAll<HTMLInputElement>("input") ?? [];
    const entry = [...entries].find((input) => input.value === value)?.parentElement;
    if (entry && list.current) list.current.scrollTop = entry.offsetTop - entry.offsetHeight;
  }, [value]);

  return (
    <div className={styles.menu}>
      <div ref={list} className={styles.list} role="radiogroup" aria-label={label}>
        {choices.map((choice) => (
          <label key={choice.value} className={styles.entry}>
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onValueChange(choice.value)}
              // A tap on what is chosen means it as well: it may lead back from elsewhere.
              onClick={() => choice.value === value && onValueChange(choice.value)}
            />
            {choice.icon}
            <span className={styles.name}>{choice.label}</span>
          </label>
        ))}
      </div>
      {more && (
        <div className={styles.more}>
          <IconButton
            label={moreLabel}
            onClick={() =>
              list.current?.scrollBy({ top: list.current.clientHeight * 0.8, behavior: "smooth" })
            }
          >
            <ExpandIcon size={20} aria-hidden="true" />
          </IconButton>
        </div>
      )}
    </div>
  );
}

/** Whether a scrolling box holds more than it shows, below. */
function useMoreBelow(box: { readonly current: HTMLElement | null }): boolean {
  const [more, setMore] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    // A pixel of slack: scroll places are fractions on dense screens.
    const measure = () =>
      setMore(element.scrollHeight - element.clientHeight - element.scrollTop > 1);
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", measure);
    };
  });
  return more;
}
