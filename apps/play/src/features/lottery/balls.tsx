import { classNames } from "@perya/ui/class-names";
import { useText } from "../../shell/text.ts";
import styles from "./balls.module.css";

/** Numbers as they fell or were picked; those of `hits` shine. */
export function Balls(props: {
  numbers: readonly number[];
  hits?: readonly boolean[];
  small?: boolean;
}) {
  const { numbers, hits, small = false } = props;
  const { t } = useText();
  return (
    <span className={classNames(styles.balls, small && styles.small)}>
      <span className="visually-hidden">{t("lottery.drawn", { numbers: numbers.join(", ") })}</span>
      {numbers.map((number, i) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: digits repeat and keep their places.
          key={i}
          className={classNames(styles.ball, hits?.[i] === true && styles.hit)}
          aria-hidden="true"
        >
          {number}
        </span>
      ))}
    </span>
  );
}
