import { useEffect, useId, useRef, useState } from "react";
import { IconButton } from "./button.tsx";
import type { ChipRowProps } from "./chip-row.tsx";
import { ExpandIcon } from "./icon.tsx";
import styles from "./side-menu.module.css";

export interface SideMenuProps<V extends string> extends Omit<ChipRowProps<V>, "tapsAgain"> {
  /** Names the arrow, which shows only while the entries overflow; at their end it points up. */
  moreLabel: string;
}

/** A choice of one of many in a column beside its list, each with its mark and name. */
export function SideMenu<V extends string>(props: SideMenuProps<V>) {
  const { label, moreLabel, choices, value, onValueChange } = props;
  const name = useId();
  const list = useRef<HTMLDivElement>(null);
  const more = useOverflow(list);

  // An entry chosen elsewhere (from an address) may be out of sight.
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
              className="tap-area"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onValueChange(choice.value)}
              // A tap on the chosen entry counts too: it may lead back from elsewhere.
              onClick={() => choice.value === value && onValueChange(choice.value)}
            />
            {choice.icon}
            <span className={styles.name}>{choice.label}</span>
          </label>
        ))}
      </div>
      {more !== null && (
        <div className={styles.more} data-more={more}>
          <IconButton
            label={moreLabel}
            onClick={() => {
              const { scrollTop = 0, clientHeight = 0 } = list.current ?? {};
              const top = more === "below" ? scrollTop + clientHeight * 0.8 : 0;
              list.current?.scrollTo({ top, behavior: "smooth" });
            }}
          >
            <ExpandIcon size={20} />
          </IconButton>
        </div>
      )}
    </div>
  );
}

/** Where a scrolling box has hidden content: below, or only above; null where all fits. */
function useOverflow(box: { readonly current: HTMLElement | null }): "below" | "above" | null {
  const [more, setMore] = useState<"below" | "above" | null>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    // A pixel of slack: scroll positions are fractions on dense screens.
    const measure = () => {
      const hidden = element.scrollHeight - element.clientHeight;
      setMore(hidden <= 1 ? null : hidden - element.scrollTop > 1 ? "below" : "above");
    };
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
