import { ChipRow } from "@perya/ui/chip-row";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { create } from "zustand";
import { GAME_TYPES } from "../../parts/games/game-types.ts";
import { useText } from "../../shell/text.ts";
import styles from "./category-menu.module.css";
import type { Category } from "./shown-categories.ts";

/** How long scrolling to a category may take before the menu follows the finger again. */
const WAY_MS = 1_200;
/** A category is in view from below header and menu to the upper third of the screen. */
const IN_VIEW = "-128px 0px -60% 0px";

/** The element of a category on home. */
export function categoryId(key: string): string {
  return `home-category-${key}`;
}

/** Counts the taps on other links to a category, which may not change the address. */
const useAsked = create<number>(() => 0);

/** For a link to a category elsewhere on home: each tap leads there. */
export function askForCategory(): void {
  useAsked.setState((count) => count + 1, true);
}

/**
 * The categories in a line that stays in sight: a tap leads to one, and scrolling lights up the one
 * in view (specification, games §2.6). `wanted` is the address's category.
 */
export function CategoryMenu(props: { wanted: string; categories: readonly Category[] }) {
  const { wanted, categories } = props;
  const { t } = useText();
  const navigate = useNavigate();
  const [inView, follow] = useCategoryInView(categories, wanted);
  /** The address's category when home last scrolled to it; null where it must scroll once more. */
  const arrived = useRef<string | null>("HOT");
  const asked = useAsked();
  const heard = useRef(asked);

  useEffect(() => {
    if (heard.current !== asked) {
      heard.current = asked;
      arrived.current = null;
    }
    const section = document.getElementById(categoryId(wanted));
    // The categories may not have loaded yet.
    if (arrived.current === wanted || section === null) return;
    // After the page's own scroll to its top, with which a visit begins.
    const frame = requestAnimationFrame(() => {
      arrived.current = wanted;
      follow(wanted, "address");
    });
    return () => cancelAnimationFrame(frame);
  });

  const leadTo = (key: string) => {
    // The player's own lists have no address; the others can be shared and returned to.
    const type = GAME_TYPES.find((one) => one === key);
    arrived.current = type ?? "HOT";
    follow(key, "tap");
    return navigate({
      to: "/m/home",
      search: type === undefined ? {} : { cat: type },
      replace: true,
      resetScroll: false,
    });
  };
  return (
    <div className={styles.menu}>
      <ChipRow
        label={t("home.categories")}
        value={inView}
        choices={categories.map(({ key, label }) => ({ value: key, label: t(label) }))}
        onValueChange={leadTo}
        tapsAgain
      />
    </div>
  );
}

/** Where a category begins on the screen, in px from its top; 0 where it is not shown. */
function topOf(key: string): number {
  return document.getElementById(categoryId(key))?.getBoundingClientRect().top ?? 0;
}

/** The first category while the page is still above it, as at its very top. */
function aboveAll(first: string | undefined): string | undefined {
  return topOf(first ?? "") > 0 ? first : undefined;
}

/** The category in view, and the setter that starts the scroll to one. */
function useCategoryInView(
  categories: readonly Category[],
  first: string,
): [string, (key: string, from: "address" | "tap") => void] {
  const [inView, setInView] = useState(first);
  const onTheWay = useRef<AbortController | null>(null);
  const keys = categories.flatMap(({ key, passedBy }) => (passedBy ? [] : [key])).join(" ");

  useEffect(() => {
    const seen = new Set<string>();
    const order = keys.split(" ");
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const key = target.id.slice(categoryId("").length);
          if (isIntersecting) seen.add(key);
          else seen.delete(key);
        }
        const top = order.find((key) => seen.has(key)) ?? aboveAll(order[0]);
        if (top !== undefined && onTheWay.current === null) setInView(top);
      },
      { rootMargin: IN_VIEW },
    );
    for (const key of order) {
      const section = document.getElementById(categoryId(key));
      if (section !== null) watcher.observe(section);
    }
    return () => watcher.disconnect();
  }, [keys]);

  const follow = (key: string, from: "address" | "tap") => {
    setInView(key);
    onTheWay.current?.abort();
    const way = new AbortController();
    const { signal } = way;
    onTheWay.current = way;
    const lead = (behavior: ScrollBehavior) => {
      // The address of home without a category is its very top.
      if (key === "HOT" && from === "address") scrollTo({ top: 0, behavior });
      else document.getElementById(categoryId(key))?.scrollIntoView({ behavior });
    };
    const end = () => {
      way.abort();
      onTheWay.current = null;
    };
    // Content that loads above moves the target, now and later: the page scrolls to it again as
    // long as nothing else has moved it.
    let [top, height] = [0, 0];
    const settle = () => {
      lead("instant");
      [top, height] = [topOf(key), document.body.scrollHeight];
    };
    const keep = () => {
      if (Math.abs(topOf(key) - top) < 1) return;
      if (document.body.scrollHeight === height) end();
      else settle();
    };
    const growth = new ResizeObserver(keep);
    const arrive = () => {
      clearTimeout(late);
      removeEventListener("scrollend", arrive);
      settle();
      addEventListener("scroll", keep, { signal, passive: true });
      growth.observe(document.body);
    };
    addEventListener("scrollend", arrive, { signal });
    const late = setTimeout(arrive, WAY_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(late);
      growth.disconnect();
    });
    // A player who scrolls the page ends the guided scroll.
    for (const hold of ["pointerdown", "wheel", "keydown"]) {
      addEventListener(hold, end, { signal, passive: true });
    }
    lead(from === "tap" ? "auto" : "instant");
  };
  useEffect(() => () => onTheWay.current?.abort(), []);
  return [inView, follow];
}
