import type { SportsFixture } from "@perya/contract/sports";
import { seedHash } from "@perya/games/fairness";
import { MILLION, playMatch } from "@perya/games/sports";
import { Badge } from "@perya/ui/badge";
import { Button } from "@perya/ui/button";
import { FairnessIcon } from "@perya/ui/icon";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PagedList } from "../../parts/paged-list.tsx";
import type { Sport } from "../../router.tsx";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./sports-screen.module.css";

/** Matches that are over, with their seeds: whoever likes plays them again themselves. */
export function ResultsPage({ sport }: { sport: Sport }) {
  const { t } = useText();
  const list = useInfiniteQuery(queries.sportsResults(sport));
  return (
    <PagedList
      list={list}
      keyOf={({ id }) => id}
      empty={t("sports.no_results")}
      row={(fixture) => <ResultRow fixture={fixture} />}
    />
  );
}

function ResultRow({ fixture }: { fixture: SportsFixture }) {
  const { t, when } = useText();
  const { home, away, score, phase, startsAt, serverSeed } = fixture;
  return (
    <div className={styles.entry} data-testid="result">
      <div className={styles.between}>
        <b>
          {home} – {away}
        </b>
        {phase === "voided" ? (
          <Badge tone="warn">{t("sports.voided")}</Badge>
        ) : (
          <b className={styles.timer}>
            {score.home}:{score.away}
          </b>
        )}
      </div>
      <span className={styles.note}>{when(startsAt)}</span>
      {serverSeed !== null && <Proof fixture={fixture} serverSeed={serverSeed} />}
    </div>
  );
}

function Proof({ fixture, serverSeed }: { fixture: SportsFixture; serverSeed: string }) {
  const { t } = useText();
  const [holds, setHolds] = useState<boolean | null>(null);
  const percent = (chance: number) => ((chance / MILLION) * 100).toFixed(2);
  return (
    <details>
      <summary className={styles.summary}>{t("sports.proof")}</summary>
      <dl className={styles.facts}>
        <dt>{t("sports.seed_hash")}</dt>
        <dd>{fixture.seedHash}</dd>
        <dt>{t("sports.server_seed")}</dt>
        <dd>{serverSeed}</dd>
        <dt>{t("sports.fixture_id")}</dt>
        <dd>{fixture.id}</dd>
        <dt>{t("sports.chances")}</dt>
        <dd>
          {t("sports.chances_text", {
            home: percent(fixture.chances.home),
            away: percent(fixture.chances.away),
          })}
        </dd>
      </dl>
      <div className={styles.rows} aria-live="polite">
        <Button
          variant="secondary"
          block
          icon={<FairnessIcon size={18} aria-hidden="true" />}
          onClick={() => setHolds(isProved(fixture, serverSeed))}
        >
          {t("sports.verify")}
        </Button>
        {holds !== null && (
          <p className={holds ? styles.good : styles.bad} data-testid="match-proof">
            {t(holds ? "sports.proof_good" : "sports.proof_bad")}
          </p>
        )}
      </div>
    </details>
  );
}

/** On the player's own phone, by the very code that the server plays with. */
function isProved(fixture: SportsFixture, serverSeed: string): boolean {
  const { id, sport, chances, score, phase, seedHash: hash } = fixture;
  const played = playMatch(sport, chances, { serverSeed, fixtureId: id }).score;
  // A void match has no score that counts; its seed must be the one that was promised all the same.
  const same = phase === "voided" || (played.home === score.home && played.away === score.away);
  return seedHash(serverSeed) === hash && same;
}
