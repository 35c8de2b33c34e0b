import type { ListedLottery } from "@perya/contract/lottery";
import { LOTTERY_SHAPES } from "@perya/games/lottery";
import { Button } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { useQuery } from "@tanstack/react-query";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText } from "../../shell/text.ts";
import screen from "./lottery-screen.module.css";
import styles from "./ticket-form.module.css";

const POPULAR_SHOWN = 6;

/** Places for a line's numbers, the numbers to tap, and those that others pick most. */
export function NumberPicker(props: {
  lottery: ListedLottery;
  picked: readonly number[];
  onTap: (number: number) => void;
  onRemove: (index: number) => void;
  onClear: () => void;
  onLucky: () => void;
}) {
  const { lottery, picked, onTap, onRemove, onClear, onLucky } = props;
  const { t } = useText();
  const { picks, from, to, ordered } = LOTTERY_SHAPES[lottery.kind];
  const places = Array.from({ length: picks }, (_, place) => ({ place, number: picked[place] }));
  const keys = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const popular = useQuery(screenQueries.lotteryPopular(lottery.gameCode));
  const favourites = popular.data?.list.slice(0, POPULAR_SHOWN) ?? [];
  return (
    <section className={screen.panel}>
      <h2 className="small-print" id="lottery-pick">
        {t(ordered ? "lottery.pick_digits" : "lottery.pick_numbers", { count: picks })}
      </h2>
      <div className={styles.slots}>
        {places.map(({ place, number }) =>
          number === undefined ? (
            <span key={place} className={styles.slot} />
          ) : (
            <button
              key={place}
              type="button"
              className={classNames(styles.slot, styles.filled)}
              aria-label={t("lottery.remove_number", { number })}
              onClick={() => onRemove(place)}
            >
              {number}
            </button>
          ),
        )}
      </div>
      <fieldset
        className={classNames(styles.keys, ordered ? styles.digits : styles.numbers)}
        aria-labelledby="lottery-pick"
      >
        {keys.map((number) => (
          <button
            key={number}
            type="button"
            className={styles.key}
            aria-label={t("lottery.number", { number })}
            aria-pressed={ordered ? undefined : picked.includes(number)}
            onClick={() => onTap(number)}
          >
            {number}
          </button>
        ))}
      </fieldset>
      {favourites.length > 0 && (
        <div className={styles.popular}>
          <span className="small-print">{t("lottery.popular")}</span>
          {favourites.map(({ number }) => (
            <button
              key={number}
              type="button"
              className={styles.key}
              aria-label={`${t("lottery.popular")}: ${t("lottery.number", { number })}`}
              onClick={() => onTap(number)}
            >
              {number}
            </button>
          ))}
        </div>
      )}
      <div className={styles.tools}>
        <Button variant="ghost" disabled={picked.length === 0} onClick={onClear}>
          {t("lottery.clear")}
        </Button>
        <Button variant="secondary" onClick={onLucky}>
          {t("lottery.lucky")}
        </Button>
      </div>
    </section>
  );
}
