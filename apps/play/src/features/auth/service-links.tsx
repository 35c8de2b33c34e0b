import { SupportIcon } from "@perya/ui/icon";
import { skipToken, useQuery } from "@tanstack/react-query";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { serviceLinks } from "./service-contacts.ts";
import styles from "./service-links.module.css";

/** Social and chat links at the foot of the log-in, for who cannot get in. */
export function ServiceLinks() {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  const info = status?.info;
  const { data: links = [] } = useQuery({
    queryKey: ["service-links", info?.contactKey, info?.customerService, info?.resources],
    queryFn: info === undefined ? skipToken : () => serviceLinks(info),
    staleTime: Number.POSITIVE_INFINITY,
  });
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
