import { Badge } from "@perya/ui/badge";
import { Button } from "@perya/ui/button";
import { CheckIcon, ErrorIcon } from "@perya/ui/icon";
import { MoneyText } from "@perya/ui/money-text";
import { Skeleton } from "@perya/ui/skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { faultText } from "../../shell/fault.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./fairness.module.css";
import { type Proof, proofQuery } from "./proof-query.ts";
import { SEED_KEY } from "./seed-query.ts";

/** One round, recomputed: what was claimed, what comes out, whether they agree. */
export function RoundProof({ id }: { id: string }) {
  const proof = useQuery(proofQuery(id));
  if (proof.isPending) return <Skeleton height={160} />;
  if (proof.isError) {
    return (
      <p role="alert" className={styles.fault}>
        {faultText(proof.error)}
      </p>
    );
  }
  return proof.data.kind === "sealed" ? (
    <Sealed round={proof.data.round} />
  ) : (
    <Judged proof={proof.data} />
  );
}

/** A round whose server seed is still in use: revealing it replaces the pair. */
function Sealed({ round }: { round: Extract<Proof, { kind: "sealed" }>["round"] }) {
  const { t } = useText();
  const client = useQueryClient();
  const reveal = useMutation({
    mutationFn: () =>
      api.call("POST /api/v1/fairness/seed", {
        body: { clientSeed: round.fairness.clientSeed },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: [SEED_KEY[0], SEED_KEY[1]] }),
  });
  return (
    <div className={styles.proof} data-verdict="sealed">
      <p>{t("fairness.sealed")}</p>
      <dl className={styles.facts}>
        <dt>{t("fairness.server_hash")}</dt>
        <dd>{round.fairness.serverSeedHash}</dd>
      </dl>
      {reveal.isError && (
        <p role="alert" className={styles.fault}>
          {faultText(reveal.error)}
        </p>
      )}
      <Button block loading={reveal.isPending} onClick={() => reveal.mutate()}>
        {t("fairness.reveal_now")}
      </Button>
    </div>
  );
}

function Judged({ proof }: { proof: Exclude<Proof, { kind: "sealed" }> }) {
  const { t } = useText();
  const { verdict } = proof;
  const confirmed = verdict.verdict === "confirmed";
  return (
    <div className={styles.proof} data-verdict={verdict.verdict}>
      <p role="status" className={styles.verdict}>
        {confirmed ? (
          <CheckIcon size={22} aria-hidden="true" />
        ) : (
          <ErrorIcon size={22} aria-hidden="true" />
        )}
        <Badge tone={confirmed ? "good" : "bad"}>{t(`fairness.${verdict.verdict}`)}</Badge>
      </p>
      {proof.kind === "solo" ? <SoloFacts round={proof.round} /> : <FlightFacts proof={proof} />}
      {verdict.verdict === "refuted" && (
        <ul className={styles.steps}>
          {verdict.differences.map(({ path, claimed, recomputed }) => (
            <li key={path}>
              {path}: {JSON.stringify(claimed)} ≠ {JSON.stringify(recomputed)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function SoloFacts({ round }: { round: Extract<Proof, { kind: "solo" }>["round"] }) {
  const { t, number } = useText();
  return (
    <dl className={styles.facts}>
      <dt>{t("fairness.server_seed")}</dt>
      <dd>{round.fairness.serverSeed}</dd>
      <dt>{t("fairness.server_hash")}</dt>
      <dd>{round.fairness.serverSeedHash}</dd>
      <dt>{t("fairness.client_seed")}</dt>
      <dd>{round.fairness.clientSeed}</dd>
      <dt>{t("fairness.nonce")}</dt>
      <dd>{number(round.fairness.nonce)}</dd>
      <dt>{t("records.stake")}</dt>
      <dd>
        <MoneyText value={round.stake} />
      </dd>
      <dt>{t("records.payout")}</dt>
      <dd>
        <MoneyText value={round.payout} />
      </dd>
    </dl>
  );
}

function FlightFacts({ proof }: { proof: Extract<Proof, { kind: "flight" }> }) {
  const { t } = useText();
  const { flight } = proof;
  return (
    <dl className={styles.facts}>
      <dt>{t("fairness.server_seed")}</dt>
      <dd>{flight.seed}</dd>
      <dt>{t("fairness.server_hash")}</dt>
      <dd>{flight.seedHash}</dd>
      <dt>{t("fairness.salt")}</dt>
      <dd>{flight.salt}</dd>
      <dt>{t("fairness.crashed_at")}</dt>
      <dd>{`${(flight.crashedAt / 100).toFixed(2)}×`}</dd>
    </dl>
  );
}
