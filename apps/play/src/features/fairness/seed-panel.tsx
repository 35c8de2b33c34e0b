import { Button } from "@perya/ui/button";
import { TextField } from "@perya/ui/field";
import { RetryState } from "@perya/ui/retry-state";
import { ListSkeleton } from "@perya/ui/skeleton";
import { type FormEvent, useState } from "react";
import { faultText } from "../../shell/fault.ts";
import { useText } from "../../shell/text.ts";
import styles from "./fairness.module.css";
import { useSeed, useSeedChange } from "./use-seed.ts";
import { Fact, freshClientSeed } from "./verify-panel.tsx";

/** As the contract has it: visible characters, no space, no colon. */
const CLIENT_SEED = /^[\x21-\x39\x3b-\x7e]{1,64}$/;

/** The pair in use, and how to change it. */
export function SeedPanel() {
  const { t } = useText();
  const seed = useSeed();
  const { change, changing, revealed } = useSeedChange();
  const [text, setText] = useState(freshClientSeed);
  const [wrong, setWrong] = useState(false);
  if (seed.isPending) return <ListSkeleton label={t("games.loading")} />;
  if (seed.isError) {
    return (
      <RetryState
        title={t("fairness.seed_failed")}
        text={faultText(seed.error)}
        retryLabel={t("games.retry")}
        onRetry={() => void seed.refetch()}
      />
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const fits = CLIENT_SEED.test(text);
    setWrong(!fits);
    if (fits) change(text, { onSuccess: () => setText(freshClientSeed()) });
  };
  return (
    <section className={styles.panel} aria-label={t("fairness.seeds")}>
      <h2 className={styles.head}>{t("fairness.in_use")}</h2>
      <dl className={styles.facts}>
        <Fact name={t("fairness.server_hash")} value={seed.data.serverSeedHash} />
        <Fact name={t("fairness.client_seed")} value={seed.data.clientSeed} />
        <Fact name={t("fairness.next_nonce")} value={`${seed.data.nextNonce}`} />
      </dl>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={t("fairness.new_client_seed")}
          hint={t("fairness.new_client_seed_hint")}
          errors={wrong ? t("fairness.client_seed_format") : ""}
          value={text}
          maxLength={64}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" block loading={changing}>
          {t("fairness.replace")}
        </Button>
      </form>
      {revealed !== undefined && (
        <div className={styles.proof} aria-live="polite">
          <h2 className={styles.head}>{t("fairness.revealed")}</h2>
          <dl className={styles.facts}>
            <Fact name={t("fairness.server_seed")} value={revealed.serverSeed} />
            <Fact name={t("fairness.server_hash")} value={revealed.serverSeedHash} />
            <Fact name={t("fairness.client_seed")} value={revealed.clientSeed} />
            <Fact name={t("fairness.revealed_rounds")} value={`${revealed.rounds}`} />
          </dl>
        </div>
      )}
    </section>
  );
}
