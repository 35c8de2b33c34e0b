import { SupportIcon } from "@perya/ui/icon";
import { useServiceLinks } from "../../parts/service-links.ts";
import { useText } from "../../shell/text.ts";
import styles from "./service-links.module.css";

/** Social and chat links at the foot of the log-in, for who cannot get in. */
export function ServiceLinks() {
  const { t } = useText();
  const links = useServiceLinks();
  if (links.length === 0) return null;
  return (
    <nav className={styles.links} aria-label={t("auth.services")}>
      {links.map(({ title, url }) => (
        <a key={url} className={styles.link} href={url} target="_blank" rel="noreferrer">
          <span className={styles.icon} aria-hidden="true">
            <SupportIcon size={20} />
          </span>
          {title}
        </a>
      ))}
    </nav>
  );
}
