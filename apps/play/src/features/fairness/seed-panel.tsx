import { isClientSeed } from "@perya/games/client-seed";
import { Button } from "@perya/ui/button";
import { AS_TYPED, TextField } from "@perya/ui/field";
import { RetryState } from "@perya/ui/retry-state";
import { ListSkeleton } from "@perya/ui/skeleton";
import { type FormEvent, useState } from "react";
import { freshClientSeed } from "../../parts/proofs/client-seed.ts";
import { ownSeed } from "../../parts/proofs/shown-here.ts";
import { faultText } from "../../shell/fault.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import styles from "./fairness.module.css";
import { useSeed, useSeedChange } from "./use-seed.ts";
import { Fact } from "./verify-panel.tsx";

/** The pair in use, the hash of the next one, and how to change to it. */
export function SeedPanel() {
  const { t } = useText();
  const seed = useSeed();
  const { change, changing, changed } = useSeedChange();
  const [text, setText] = useState(freshClientSeed);
  const [wrong, setWrong] = useState<MessageId | null>(null);
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
  const { serverSeedHash, clientSeed, chosenBy, nextNonce, next } = seed.data;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const sent = next === undefined ? null : (ownSeed(next.seedId)?.clientSeed ?? null);
    const fault = faultOf(text, clientSeed, sent);
    setWrong(fault);
    if (fault === "fairness.client_seed_sent" && sent !== null) setText(sent);
    // The house has seen a refused seed, and could choose the next server seed by it from now on.
    if (fault === null) change(text, { onSettled: () => setText(freshClientSeed()) });
  };
  return (
    <section className={styles.panel} aria-label={t("fairness.seeds")}>
      <h2 className={styles.head}>{t("fairness.in_use")}</h2>
      <dl className={styles.facts}>
        <Fact name={t("fairness.server_hash")} value={serverSeedHash} />
        <Fact name={t("fairness.client_seed")} value={clientSeed} />
        <Fact name={t("fairness.next_nonce")} value={`${nextNonce}`} />
      </dl>
      {chosenBy === "house" && <p>{t("fairness.client_seed_ours")}</p>}
      {next !== undefined && (
        <>
          <h2 className={styles.head}>{t("fairness.next")}</h2>
          <dl className={styles.facts} data-testid="next-seed">
            <Fact name={t("fairness.server_hash")} value={next.serverSeedHash} />
          </dl>
          <p>{t("fairness.next_text")}</p>
        </>
      )}
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={t("fairness.new_client_seed")}
          hint={t("fairness.new_client_seed_hint")}
          errors={wrong === null ? "" : t(wrong)}
          value={text}
          maxLength={64}
          {...AS_TYPED}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" block loading={changing}>
          {t("fairness.replace")}
        </Button>
      </form>
      {changed !== undefined && (
        <div className={styles.proof} aria-live="polite">
          {!changed.isAsShown && <p className={styles.bad}>{t("fairness.next_swapped")}</p>}
          <h2 className={styles.head}>{t("fairness.revealed")}</h2>
          <dl className={styles.facts}>
            <Fact name={t("fairness.server_seed")} value={changed.revealed.serverSeed} />
            <Fact name={t("fairness.server_hash")} value={changed.revealed.serverSeedHash} />
            <Fact name={t("fairness.client_seed")} value={changed.revealed.clientSeed} />
            <Fact name={t("fairness.revealed_rounds")} value={`${changed.revealed.rounds}`} />
          </dl>
        </div>
      )}
    </section>
  );
}

/**
 * The next server seed was fixed while the client seed in use was known, so the new client seed
 * must differ. It must also be the one already sent: the house could choose between two.
 */
function faultOf(text: string, inUse: string, sent: string | null): MessageId | null {
  if (!isClientSeed(text)) return "fairness.client_seed_format";
  if (sent !== null && text !== sent) return "fairness.client_seed_sent";
  return text === inUse ? "fairness.client_seed_same" : null;
}
