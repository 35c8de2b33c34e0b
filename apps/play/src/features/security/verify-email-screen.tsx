import { ApiRefusal } from "@perya/client/refused";
import { Button, buttonClass } from "@perya/ui/button";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { isWholeToken } from "../../parts/account/mail-token.ts";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { faultText } from "../../shell/fault.ts";
import { usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import { useShows } from "../../shell/use-shows.ts";
import styles from "./security.module.css";

/** Opened by the link in the mail: from now on the address belongs to the account. */
export default function VerifyEmailScreen() {
  const { t } = useText();
  const client = useQueryClient();
  const { token = "" } = useSearch({ from: "/m/verifyEmail" });
  const whole = isWholeToken(token);
  // A link is valid once: its answer is kept as long as the page, and never asked again.
  const link = useQuery({
    queryKey: ["email-link", token],
    queryFn: () => api.call("POST /api/v1/auth/email-link", { body: { token } }),
    enabled: whole,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const done = link.isSuccess;
  useEffect(() => {
    if (done) void client.invalidateQueries(screenQueries.security());
  }, [done, client]);

  if (link.data !== undefined) {
    return (
      <div role="status">
        <EmptyScene
          title={t("security.verified_title")}
          text={t("security.verified_text", { email: link.data.email })}
          action={<Onward />}
        />
      </div>
    );
  }
  if (!whole || link.error instanceof ApiRefusal) {
    return (
      <div role="alert">
        <EmptyScene
          scene="error"
          title={t("security.link_title")}
          text={whole && link.error !== null ? faultText(link.error) : t("auth.reset_spent")}
          action={<Onward />}
        />
      </div>
    );
  }
  if (link.isError) {
    return <QueryFailed query={link} />;
  }
  return (
    <div className={styles.screen}>
      <ListSkeleton count={2} label={t("security.link_checking")} />
    </div>
  );
}

/** Mails are often opened in a browser that is not logged in. */
function Onward() {
  const { t } = useText();
  const popups = usePopups();
  const loggedIn = useSession(({ session }) => session !== null);
  const shows = useShows();
  if (!shows("/m/securityCenter")) return null;
  if (!loggedIn) {
    return (
      <Button onClick={() => popups.open("login", { next: "/m/securityCenter" })}>
        {t("auth.login")}
      </Button>
    );
  }
  return (
    <Link to="/m/securityCenter" className={buttonClass()}>
      {t("security.title")}
    </Link>
  );
}
