import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { showsVip } from "../../shell/access.ts";
import { queries } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";
import styles from "./home-footer.module.css";

const DEFAULT_AGE = 21;

export function HomeFooter() {
  const { t } = useText();
  const session = useSession((state) => state.session);
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
        {status !== undefined && showsVip(session, status.info) && <VipLink />}
        <Link to="/m/fairness">{t("shell.fairness")}</Link>
        <Link to="/m/help" search={{ tag: "faq" }}>
          {t("help.faq")}
        </Link>
        <Link to="/m/feedback" preload={false}>
          {t("feedback.title")}
        </Link>
        <Link to="/m/set">{t("member.settings")}</Link>
      </p>
      <p className={styles.mark}>© {brand}</p>
    </footer>
  );
}

function VipLink() {
  const { t } = useText();
  const refusal = useGate()({ to: "/m/member/benefits", gate: "session" });
  return (
    <Link
      to="/m/member/benefits"
      preload={false}
      onClick={(event) => {
        if (refusal === null) return;
        event.preventDefault();
        refusal();
      }}
    >
      {t("shell.vip")}
    </Link>
  );
}
