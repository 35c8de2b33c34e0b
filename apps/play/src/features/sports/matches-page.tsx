import type { SportsBoardState, SportsFixture } from "@perya/contract/sports";
import { ListSkeleton } from "@perya/ui/skeleton";
import type { UseQueryResult } from "@tanstack/react-query";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { useText } from "../../shell/text.ts";
import { sectionsOf } from "./board.ts";
import { MatchCard } from "./match-card.tsx";
import styles from "./sports-screen.module.css";
import type { Sport } from "./sports-search.ts";

export function MatchesPage(props: { board: UseQueryResult<SportsBoardState>; sport: Sport }) {
  const { t } = useText();
  const { board, sport } = props;
  if (board.isPending) return <ListSkeleton count={5} label={t("shell.loading")} />;
  if (board.data === undefined) {
    return <QueryFailed query={board} />;
  }
  const { live, next } = sectionsOf(board.data.fixtures, sport);
  return (
    <>
      <p className={styles.note}>{t("sports.simulated")}</p>
      <Section title={t("sports.live")} matches={live} empty={t("sports.no_live")} />
      <Section title={t("sports.next")} matches={next} empty={t("sports.no_next")} />
    </>
  );
}

function Section(props: { title: string; matches: readonly SportsFixture[]; empty: string }) {
  const { title, matches, empty } = props;
  return (
    <section className={styles.rows} aria-label={title}>
      <h2 className={styles.section}>{title}</h2>
      {matches.length === 0 && <p className={styles.note}>{empty}</p>}
      <ul className={styles.cards}>
        {matches.map((fixture) => (
          <li key={fixture.id}>
            <MatchCard fixture={fixture} />
          </li>
        ))}
      </ul>
    </section>
  );
}
