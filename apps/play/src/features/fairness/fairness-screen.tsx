import { isId } from "@perya/kernel/ids";
import { Segmented } from "@perya/ui/segmented";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./fairness.module.css";
import { ManualPanel } from "./manual-panel.tsx";
import { OtherCodePanel } from "./other-code-panel.tsx";
import { SeedPanel } from "./seed-panel.tsx";
import { VerifyPanel } from "./verify-panel.tsx";

type Part = "verify" | "seeds" | "manual" | "code";

/** Where anyone can recompute any round on their own phone. */
export default function FairnessScreen() {
  const asked = useLocation({ select: ({ searchStr }) => askedRound(searchStr) });
  return <Parts key={asked} asked={asked} />;
}

function Parts({ asked }: { asked: string }) {
  const { t } = useText();
  const loggedIn = useSession((held) => held.session !== null);
  const [part, setPart] = useState<Part>("verify");
  /** The round on the screen; the code shown is the one that dealt it. */
  const [id, setId] = useState<string | null>(isId("round", asked) ? asked : null);
  return (
    <div className={styles.page}>
      <p className={styles.lead}>{t("fairness.lead")}</p>
      <details className={styles.more}>
        <summary>{t("fairness.how")}</summary>
        <ol>
          <li>{t("fairness.step_hash")}</li>
          <li>{t("fairness.step_draw")}</li>
          <li>{t("fairness.step_reveal")}</li>
          <li>{t("fairness.how_kite")}</li>
        </ol>
      </details>
      <Segmented<Part>
        label={t("fairness.parts")}
        value={part}
        onValueChange={setPart}
        choices={[
          { value: "verify", label: t("fairness.tab_round") },
          { value: "seeds", label: t("fairness.tab_seeds") },
          { value: "manual", label: t("fairness.manual") },
          { value: "code", label: t("fairness.tab_code") },
        ]}
      />
      {part === "verify" && <VerifyPanel typed={id ?? asked} id={id} onAsk={setId} />}
      {part === "seeds" && (loggedIn ? <SeedPanel /> : <p>{t("fairness.log_in_first")}</p>)}
      {part === "manual" && <ManualPanel />}
      {part === "code" && <OtherCodePanel id={id} />}
    </div>
  );
}

function askedRound(search: string): string {
  // The router writes texts as JSON; an address made by hand has them bare.
  return (new URLSearchParams(search).get("round") ?? "").replace(/^"|"$/g, "").slice(0, 60);
}
