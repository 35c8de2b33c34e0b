import { isId } from "@perya/kernel/ids";
import { type Currency, fromWire } from "@perya/kernel/money";
import { Button } from "@perya/ui/button";
import { AS_TYPED, TextField } from "@perya/ui/field";
import { ErrorIcon, InfoIcon, SuccessIcon } from "@perya/ui/icon";
import { MoneyText, moneyLabel } from "@perya/ui/money-text";
import { ListSkeleton } from "@perya/ui/skeleton";
import { type FormEvent, useState } from "react";
import { freshClientSeed } from "../../parts/proofs/client-seed.ts";
import { faultText } from "../../shell/fault.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import styles from "./fairness.module.css";
import { type Proof, useProof } from "./use-proof.ts";
import { useSeedChange } from "./use-seed.ts";
import type { Step } from "./verdict-steps.ts";

const STEP_NAMES: Readonly<Record<Step["name"], MessageId>> = {
  hash: "fairness.proof_hash",
  shown: "fairness.proof_shown",
  client: "fairness.proof_client",
  draws: "fairness.proof_draws",
  outcome: "fairness.proof_outcome",
  payout: "fairness.proof_payout",
  flight: "fairness.proof_flight",
  published: "fairness.proof_published",
  signature: "fairness.proof_signature",
  chain: "fairness.proof_chain",
  salt: "fairness.proof_salt",
  crash: "fairness.proof_crash",
  ride: "fairness.proof_ride",
  readable: "fairness.unreadable",
};

const LOOKS = { confirmed: "good", unshown: "note", refuted: "bad" } as const;

/** Why a correct calculation proves no more than that. */
const UNSHOWN = {
  round: { told: "fairness.unshown_client", later: "fairness.unshown_round" },
  flight: { later: "fairness.unshown_flight", old: "fairness.unshown_old" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, MessageId>>>>;

export function VerifyPanel(props: {
  /** The field's initial value. */
  typed: string;
  /** The round on the screen, or null. */
  id: string | null;
  onAsk: (id: string) => void;
}) {
  const { id, onAsk } = props;
  const { t } = useText();
  const [text, setText] = useState(props.typed);
  const [wrong, setWrong] = useState(false);
  const proof = useProof(id);
  const { change, changing, changed } = useSeedChange(() => void proof.refetch());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    const fits = isId("round", wanted);
    setWrong(!fits);
    if (!fits) return;
    if (wanted === id) void proof.refetch();
    onAsk(wanted);
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
          {...AS_TYPED}
          onChange={(event) => setText(event.target.value)}
        />
        <Button
          type="submit"
          block
          // Gold marks the next step, which is revealing the seed while the page asks for it.
          variant={proof.data?.kind === "sealed" ? "secondary" : "primary"}
          loading={proof.isFetching}
        >
          {t("fairness.verify")}
        </Button>
      </form>
      <div aria-live="polite">
        {id !== null && proof.isPending && <ListSkeleton label={t("games.loading")} />}
        {proof.isError && <p className={styles.bad}>{faultText(proof.error)}</p>}
        {changed?.isAsShown === false && <p className={styles.bad}>{t("fairness.next_swapped")}</p>}
        {proof.data?.kind === "sealed" ? (
          <Sealed
            serverSeedHash={proof.data.round.fairness.serverSeedHash}
            revealing={changing}
            // A fresh one: the next server seed was fixed while the one in use was known.
            onReveal={() => change(freshClientSeed())}
          />
        ) : (
          proof.data !== undefined && <ProofView proof={proof.data} />
        )}
      </div>
    </section>
  );
}

function ProofView({ proof }: { proof: Exclude<Proof, { kind: "sealed" }> }) {
  const { t, when } = useText();
  if (proof.kind === "unknown") return <p className={styles.bad}>{t("fairness.unknown")}</p>;
  const holds = proof.steps.every((step) => step.holds);
  const verdict = !holds ? "refuted" : proof.ground === "before" ? "confirmed" : "unshown";
  const currency =
    proof.kind === "round" ? proof.round.payout.currency : (proof.bet?.payout.currency ?? "PHP");
  return (
    <div className={styles.proof} data-testid="proof" data-verdict={verdict}>
      <p className={styles[LOOKS[verdict]]}>
        {verdict === "confirmed" && <SuccessIcon size={22} />}
        {verdict === "unshown" && <InfoIcon size={22} />}
        {verdict === "refuted" && <ErrorIcon size={22} />}
        {t(`fairness.${verdict}`)}
      </p>
      {verdict === "unshown" && <p>{t(whyUnshown(proof))}</p>}
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
          <Fact name={t("fairness.salt")} value={proof.fixed.salt} />
          <Fact name={t("fairness.chain_form")} value={`${proof.fixed.form}`} />
          <Fact name={t("fairness.chain_index")} value={`${proof.flight.chainIndex}`} />
          {proof.ground !== "old" && (
            <Fact name={t("fairness.chain_end")} value={proof.fixed.firstHash} />
          )}
          {proof.chain !== null && (
            <Fact name={t("fairness.chain_signed")} value={when(proof.chain.committedAt)} />
          )}
        </dl>
      )}
    </div>
  );
}

function whyUnshown(proof: Extract<Proof, { ground: string }>): MessageId {
  if (proof.kind === "round") return UNSHOWN.round[proof.ground === "told" ? "told" : "later"];
  return UNSHOWN.flight[proof.ground === "old" ? "old" : "later"];
}

function StepView({ step, currency }: { step: Step; currency: Currency }) {
  const { t } = useText();
  const worded = (value: string) => {
    if (value === "") return "–";
    if (step.name === "payout" || step.name === "ride")
      return moneyLabel(fromWire({ minor: value, currency }));
    if (step.name === "crash") return `${(Number(value) / 100).toFixed(2)}×`;
    return value;
  };
  return (
    <li className={styles.step} data-holds={step.holds}>
      {step.holds ? <SuccessIcon size={20} /> : <ErrorIcon size={20} />}
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
function Sealed(props: { serverSeedHash: string; revealing: boolean; onReveal: () => void }) {
  const { t } = useText();
  return (
    <div className={styles.proof} data-verdict="sealed">
      <p>{t("fairness.sealed")}</p>
      <dl className={styles.facts}>
        <Fact name={t("fairness.server_hash")} value={props.serverSeedHash} />
      </dl>
      <Button block loading={props.revealing} onClick={props.onReveal}>
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
