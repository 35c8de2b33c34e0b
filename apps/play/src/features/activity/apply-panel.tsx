import { Button } from "@perya/ui/button";
import { useQuery } from "@tanstack/react-query";
import type { Promotion } from "../../parts/promotions/promotions.ts";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";
import { ApplicationCard } from "./applications.tsx";
import styles from "./apply-panel.module.css";
import { ApplySheet } from "./apply-sheet.tsx";

/** The player's applications for this promotion, and the way to apply. */
export function ApplyPanel({ promotion }: { promotion: Promotion }) {
  const { t, language } = useText();
  const popups = usePopups();
  const { popup } = useOpenPopup();
  const refusal = useGate()({ to: `/m/activityDetail?id=${promotion.id}`, gate: "real" });
  const { data = [] } = useQuery({
    ...screenQueries.applications(language),
    enabled: refusal === null,
  });
  const own = data.filter(({ promotionId }) => promotionId === promotion.id);
  const waits = own.some(({ state }) => state === "pending");
  return (
    <section className={styles.panel} aria-labelledby="apply-title">
      <h3 id="apply-title">{t("activity.apply_title")}</h3>
      <p className={styles.hint}>{t(waits ? "activity.waiting" : "activity.apply_hint")}</p>
      {own.map((application) => (
        <ApplicationCard key={application.id} application={application} />
      ))}
      {!waits && (
        <Button size="lg" block onClick={() => (refusal ?? (() => popups.open("apply")))()}>
          {t("activity.apply")}
        </Button>
      )}
      {refusal === null && (
        <ApplySheet open={popup === "apply" && !waits} close={popups.close} promotion={promotion} />
      )}
    </section>
  );
}
