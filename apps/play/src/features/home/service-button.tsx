import { IconButton } from "@perya/ui/button";
import { ChatIcon, FacebookIcon, SupportIcon, TelegramIcon } from "@perya/ui/icon";
import { SmallPopup } from "@perya/ui/small-popup";
import { Link } from "@tanstack/react-router";
import { useServiceLinks } from "../../parts/service-links.ts";
import { useText } from "../../shell/text.ts";
import styles from "./floating-buttons.module.css";

/** Networks by the name that their links have in every language. */
const NETWORKS: Readonly<Partial<Record<string, typeof SupportIcon>>> = {
  Facebook: FacebookIcon,
  Telegram: TelegramIcon,
};

/** One button for all: Facebook, Telegram and whatever else the brand answers by, and its chat. */
export default function ServiceButton({ chat }: { chat: boolean }) {
  const { t } = useText();
  return (
    <SmallPopup
      opensOn="hover"
      label={t("auth.services")}
      trigger={
        <IconButton label={t("auth.services")} className={styles.service}>
          <SupportIcon size={22} aria-hidden="true" />
        </IconButton>
      }
    >
      <Services chat={chat} />
    </SmallPopup>
  );
}

/** Asks for the links when the popup opens, so that home need not. */
function Services({ chat }: { chat: boolean }) {
  const { t } = useText();
  const links = useServiceLinks();
  return (
    <nav className={styles.links} aria-label={t("auth.services")}>
      {links.map(({ title, url }) => {
        const Icon = NETWORKS[title] ?? SupportIcon;
        return (
          <a key={url} href={url} target="_blank" rel="noreferrer">
            <Icon size={20} aria-hidden="true" />
            {title}
          </a>
        );
      })}
      {chat && (
        <Link to="/m/chat" preload={false}>
          <ChatIcon size={20} aria-hidden="true" />
          {t("shell.live_chat")}
        </Link>
      )}
    </nav>
  );
}
