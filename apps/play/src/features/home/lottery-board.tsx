import type { LotteryGame } from "@perya/contract/lottery";
import { ForwardIcon } from "@perya/ui/icon";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { SectionHead } from "../../parts/lists/section-head.tsx";
import { LotteryWinners } from "../../parts/money/lottery-winners.tsx";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText } from "../../shell/text.ts";
import styles from "./lottery-board.module.css";

/** Lotteries with their numbers on home, the most played first. */
const GAMES_SHOWN = 3;
const WINNERS_SHOWN = 3;
/** As many numbers as a line of the lottery has. */
const NUMBERS_SHOWN = { "3d": 3, "6-49": 6 } as const satisfies Record<LotteryGame["kind"], number>;

/** The most picked numbers and the biggest winners, in the lotteries' block on home. */
export default function LotteryBoard() {
  return (
    <div className={styles.board}>
      <PopularNumbers />
      <LotteryWinners shown={WINNERS_SHOWN} />
    </div>
  );
}

function PopularNumbers() {
  const { t } = useText();
  const query = useQuery(screenQueries.lotteryPopularGames());
  const { data } = query;
  if (data?.list.length === 0) return null;
  return (
    <section aria-labelledby="home-lotto-popular">
      <SectionHead id="home-lotto-popular" title={t("lottery.popular")} />
      {data === undefined ? (
        <Unloaded query={query} rows={GAMES_SHOWN} />
      ) : (
        <ul className={styles.games}>
          {data.list.slice(0, GAMES_SHOWN).map((game) => (
            <li key={game.gameCode}>
              <PopularGame game={game} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Links to the lottery; the numbers are for show, and no number is due. */
function PopularGame({ game }: { game: LotteryGame }) {
  const { t } = useText();
  const { data } = useQuery(screenQueries.lotteryPopular(game.gameCode));
  const numbers = data?.list.slice(0, NUMBERS_SHOWN[game.kind]).map(({ number }) => number);
  return (
    <Link
      to="/m/launch/$nodeId"
      params={{ nodeId: game.nodeId }}
      preload={false}
      className={styles.game}
    >
      <span className={styles.name} aria-hidden="true">
        {game.name}
      </span>
      <span className="visually-hidden">
        {numbers === undefined || numbers.length === 0
          ? game.name
          : t("home.lotto_popular_of", { game: game.name, numbers: numbers.join(", ") })}
      </span>
      <span className={styles.numbers}>
        {numbers?.length === 0 && (
          <span className={styles.none}>{t("home.lotto_none_picked")}</span>
        )}
        {numbers?.map((number) => (
          <span key={number} className={styles.number} aria-hidden="true">
            {number}
          </span>
        ))}
      </span>
      <ForwardIcon size={18} />
    </Link>
  );
}
