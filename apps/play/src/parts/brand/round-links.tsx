import { ChatIcon, FacebookIcon, SupportIcon, TelegramIcon } from "@perya/ui/icon";
import { Link } from "@tanstack/react-router";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { useGatedLink } from "../../shell/use-gate.ts";
import styles from "./round-links.module.css";
import type { ServiceLink } from "./service-contacts.ts";

/** Networks by their links' names, which are the same in every language. */
const NETWORKS: Readonly<Partial<Record<string, typeof SupportIcon>>> = {
  Facebook: FacebookIcon,
  Telegram: TelegramIcon,
};

/** A round button for each of the brand's contacts, and for its chat where it has one. */
export function RoundLinks({ links, chat }: { links: readonly ServiceLink[]; chat: boolean }) {
  const { t } = useText();
  const loggedIn = useSession(({ session }) => session !== null);
  const gated = useGatedLink();
  return (
    <>
      {links.map(({ title, url }) => {
        const Icon = NETWORKS[title] ?? SupportIcon;
        return (
          <a
            key={url}
            href={url}
            target="_blank"
            rel="noreferrer"
            className={styles.round}
            aria-label={title}
            title={title}
          >
            <Icon size={22} />
          </a>
        );
      })}
      {chat && (
        <Link
          to="/m/chat"
          preload={false}
          className={styles.round}
          aria-label={t("shell.live_chat")}
          title={t("shell.live_chat")}
          // The chat itself asks a guest to log in.
          {...(loggedIn ? gated({ to: "/m/chat", gate: "unlessTrial" }) : {})}
        >
          <ChatIcon size={22} />
        </Link>
      )}
    </>
  );
}
