import { IconButton } from "@perya/ui/button";
import { ChatIcon, SupportIcon } from "@perya/ui/icon";
import { SmallPopup } from "@perya/ui/small-popup";
import { Link } from "@tanstack/react-router";
import { useServiceLinks } from "../../parts/service-links.ts";
import { useText } from "../../shell/text.ts";
import styles from "./floating-buttons.module.css";

/** One button for all: Facebook, Telegram and whatever else the brand answers by, and its chat. */
export default function ServiceButton({ chat }: { chat: boolean }) {
  const { t } = useText();
  const links = useServiceLinks();
  if (links.length === 0 && !chat) return null;
  return (
    <SmallPopup
      label={t("auth.services")}
      trigger={
        <IconButton label={t("auth.services")} className={styles.service}>
          <SupportIcon size={22} aria-hidden="true" />
        </IconButton>
      }
    >
      <nav className={styles.links} aria-label={t("auth.services")}>
        {links.map(({ title, url }) => (
          <a key={url} href={url} target="_blank" rel="noreferrer">
            <SupportIcon size={20} aria-hidden="true" />
            {title}
          </a>
        ))}
        {chat && (
          <Link to="/m/chat" preload={false}>
            <ChatIcon size={20} aria-hidden="true" />
            {t("shell.live_chat")}
          </Link>
        )}
      </nav>
    </SmallPopup>
  );
}
