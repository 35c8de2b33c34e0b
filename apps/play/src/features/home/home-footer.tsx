import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./home-footer.module.css";

const DEFAULT_AGE = 21;

export function HomeFooter() {
  const { t } = useText();
  const { data: status } = useQuery(queries.status());
  const age = status?.info.minimumAge ?? DEFAULT_AGE;
  const brand = status?.info.brandName ?? "Perya";
  return (
    <footer className={styles.footer}>
      <div className={styles.row}>
        <span className={styles.age} aria-hidden="true">
          {age}+
        </span>
        <p>{t("home.age_notice", { age })}</p>
      </div>
      <p>{t("home.responsible")}</p>
      <p>{t("home.licence", { brand })}</p>
      <p className={styles.links}>
        <Link to="/m/fairness">{t("shell.fairness")}</Link>
        <Link to="/m/set">{t("member.settings")}</Link>
      </p>
      <p className={styles.mark}>© {brand}</p>
    </footer>
  );
}
