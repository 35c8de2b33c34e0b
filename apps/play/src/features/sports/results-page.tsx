import type { SportsFixture } from "@perya/contract/sports";
import { seedHash } from "@perya/games/fairness";
import { MILLION, playMatch } from "@perya/games/sports";
import { Badge } from "@perya/ui/badge";
import { useInfiniteQuery } from "@tanstack/react-query";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { SeedProof } from "../../parts/proofs/seed-proof.tsx";
import { fixtureText } from "../../parts/proofs/shown-before.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText } from "../../shell/text.ts";
import styles from "./sports-screen.module.css";
import type { Sport } from "./sports-search.ts";

/** Matches that are over, with the seeds from which anyone can replay them. */
export function ResultsPage({ sport }: { sport: Sport }) {
  const { t } = useText();
  const list = useInfiniteQuery(screenQueries.sportsResults(sport));
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
  const percent = (chance: number) => ((chance / MILLION) * 100).toFixed(2);
  const { home, away } = fixture.chances;
  return (
    <details>
      <summary className={styles.summary}>{t("sports.proof")}</summary>
      <SeedProof
        facts={[
          [t("sports.seed_hash"), fixture.seedHash],
          [t("sports.server_seed"), serverSeed],
          [t("sports.fixture_id"), fixture.id],
          [
            t("sports.chances"),
            t("sports.chances_text", { home: percent(home), away: percent(away) }),
          ],
        ]}
        texts={{
          verify: t("sports.verify"),
          good: t("sports.proof_good"),
          bad: t("sports.proof_bad"),
        }}
        of={{ kind: "fixture", id: fixture.id, text: fixtureText(fixture) }}
        prove={() => isProved(fixture, serverSeed)}
      />
    </details>
  );
}

/** By the same code that the server plays with. */
function isProved(fixture: SportsFixture, serverSeed: string): boolean {
  const { id, sport, chances, score, phase, seedHash: hash } = fixture;
  const played = playMatch(sport, chances, { serverSeed, fixtureId: id }).score;
  // The score of a void match does not count, but its seed must still be the promised one.
  const same = phase === "voided" || (played.home === score.home && played.away === score.away);
  return seedHash(serverSeed) === hash && same;
}
