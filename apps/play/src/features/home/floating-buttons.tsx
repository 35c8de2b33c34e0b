import { standsAt } from "@perya/contract/brand-info";
import { currencySymbol } from "@perya/ui/money-text";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazyPart, Part } from "../../shell/lazy-part.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { useShows } from "../../shell/use-shows.ts";
import styles from "./floating-buttons.module.css";

const ServiceButtons = lazyPart(() => import("./service-buttons.tsx"));

/** The buttons that float over home: the brand's bonus, and its contacts. */
export function FloatingButtons() {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  const shows = useShows();
  if (status === undefined) return null;
  const { info } = status;
  const symbol = currencySymbol(info);
  const people = info.customerService.some(
    (contact) => (contact.url !== null || contact.path !== null) && standsAt("home", contact),
  );
  const chat = shows("/m/chat");
  return (
    <aside className={styles.floating} aria-label={t("home.extras")}>
      {(people || chat || info.resources.length > 0) && (
        <Part>
          <ServiceButtons resources={info.resources} chat={chat} people={people} />
        </Part>
      )}
      {shows(info.homeButtonPath) && (
        <Link to={info.homeButtonPath} preload={false} className={styles.bonus}>
          + {symbol}7/{symbol}77
        </Link>
      )}
    </aside>
  );
}
