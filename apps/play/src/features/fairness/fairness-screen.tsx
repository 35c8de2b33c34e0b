import { Button } from "@perya/ui/button";
import { TextField } from "@perya/ui/field";
import { Skeleton } from "@perya/ui/skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { faultText } from "../../shell/fault.ts";
import { api } from "../../shell/server.ts";
import { useSession } from "../../shell/session.ts";
import { useText } from "../../shell/text.ts";
import styles from "./fairness.module.css";
import { RoundProof } from "./round-proof.tsx";
import { SEED_KEY, seedQuery } from "./seed-query.ts";

/** How fairness works, the player's own seeds, and the proof of any round. */
export default function FairnessScreen() {
  const { t } = useText();
  const { round = "" } = useSearch({ from: "/m/fairness" });
  const [id, setId] = useState(round);
  const [proved, setProved] = useState(round);
  const loggedIn = useSession(({ session }) => session !== null);
  return (
    <div className={styles.screen}>
      <section className={styles.card} aria-labelledby="fairness-how">
        <h2 id="fairness-how">{t("fairness.how")}</h2>
        <ol className={styles.steps}>
          <li>{t("fairness.step_hash")}</li>
          <li>{t("fairness.step_draw")}</li>
          <li>{t("fairness.step_reveal")}</li>
        </ol>
      </section>
      <section className={styles.card} aria-labelledby="fairness-verify">
        <h2 id="fairness-verify">{t("fairness.verify_title")}</h2>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            setProved(id.trim());
          }}
        >
          <TextField
            label={t("fairness.round_id")}
            hint={t("fairness.round_id_hint")}
            value={id}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={60}
            onChange={(event) => setId(event.target.value)}
          />
          <Button type="submit" block disabled={id.trim() === ""}>
            {t("fairness.verify")}
          </Button>
        </form>
        {proved !== "" && loggedIn && <RoundProof key={proved} id={proved} />}
        {proved !== "" && !loggedIn && <p className={styles.note}>{t("fairness.log_in_first")}</p>}
      </section>
      {loggedIn && <Seeds />}
    </div>
  );
}

/** The pair that the next rounds are drawn from, and how to replace it. */
function Seeds() {
  const { t, number } = useText();
  const client = useQueryClient();
  const seed = useQuery(seedQuery());
  const [clientSeed, setClientSeed] = useState("");
  const valid = /^[\x21-\x39\x3b-\x7e]{1,64}$/.test(clientSeed);
  const replace = useMutation({
    mutationFn: () => api.call("POST /api/v1/fairness/seed", { body: { clientSeed } }),
    onSuccess: () => {
      setClientSeed("");
      void client.invalidateQueries({ queryKey: [SEED_KEY[0], SEED_KEY[1]] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (valid) replace.mutate();
  };
  return (
    <section className={styles.card} aria-labelledby="fairness-seeds">
      <h2 id="fairness-seeds">{t("fairness.seeds")}</h2>
      {seed.data === undefined ? (
        <Skeleton height={120} />
      ) : (
        <dl className={styles.facts}>
          <dt>{t("fairness.server_hash")}</dt>
          <dd>{seed.data.serverSeedHash}</dd>
          <dt>{t("fairness.client_seed")}</dt>
          <dd>{seed.data.clientSeed}</dd>
          <dt>{t("fairness.next_nonce")}</dt>
          <dd>{number(seed.data.nextNonce)}</dd>
        </dl>
      )}
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={t("fairness.new_client_seed")}
          hint={t("fairness.new_client_seed_hint")}
          value={clientSeed}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          errors={[
            ...(clientSeed !== "" && !valid ? [t("fairness.client_seed_format")] : []),
            ...(replace.isError ? [faultText(replace.error)] : []),
          ]}
          onChange={(event) => setClientSeed(event.target.value)}
        />
        <Button type="submit" variant="secondary" block loading={replace.isPending}>
          {t("fairness.replace")}
        </Button>
      </form>
      {replace.data !== undefined && (
        <div role="status">
          <dl className={styles.facts}>
            <dt>{t("fairness.revealed")}</dt>
            <dd>{replace.data.revealed.serverSeed}</dd>
            <dt>{t("fairness.revealed_rounds")}</dt>
            <dd>{number(replace.data.revealed.rounds)}</dd>
          </dl>
        </div>
      )}
    </section>
  );
}
