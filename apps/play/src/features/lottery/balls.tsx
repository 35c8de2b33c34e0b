import { classNames } from "@perya/ui/class-names";
import { useText } from "../../shell/text.ts";
import styles from "./balls.module.css";

/** Numbers as drawn or picked; those of `hits` shine. */
export function Balls(props: {
  numbers: readonly number[];
  hits?: readonly boolean[];
  small?: boolean;
}) {
  const { numbers, hits, small = false } = props;
  const { t } = useText();
  // Digits repeat and keep their places.
  const places = numbers.map((number, place) => ({ place, number }));
  return (
    <span className={classNames(styles.balls, small && styles.small)}>
      <span className="visually-hidden">{t("lottery.drawn", { numbers: numbers.join(", ") })}</span>
      {places.map(({ place, number }) => (
        <span
          key={place}
          className={classNames(styles.ball, hits?.[place] === true && styles.hit)}
          aria-hidden="true"
        >
          {number}
        </span>
      ))}
    </span>
  );
}
