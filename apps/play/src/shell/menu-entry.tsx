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

export interface ListedEntry {
  readonly path: string;
  readonly text: MessageId;
  readonly Icon: Icon;
  readonly gate?: Gate;
}

export interface MenuEntryProps extends ListedEntry {
  readonly guests?: "popup" | "page";
  /** Beside the text: what is unread. */
  readonly children?: ReactNode;
}

/**
 * A link of a menu that replaces it in the history: Back does not open it again. It is absent where
 * the brand does not have its page.
 */
export function MenuEntry(props: MenuEntryProps) {
  const { path, text, Icon, gate, guests = "popup", children } = props;
  const { t } = useText();
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
        <Icon size={20} />
        <span>
          {t(text)}
          {children !== undefined && <> {children}</>}
        </span>
        <ForwardIcon className={styles.chevron} size={16} />
      </a>
    </li>
  );
}

/** Every entry of a menu, one below the other. */
export function MenuList({ children }: { children: ReactNode }) {
  return <ul className={styles.list}>{children}</ul>;
}

/** Entries of a menu as they are listed. */
export function ListedEntries({ entries }: { entries: readonly ListedEntry[] }) {
  return entries.map((entry) => <MenuEntry key={entry.path} {...entry} />);
}

/** Another popup replaces the menu. */
export function MenuPopupEntry(props: { pop: Popup; name: string; Icon: Icon; detail?: string }) {
  return (
    <li>
      <PopupLink pop={props.pop} className={styles.entry}>
        <props.Icon size={20} aria-hidden="true" />
        <span>{props.name}</span>
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
      <SignOutIcon size={18} />
      {t("member.sign_out")}
    </button>
  );
}
