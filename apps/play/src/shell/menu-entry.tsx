import { buttonClass } from "@perya/ui/button";
import { ForwardIcon, type Icon, SignOutIcon } from "@perya/ui/icon";
import type { ReactNode } from "react";
import type { Gate } from "./access.ts";
import styles from "./menu-entry.module.css";
import { PopupLink } from "./popup-link.tsx";
import { type Popup, usePopups } from "./popups.ts";
import { type MessageId, useText } from "./text.ts";
import { useGate } from "./use-gate.ts";
import { useShows } from "./use-shows.ts";

export interface MenuEntryProps {
  path: string;
  gate?: Gate;
  guests?: "popup" | "page";
  icon: ReactNode;
  children: ReactNode;
}

/**
 * A link of a menu that replaces it in the history: Back does not open it again. It is absent where
 * the brand does not have its page.
 */
export function MenuEntry({ path, gate, guests = "popup", icon, children }: MenuEntryProps) {
  const popups = usePopups();
  const gateOf = useGate();
  const shows = useShows();
  if (!shows(path)) return null;
  const refusal = gate === undefined ? null : gateOf({ to: path, gate, guests });
  return (
    <li>
      <a
        href={path}
        className={styles.entry}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          if (refusal === null) popups.leaveTo(path);
          else refusal();
        }}
      >
        {icon}
        <span>{children}</span>
        <ForwardIcon className={styles.chevron} size={16} aria-hidden="true" />
      </a>
    </li>
  );
}

/** Every entry of a menu, one below the other. */
export function MenuList({ children }: { children: ReactNode }) {
  return <ul className={styles.list}>{children}</ul>;
}

/** How a menu shows an entry's icon. */
export const ENTRY_ICON = { size: 20, "aria-hidden": "true" } as const;

export interface ListedEntry {
  readonly path: string;
  readonly text: MessageId;
  readonly Icon: Icon;
  readonly gate?: Gate;
}

/** Entries of a menu as they are listed. */
export function ListedEntries({ entries }: { entries: readonly ListedEntry[] }) {
  const { t } = useText();
  return entries.map(({ path, text, Icon, gate }) => (
    <MenuEntry
      key={path}
      path={path}
      {...(gate === undefined ? {} : { gate })}
      icon={<Icon {...ENTRY_ICON} />}
    >
      {t(text)}
    </MenuEntry>
  ));
}

/** Another popup replaces the menu. */
export function MenuPopupEntry(props: {
  pop: Popup;
  icon: ReactNode;
  detail?: string;
  children: ReactNode;
}) {
  return (
    <li>
      <PopupLink pop={props.pop} className={styles.entry}>
        {props.icon}
        <span>{props.children}</span>
        {props.detail !== undefined && <em>{props.detail}</em>}
      </PopupLink>
    </li>
  );
}

/** Asks first; see the dialog. */
export function SignOutButton() {
  const { t } = useText();
  const popups = usePopups();
  return (
    <button
      type="button"
      className={buttonClass({ variant: "secondary", block: true })}
      onClick={() => popups.open("signout")}
    >
      <SignOutIcon size={18} aria-hidden="true" />
      {t("member.sign_out")}
    </button>
  );
}
