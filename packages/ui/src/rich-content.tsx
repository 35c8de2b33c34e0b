import DOMPurify from "dompurify";
import { type MouseEvent, useLayoutEffect, useRef } from "react";
import { classNames } from "./class-names.tsx";
import styles from "./rich-content.module.css";

/** The elements that an operator may use. Neither `id` nor `class`: those are the page's own. */
const TAGS = (
  "a abbr b blockquote br caption center code col colgroup dd del div dl dt em figcaption figure " +
  "font h1 h2 h3 h4 h5 h6 hr i img ins li mark ol p pre s small span strong sub sup table tbody " +
  "td tfoot th thead tr u ul"
).split(" ");
const ATTRIBUTES = (
  "align alt color colspan dir height href lang reversed rowspan scope size src start style " +
  "title width"
).split(" ");
/** The allowed part of a `style`: the look of text, and nothing that could leave its place. */
const STYLE_PROPERTIES = [
  "background-color",
  "color",
  "font-size",
  "font-style",
  "font-weight",
  "line-height",
  "text-align",
  "text-decoration-line",
  "text-transform",
  "vertical-align",
] as const;
/** Schemes of an address, or none; every attribute's value is checked against it. */
const ADDRESSES = /^(?:(?:https?|mailto|tel):|[^a-z]|[a-z+.-]+(?:[^a-z+.:-]|$))/i;
const TEXT_SIZES: readonly string[] = ["font-size", "line-height"];
/** The page's root is 100 px at the browser's own text size, so text grows where readers ask. */
const PX_PER_REM = 100;
const PX = /^(\d*\.?\d+)px$/i;

const purifier = DOMPurify(window);

purifier.addHook("uponSanitizeAttribute", (_element, given) => {
  if (given.attrName === "style") given.attrValue = styleOf(given.attrValue);
});

purifier.addHook("afterSanitizeAttributes", (element) => {
  if (element.getAttribute("style") === "") element.removeAttribute("style");
  if (element instanceof HTMLImageElement) {
    element.setAttribute("loading", "lazy");
    element.setAttribute("decoding", "async");
    // Otherwise screen readers would read its address as its name.
    if (!element.hasAttribute("alt")) element.setAttribute("alt", "");
  }
  if (element instanceof HTMLAnchorElement && element.href !== "" && insidePath(element) === null) {
    element.target = "_blank";
    element.rel = "noopener noreferrer nofollow";
  }
});

export interface RichContentProps {
  /** As the operator wrote it; all that could run, reach out or cover the page is removed. */
  html: string;
  /** A tap on a link to a page of this site, such as `/m/activity?id=…`. */
  onInside?: ((path: string) => void) | undefined;
  className?: string | undefined;
}

/**
 * An operator's text with its headings, lists, tables and pictures. It includes the sanitiser, so
 * only lazily loaded screens may import it.
 */
export function RichContent({ html, onInside, className }: RichContentProps) {
  const place = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    // A picture's failure does not bubble, so it is caught on its way down.
    current.addEventListener("error", hideFailed, true);
    current.replaceChildren(richFragment(html));
    return () => current.removeEventListener("error", hideFailed, true);
  }, [html]);

  const follow = (event: MouseEvent) => {
    if (onInside === undefined || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const path = link === null ? null : insidePath(link);
    if (path === null) return;
    event.preventDefault();
    onInside(path);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links inside are what is tapped.
    // biome-ignore lint/a11y/useKeyWithClickEvents: a link's own Enter is a click, too.
    <div ref={place} className={classNames(styles.rich, className)} onClick={follow} />
  );
}

/** The safe part of an operator's HTML, as nodes: parsing it once more could change it. */
export function richFragment(html: string): DocumentFragment {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    ALLOWED_URI_REGEXP: ADDRESSES,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** A style for looks only; text sizes in pixels become rem (specification, accounts §9). */
function styleOf(text: string): string {
  const { style } = document.createElement("span");
  style.cssText = text;
  return STYLE_PROPERTIES.map((name) => [name, style.getPropertyValue(name)] as const)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${TEXT_SIZES.includes(name) ? inRem(value) : value}`)
    .join("; ");
}

function inRem(size: string): string {
  const px = PX.exec(size.trim())?.[1];
  return px === undefined ? size : `${Number((Number(px) / PX_PER_REM).toFixed(4))}rem`;
}

/** Path and search of a link to this very site; null for any other. */
function insidePath(link: HTMLAnchorElement): string | null {
  const { origin, pathname, search, hash } = link;
  return origin === location.origin ? pathname + search + hash : null;
}

function hideFailed({ target }: Event): void {
  if (target instanceof HTMLImageElement) target.hidden = true;
}
