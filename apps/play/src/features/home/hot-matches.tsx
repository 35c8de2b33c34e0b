import { hottest } from "@perya/contract/hot-matches";
import { SPORTS_LOBBIES, type SportsVendor } from "@perya/contract/launch-terms";
import type { HotMatch } from "@perya/contract/sports";
import { Badge } from "@perya/ui/badge";
import { ForwardIcon } from "@perya/ui/icon";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { GameType } from "../../parts/games/game-types.ts";
import { SectionHead } from "../../parts/lists/section-head.tsx";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { Countdown } from "../../parts/time/countdown.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./hot-matches.module.css";

/** Scores may be this old here; only the lobby shows odds, and keeps them current. */
const LOOK_MS = 15_000;

/** Matches of our own lobby that are live or come next, in the block of its sport on home. */
export default function HotMatches(props: { vassalage: SportsVendor; gameType: GameType }) {
  const { vassalage, gameType } = props;
  const { t, language } = useText();
  const home = useQuery(queries.announcements(language));
  const { data, error, refetch, isFetching } = useQuery({
    ...screenQueries.sportsBoard(),
    refetchInterval: LOOK_MS,
  });
  const sport = SPORTS_LOBBIES[vassalage];
  const known: readonly HotMatch[] | undefined = data?.fixtures ?? home.data?.hot;
  const matches = hottest(known ?? [], sport);
  if (known !== undefined && matches.length === 0) return null;
  const id = `home-matches-${sport}`;
  return (
    <section className={styles.block} aria-labelledby={id}>
      <SectionHead id={id} title={t("home.hot_matches")} />
      {error !== null && known === undefined ? (
        <QueryFailed query={{ error, refetch, isFetching }} />
      ) : known === undefined ? (
        <ListSkeleton count={3} label={t("shell.loading")} />
      ) : (
        <ul className={styles.matches} aria-label={t("home.hot_matches")}>
          {matches.map((match) => (
            <li key={match.id}>
              <Link
                to="/m/launch"
                search={{ vassalage, gameType }}
                preload={false}
                className={styles.match}
              >
                <Teams match={match} />
                <Standing match={match} />
                <ForwardIcon size={18} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Teams({ match }: { match: HotMatch }) {
  const { t } = useText();
  const { home, away, phase, score } = match;
  const begun = phase === "live";
  return (
    <span className={styles.teams}>
      <span className="visually-hidden">
        {begun
          ? t("sports.score", { home, away, homeScore: score.home, awayScore: score.away })
          : `${home}, ${away}`}
      </span>
      {(["home", "away"] as const).map((side) => (
        <span key={side} className={styles.team} aria-hidden="true">
          <span>{match[side]}</span>
          {begun && <b>{score[side]}</b>}
        </span>
      ))}
    </span>
  );
}

function Standing({ match }: { match: HotMatch }) {
  const { t } = useText();
  return (
    <span className={styles.standing}>
      {match.phase === "live" ? (
        <Badge tone="hot">{t("sports.live")}</Badge>
      ) : (
        <Countdown until={match.startsAt} />
      )}
    </span>
  );
}
