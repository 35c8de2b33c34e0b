import { CHAIN_FORM, type ChainForm } from "@perya/games/saranggola";
import { CHAIN_VECTOR, PAIR_VECTOR } from "@perya/games/verify-us";
import { RetryState } from "@perya/ui/retry-state";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { faultText } from "../../shell/fault.ts";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./fairness.module.css";
import { useProof } from "./use-proof.ts";
import { verifyCodeOf } from "./verify-code.ts";
import { Fact } from "./verify-panel.tsx";

/** Publications of the kite's formula and of the draws of solo rounds. */
const PUBLISHED = [
  "https://bitcointalk.org/index.php?topic=2807542",
  "https://help.shuffle.com/en/articles/9286058-provably-fair-implementation",
];

/**
 * Everything that verification without us needs: publications, formulas and test vectors. The code
 * is for the form that dealt the flight on the screen, else for the form of the current chain.
 */
export function OtherCodePanel({ id }: { id: string | null }) {
  const { t } = useText();
  const { data: proof } = useProof(id);
  const chains = useChains();
  const ofFlight = proof?.kind === "flight" ? proof.fixed.form : null;
  const form = ofFlight ?? chains.data?.[0]?.form ?? CHAIN_FORM;
  return (
    <section className={styles.panel} aria-label={t("fairness.tab_code")}>
      <p>{t("fairness.code_lead")}</p>
      <PublishedChain chains={chains} />
      <h2 className={styles.head}>{t("fairness.code_published")}</h2>
      <ul className={styles.links}>
        {PUBLISHED.map((url) => (
          <li key={url}>
            <a href={url} target="_blank" rel="noreferrer">
              {new URL(url).hostname}
            </a>
          </li>
        ))}
      </ul>
      <h2 className={styles.head}>{t("fairness.code")}</h2>
      <p data-testid="code-form">
        {t(ofFlight === null ? "fairness.code_form_now" : "fairness.code_form", { form })}
      </p>
      <p>{t("fairness.code_text")}</p>
      <pre className={styles.code} data-testid="verify-code">
        {verifyCodeOf(form)}
      </pre>
      <Vectors form={form} />
    </section>
  );
}

function useChains() {
  return useQuery({
    queryKey: ["kite-chains"],
    queryFn: async ({ signal }) =>
      (await api.call("GET /api/v1/saranggola/chains", { signal })).chains,
  });
}

/** The chain that flies now, for anyone to keep. */
function PublishedChain({ chains }: { chains: ReturnType<typeof useChains> }) {
  const { t, when } = useText();
  if (chains.isPending) return <ListSkeleton label={t("games.loading")} count={1} />;
  if (chains.isError) {
    return (
      <RetryState
        title={faultText(chains.error)}
        retryLabel={t("games.retry")}
        onRetry={() => void chains.refetch()}
      />
    );
  }
  const [chain] = chains.data;
  return (
    <>
      <h2 className={styles.head}>{t("fairness.chain_now")}</h2>
      {chain === undefined ? (
        <p>{t("fairness.chain_none")}</p>
      ) : (
        <dl className={styles.facts} data-testid="chain">
          <Fact name={t("fairness.chain_form")} value={`${chain.form}`} />
          <Fact name={t("fairness.chain_end")} value={chain.firstHash} />
          <Fact name={t("fairness.chain_first")} value={`${chain.firstIndex}`} />
          <Fact name={t("fairness.salt")} value={chain.salt} />
          <Fact name={t("fairness.chain_length")} value={`${chain.length}`} />
          <Fact name={t("fairness.chain_signed")} value={when(chain.committedAt)} />
          <Fact name={t("fairness.chain_key")} value={chain.publicKey} />
          <Fact name={t("fairness.chain_signature")} value={chain.signature} />
        </dl>
      )}
      <a href="/api/v1/saranggola/chains" target="_blank" rel="noreferrer">
        {t("fairness.chain_all")}
      </a>
    </>
  );
}

/** Vectors of flights use form 2. */
function Vectors({ form }: { form: ChainForm }) {
  const { t } = useText();
  return (
    <>
      <h2 className={styles.head}>{t("fairness.vectors")}</h2>
      <p>{t("fairness.vectors_text")}</p>
      <dl className={styles.facts}>
        {form === CHAIN_FORM && (
          <>
            <Fact name={t("fairness.chain_end")} value={CHAIN_VECTOR.firstHash} />
            <Fact name={t("fairness.salt")} value={CHAIN_VECTOR.salt} />
            {CHAIN_VECTOR.flights.map(([seed, crash], index) => (
              <div key={seed}>
                <dt>
                  {t("fairness.flight_seed")} {index + 1}
                </dt>
                <dd>
                  <code>{seed}</code> {crash}×
                </dd>
              </div>
            ))}
          </>
        )}
        <Fact name={t("fairness.server_seed")} value={PAIR_VECTOR.serverSeed} />
        <Fact name={t("fairness.server_hash")} value={PAIR_VECTOR.seedHash} />
        {PAIR_VECTOR.rounds.map(({ clientSeed, nonce, dice }) => (
          <Fact
            key={`${clientSeed}:${nonce}`}
            name={`${t("fairness.client_seed")}, ${t("fairness.nonce")}`}
            value={`${clientSeed}, ${nonce}: ${dice}`}
          />
        ))}
      </dl>
    </>
  );
}
