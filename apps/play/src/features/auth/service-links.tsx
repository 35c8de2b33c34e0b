import { RoundLinks } from "../../parts/brand/round-links.tsx";
import { useServiceLinks } from "../../parts/brand/service-links.ts";
import { useText } from "../../shell/text.ts";
import { useShows } from "../../shell/use-shows.ts";
import styles from "./service-links.module.css";

/** Social pages, contacts and the chat, over the log-in for players who cannot get in. */
export function ServiceLinks() {
  const { t } = useText();
  const links = useServiceLinks("login");
  const chat = useShows()("/m/chat");
  if (links.length === 0 && !chat) return null;
  return (
    <nav className={styles.floating} aria-label={t("auth.services")}>
      <RoundLinks links={links} chat={chat} />
    </nav>
  );
}
