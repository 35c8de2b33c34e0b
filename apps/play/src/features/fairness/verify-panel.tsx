import { isId } from "@perya/kernel/ids";
import type { MoneyWire } from "@perya/kernel/money";
import { Button } from "@perya/ui/button";
import { TextField } from "@perya/ui/field";
import { ErrorIcon, SuccessIcon } from "@perya/ui/icon";
import { MoneyText, moneyLabel } from "@perya/ui/money-text";
import { ListSkeleton } from "@perya/ui/skeleton";
import { type FormEvent, useState } from "react";
import { faultText } from "../../shell/fault.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import styles from "./fairness.module.css";
import { type Proof, useProof } from "./use-proof.ts";
import { useSeedChange } from "./use-seed.ts";
import type { Step } from "./verdict-steps.ts";

const STEP_NAMES: Readonly<Record<Step["name"], MessageId>> = {
  hash: "fairness.proof_hash",
  draws: "fairness.proof_draws",
  outcome: "fairness.proof_outcome",
  payout: "fairness.proof_payout",
  chain: "fairness.proof_chain",
  crash: "fairness.proof_crash",
  ride: "fairness.proof_ride",
  readable: "fairness.unreadable",
};

export function VerifyPanel({ asked }: { asked: string }) {
  const { t } = useText();
  const [text, setText] = useState(asked);
  const [id, setId] = useState<string | null>(isId("round", asked) ? asked : null);
  const [wrong, setWrong] = useState(false);
  const proof = useProof(id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    const fits = isId("round", wanted);
    setWrong(!fits);
    if (!fits) return;
    if (wanted === id) void proof.refetch();
    setId(wanted);
  };
  return (
    <section className={styles.panel} aria-label={t("fairness.verify_title")}>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={t("fairness.round_id")}
          hint={t("fairness.round_id_hint")}
          errors={wrong ? t("fairness.round_wrong") : ""}
          value={text}
          placeholder="rnd_…"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <Button
          type="submit"
          block
          // Gold goes to what leads on: revealing the seed, while that is asked for.
          variant={proof.data?.kind === "sealed" ? "secondary" : "primary"}
          loading={proof.isFetching}
        >
          {t("fairness.verify")}
        </Button>
      </form>
      <div aria-live="polite">
        {id !== null && proof.isPending && <ListSkeleton label={t("games.loading")} />}
        {proof.isError && <p className={styles.bad}>{faultText(proof.error)}</p>}
        {proof.data !== undefined && (
          <ProofView proof={proof.data} again={() => void proof.refetch()} />
        )}
      </div>
    </section>
  );
}

function ProofView({ proof, again }: { proof: Proof; again: () => void }) {
  const { t } = useText();
  if (proof.kind === "unknown") return <p className={styles.bad}>{t("fairness.unknown")}</p>;
  if (proof.kind === "sealed") return <Sealed fairness={proof.round.fairness} again={again} />;
  const holds = proof.steps.every((step) => step.holds);
  const currency =
    proof.kind === "round" ? proof.round.payout.currency : (proof.bet?.payout.currency ?? "PHP");
  return (
    <div
      className={styles.proof}
      data-testid="proof"
      data-verdict={holds ? "confirmed" : "refuted"}
    >
      <p className={holds ? styles.good : styles.bad}>
        {holds ? (
          <SuccessIcon size={22} aria-hidden="true" />
        ) : (
          <ErrorIcon size={22} aria-hidden="true" />
        )}
        {t(holds ? "fairness.confirmed" : "fairness.refuted")}
      </p>
      <ol className={styles.steps}>
        {proof.steps.map((step) => (
          <StepView key={step.name} step={step} currency={currency} />
        ))}
      </ol>
      {proof.kind === "round" ? (
        <dl className={styles.facts}>
          <Fact name={t("fairness.server_seed")} value={proof.round.fairness.serverSeed ?? ""} />
          <Fact name={t("fairness.client_seed")} value={proof.round.fairness.clientSeed} />
          <Fact name={t("fairness.nonce")} value={`${proof.round.fairness.nonce}`} />
          <div>
            <dt>{t("games.stake")}</dt>
            <dd>
              <MoneyText value={proof.round.stake} />
            </dd>
          </div>
        </dl>
      ) : (
        <dl className={styles.facts}>
          <Fact name={t("fairness.flight_seed")} value={proof.flight.seed} />
          <Fact name={t("fairness.salt")} value={proof.flight.salt} />
        </dl>
      )}
    </div>
  );
}

function StepView({ step, currency }: { step: Step; currency: MoneyWire["currency"] }) {
  const { t } = useText();
  const worded = (value: string) => {
    if (value === "") return "–";
    if (step.name === "payout" || step.name === "ride")
      return moneyLabel({ minor: value, currency });
    if (step.name === "crash") return `${(Number(value) / 100).toFixed(2)}×`;
    return value;
  };
  return (
    <li className={styles.step} data-holds={step.holds}>
      {step.holds ? (
        <SuccessIcon size={20} aria-hidden="true" />
      ) : (
        <ErrorIcon size={20} aria-hidden="true" />
      )}
      <div>
        <p>
          {t(STEP_NAMES[step.name])}{" "}
          <b className="visually-hidden">{t(step.holds ? "fairness.equal" : "fairness.differs")}</b>
        </p>
        <code>{worded(step.claimed)}</code>
        {!step.holds && step.recomputed !== "" && (
          <code className={styles.ours}>
            {t("fairness.recomputed")} {worded(step.recomputed)}
          </code>
        )}
      </div>
    </li>
  );
}

/** The seed is in use: it can be shown only once no more rounds come from it. */
function Sealed(props: {
  fairness: { readonly serverSeedHash: string; readonly clientSeed: string };
  again: () => void;
}) {
  const { serverSeedHash, clientSeed } = props.fairness;
  const { t } = useText();
  const { change, changing } = useSeedChange(props.again);
  return (
    <div className={styles.proof} data-verdict="sealed">
      <p>{t("fairness.sealed")}</p>
      <dl className={styles.facts}>
        <Fact name={t("fairness.server_hash")} value={serverSeedHash} />
      </dl>
      <Button block loading={changing} onClick={() => change(clientSeed)}>
        {t("fairness.reveal_now")}
      </Button>
    </div>
  );
}

export function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
      </dd>
    </div>
  );
}

/** Sixteen characters by the browser's own strong chance; the player may type another. */
export function freshClientSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => (byte % 36).toString(36)).join("");
}
