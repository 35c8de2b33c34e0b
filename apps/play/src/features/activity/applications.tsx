import type { Reply } from "@perya/client/api";
import { Badge, type BadgeTone } from "@perya/ui/badge";
import { Button } from "@perya/ui/button";
import { RecordIcon } from "@perya/ui/icon";
import { Skeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { isTrial, useSession } from "../../shell/session.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import styles from "./applications.module.css";

export type Application = Reply<"GET /api/v1/promotions/applications">["list"][number];

const TONES: Readonly<Record<Application["state"], BadgeTone>> = {
  pending: "info",
  approved: "good",
  rejected: "bad",
};

/** Leads to the player's applications; empty for guests and in free play. */
export function OwnApplications() {
  const { t } = useText();
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const applies = useSession(({ session }) => session !== null && !isTrial(session));
  if (!applies) return null;
  return (
    <>
      <Button
        variant="secondary"
        block
        icon={<RecordIcon size={18} />}
        onClick={() => popups.open("applications")}
      >
        {t("activity.applications")}
      </Button>
      <Sheet
        open={popup === "applications"}
        close={popups.close}
        title={t("activity.applications")}
      >
        {popup === "applications" && <ApplicationList />}
      </Sheet>
    </>
  );
}

function ApplicationList() {
  const { t, language } = useText();
  const query = useQuery(screenQueries.applications(language));
  const { data } = query;
  if (data === undefined) return <Unloaded query={query} rows={3} />;
  if (data.length === 0) {
    return (
      <EmptyScene
        title={t("activity.no_applications")}
        text={t("activity.no_applications_text")}
        level={3}
      />
    );
  }
  return (
    <ul className={styles.list}>
      {data.map((application) => (
        <li key={application.id}>
          <ApplicationCard application={application} titled />
        </li>
      ))}
    </ul>
  );
}

/** A request, its time and its result; `titled` where it is shown away from its promotion. */
export function ApplicationCard(props: { application: Application; titled?: boolean }) {
  const { application, titled = false } = props;
  const { t, when } = useText();
  return (
    <article className={styles.card}>
      <div className={styles.head}>
        <span className={styles.when}>{when(application.sentAt)}</span>
        <Badge tone={TONES[application.state]}>{t(`activity.state_${application.state}`)}</Badge>
      </div>
      {titled && <b>{application.title}</b>}
      {application.remark !== "" && <p className={styles.remark}>{application.remark}</p>}
      {application.images.length > 0 && (
        <ul className={styles.pictures}>
          {application.images.map((id, at) => (
            <li key={id}>
              <SentPicture id={id} label={t("activity.picture", { position: at + 1 })} />
            </li>
          ))}
        </ul>
      )}
      {application.answer !== "" && <p className={styles.answer}>{application.answer}</p>}
    </article>
  );
}

function SentPicture({ id, label }: { id: string; label: string }) {
  const { data } = useQuery(screenQueries.sentPicture(id));
  if (data === undefined) return <Skeleton width={72} height={72} radius="var(--r-2)" />;
  return <img src={data} alt={label} width={72} height={72} className={styles.picture} />;
}
