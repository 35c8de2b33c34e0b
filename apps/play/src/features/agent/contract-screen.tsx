import type { Reply } from "@perya/client/api";
import { CONTRACTS_KEY } from "@perya/client/screen-queries/contracts";
import type { ContractKind } from "@perya/contract/agents";
import { DAY_MS } from "@perya/kernel/instant";
import { Badge, type BadgeTone } from "@perya/ui/badge";
import { Button } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { MoneyText } from "@perya/ui/money-text";
import { notify } from "@perya/ui/notify";
import { ConfirmDialog } from "@perya/ui/sheet";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { sayFault } from "../../shell/fault.ts";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api, queryClient } from "../../shell/server.ts";
import { type MessageId, type Text, useText } from "../../shell/text.ts";
import styles from "./contract-screen.module.css";

type Contract = Reply<"GET /api/v1/agent/contract-requests/dividend">["list"][number];
type Tier = Contract["tiers"][number];

const TONES: Readonly<Record<Contract["state"], BadgeTone>> = {
  pending: "gold",
  accepted: "info",
  in_force: "good",
  ended: "plain",
  declined: "bad",
  withdrawn: "plain",
};

export function DailySalaryContract() {
  return <ContractScreen kind="daily" />;
}

export function HourlySalaryContract() {
  return <ContractScreen kind="hourly" />;
}

export function DividendContract() {
  return <ContractScreen kind="dividend" />;
}

/** The agent's contracts: offered and waiting, active or about to be, and past. */
function ContractScreen({ kind }: { kind: ContractKind }) {
  const { t } = useText();
  const { data, error, refetch, isFetching } = useQuery(screenQueries.contractRequests(kind));
  if (error !== null && data === undefined) {
    return <QueryFailed query={{ error, refetch, isFetching }} />;
  }
  if (data === undefined) {
    return (
      <div className={styles.screen}>
        <ListSkeleton count={4} label={t("shell.loading")} />
      </div>
    );
  }
  if (data.length === 0) {
    return <EmptyScene title={t("agent.none")} text={t("agent.none_text")} />;
  }
  const pending = data.filter(({ state }) => state === "pending");
  const held = data.filter(({ state }) => state === "accepted" || state === "in_force");
  const earlier = data.filter((one) => !pending.includes(one) && !held.includes(one));
  return (
    <div className={styles.screen}>
      <Section title={t("agent.offered")} contracts={pending} />
      <Section title={t("agent.yours")} contracts={held} />
      <Section title={t("agent.earlier")} contracts={earlier} />
    </div>
  );
}

function Section({ title, contracts }: { title: string; contracts: readonly Contract[] }) {
  const heading = useId();
  if (contracts.length === 0) return null;
  return (
    <section className={styles.section} aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {contracts.map((contract) => (
        <ContractCard key={contract.id} contract={contract} />
      ))}
    </section>
  );
}

function ContractCard({ contract }: { contract: Contract }) {
  const text = useText();
  const { t, when } = text;
  const { kind, tiers, state, upline, offeredAt } = contract;
  return (
    <article className={classNames(styles.card, state === "pending" && styles.waits)}>
      <div className={styles.head}>
        <Badge tone={TONES[state]}>{t(`agent.state_${state}`)}</Badge>
        <span>{spanOf(contract, text)}</span>
      </div>
      <p className={styles.about}>{t(aboutOf(contract))}</p>
      <ol className={styles.tiers}>
        {tiers.map((tier) => (
          <TierRow key={tier.from.minor} tier={tier} isDividend={kind === "dividend"} />
        ))}
      </ol>
      {tiers.length > 1 && <p className={styles.note}>{t("agent.highest")}</p>}
      <p className={styles.note}>
        {t("agent.offered_by", { name: upline, when: when(offeredAt) })}
      </p>
      {state === "pending" && <Answer contract={contract} />}
    </article>
  );
}

function TierRow({ tier, isDividend }: { tier: Tier; isDividend: boolean }) {
  const { t, number } = useText();
  const { from, activeMembers, basisPoints, amount } = tier;
  return (
    <li className={styles.tier}>
      <span className={styles.reached}>
        <span>
          {t(isDividend ? "agent.loss_from" : "agent.turnover_from")} <MoneyText value={from} />
        </span>
        {activeMembers > 0 && <small>{t("agent.active_members", { count: activeMembers })}</small>}
      </span>
      <b className={styles.pay}>
        {amount === null ? `${number((basisPoints ?? 0) / 100)}%` : <MoneyText value={amount} />}
      </b>
    </li>
  );
}

function aboutOf({ kind, period }: Contract): MessageId {
  if (period !== null) return `agent.terms_${period}`;
  return kind === "hourly" ? "agent.terms_hourly" : "agent.terms_daily";
}

const WORDS = ["accept", "decline"] as const;
type Word = (typeof WORDS)[number];
const CALLS = {
  accept: "POST /api/v1/agent/contract-requests/accept",
  decline: "POST /api/v1/agent/contract-requests/decline",
} as const;

function Answer({ contract }: { contract: Contract }) {
  const { t } = useText();
  const popups = usePopups();
  const { popup, id } = useOpenPopup();
  const asked = WORDS.find((one) => `${one} ${contract.id}` === id);
  /** The question that closes after the address has lost it. */
  const [last, setLast] = useState<Word>("accept");
  const word = asked ?? last;
  const answer = useMutation({
    mutationFn: (given: Word) => api.call(CALLS[given], { body: { contractId: contract.id } }),
    onSuccess: (_, given) => {
      notify.success(t(given === "accept" ? "agent.accepted" : "agent.declined"));
    },
    onError: sayFault,
    // The offer may have been withdrawn meanwhile.
    onSettled: () => {
      popups.close();
      return queryClient.invalidateQueries({ queryKey: CONTRACTS_KEY });
    },
  });
  const ask = (given: Word) => {
    setLast(given);
    popups.open("confirm", { id: `${given} ${contract.id}` });
  };
  return (
    <div className={styles.answer}>
      <Button variant="secondary" onClick={() => ask("decline")}>
        {t("agent.decline")}
      </Button>
      <Button onClick={() => ask("accept")}>{t("agent.accept")}</Button>
      <ConfirmDialog
        open={popup === "confirm" && asked !== undefined}
        onOpenChange={() => popups.close()}
        title={t(`agent.${word}_title`)}
        confirmLabel={t(`agent.${word}`)}
        cancelLabel={t("shell.cancel")}
        loading={answer.isPending}
        onConfirm={() => answer.mutate(word)}
      >
        {t(`agent.${word}_text`, { name: contract.upline })}
      </ConfirmDialog>
    </div>
  );
}

/** From when or until when a contract holds; its end is the first day on which it does not. */
function spanOf({ state, startsOn, endsOn }: Contract, { t, tag }: Text): string | null {
  const day = (written: string, back = 0) =>
    new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeZone: "UTC" }).format(
      Date.parse(written) - back,
    );
  if (startsOn === null || (endsOn !== null && endsOn === startsOn)) return null;
  if (endsOn !== null) return t("agent.until", { day: day(endsOn, DAY_MS) });
  return t(state === "accepted" ? "agent.starts" : "agent.since", { day: day(startsOn) });
}
