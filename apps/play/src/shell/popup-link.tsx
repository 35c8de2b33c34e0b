import type { ComponentProps, MouseEvent } from "react";
import { type Popup, type ShellSearch, usePopups } from "./popups.ts";

export interface PopupLinkProps extends Omit<ComponentProps<"a">, "href" | "onClick" | "id"> {
  pop: Popup;
  more?: Omit<ShellSearch, "pop">;
}

/**
 * A link to a popup over this page. The router's own link would call itself the current page,
 * because only the search differs.
 */
export function PopupLink({ pop, more = {}, ...anchor }: PopupLinkProps) {
  const popups = usePopups();
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    popups.open(pop, more);
  };
  return <a {...anchor} href={`?${new URLSearchParams({ ...more, pop })}`} onClick={open} />;
}
