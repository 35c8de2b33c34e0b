import type { ItemOf } from "@perya/client/api";
import { Badge } from "@perya/ui/badge";
import { useInfiniteQuery } from "@tanstack/react-query";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { deviceName } from "./device-name.ts";
import { methodLabel } from "./login-method.ts";
import styles from "./security.module.css";

type Login = ItemOf<"GET /api/v1/member/logins">;

const OUTCOMES: Readonly<Record<Login["outcome"], MessageId>> = {
  done: "security.login_done",
  wrong: "security.login_wrong",
  second_factor_wrong: "security.login_second_factor_wrong",
  refused: "security.login_refused",
};

/** Log-ins and failed tries, newest first, in which a stranger's tries are easy to see. */
export function LoginsPanel() {
  const { t } = useText();
  const list = useInfiniteQuery(screenQueries.logins());
  return (
    <PagedList
      list={list}
      keyOf={({ id }) => id}
      empty={t("security.no_logins")}
      row={(login) => <LoginRow login={login} />}
    />
  );
}

function LoginRow({ login }: { login: Login }) {
  const { t, when } = useText();
  return (
    <div className={styles.row}>
      <span className={styles.what}>
        <b>{deviceName(login.userAgent) ?? t("security.device_unknown")}</b>
        <span>
          {t(methodLabel(login.method))} · {login.address}
        </span>
        <span>{when(login.at)}</span>
      </span>
      <Badge tone={login.outcome === "done" ? "good" : "bad"}>{t(OUTCOMES[login.outcome])}</Badge>
    </div>
  );
}
