import { buttonClass } from "@perya/ui/button";
import { ForwardIcon, type Icon, SignOutIcon } from "@perya/ui/icon";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Gate } from "./access.ts";
import styles from "./menu-entry.module.css";
import { PopupLink } from "./popup-link.tsx";
import { type Popup, usePopups } from "./popups.ts";
import { queries } from "./server.ts";
import { type MessageId, useText } from "./text.ts";
import { useGate } from "./use-gate.ts";

export interface MenuEntryProps {
  path: string;
  gate?: Gate;
  guests?: "popup" | "page";
  icon: ReactNode;
  children: ReactNode;
}

/** A way on from a menu, which takes its place in the history: Back does not open it again. */
export function MenuEntry({ path, gate, guests = "popup", icon, children }: MenuEntryProps) {
  const popups = usePopups();
  const gateOf = useGate();
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

/** As a menu shows an entry's picture. */
export const ENTRY_ICON = { size: 20, "aria-hidden": "true" } as const;

export interface FlaggedEntry {
  /** The permission key that has it on. */
  readonly key: string;
  readonly path: string;
  readonly text: MessageId;
  readonly Icon: Icon;
}

/** Those of a menu's entries whose permission key the brand has on. */
export function FlaggedEntries({ entries }: { entries: readonly FlaggedEntry[] }) {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  const flags = status?.info.whitelabel ?? {};
  return entries
    .filter(({ key }) => flags[key] === true)
    .map(({ path, text, Icon }) => (
      <MenuEntry key={path} path={path} icon={<Icon {...ENTRY_ICON} />}>
        {t(text)}
      </MenuEntry>
    ));
}

/** Another popup takes the menu's place. */
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
