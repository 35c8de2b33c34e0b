import type { Rain } from "@perya/contract/red-rain";
import { formatMoney } from "@perya/kernel/money";
import { MoneyText } from "@perya/ui/money-text";
import { ListSkeleton, Skeleton } from "@perya/ui/skeleton";
import { QueryFailed } from "../../parts/page/screen-states.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { Countdown } from "../../parts/time/countdown.tsx";
import { useText } from "../../shell/text.ts";
import { PacketArt } from "./packet-art.tsx";
import { PastRains } from "./past-rains.tsx";
import { RainStage } from "./rain-stage.tsx";
import styles from "./red-rain-screen.module.css";
import { useRainPhase, useRedRain } from "./use-rain.ts";

export default function RedRainScreen() {
  const { t } = useText();
  const { data, error, refetch, isFetching } = useRedRain();
  const rain = data?.rain ?? null;
  const phase = useRainPhase(rain);
  if (data === undefined) {
    if (error !== null) {
      return <QueryFailed query={{ error, refetch, isFetching }} />;
    }
    return (
      <div className={styles.screen}>
        <Skeleton className={styles.stage} radius="var(--r-5)" />
        <ListSkeleton count={3} label={t("shell.loading")} />
      </div>
    );
  }
  return (
    <div className={styles.screen}>
      {rain === null ? (
        <EmptyScene title={t("rain.none")} text={t("rain.none_text")} />
      ) : phase === "falling" ? (
        <RainStage key={rain.id} rain={rain} />
      ) : (
        <Waiting rain={rain} over={phase === "over"} />
      )}
      {rain !== null && rain.mine.length > 0 && <Mine rain={rain} />}
      <PastRains past={data.past} />
    </div>
  );
}

/** Before a rain: its time and budget; just after one, until the next is known. */
function Waiting({ rain, over }: { rain: Rain; over: boolean }) {
  const { t } = useText();
  return (
    <section
      className={styles.stage}
      aria-label={t("screen.red_rain")}
      data-testid="red-rain"
      data-phase={over ? "over" : "before"}
    >
      <div className={styles.middle}>
        <span className={styles.hero}>
          <PacketArt open={over} />
        </span>
        {over ? (
          <p className={styles.said}>{t("rain.over")}</p>
        ) : (
          <p className={styles.next}>
            {t("rain.next_in")}
            <b>
              <Countdown until={rain.startsAt} />
            </b>
          </p>
        )}
        <ul className={styles.facts}>
          <li>{t("rain.budget", { amount: formatMoney(rain.budget) })}</li>
          <li>{t("rain.largest", { amount: formatMoney(rain.largest) })}</li>
          <li>{t("rain.share", { count: rain.catchMax })}</li>
        </ul>
      </div>
    </section>
  );
}

function Mine({ rain }: { rain: Rain }) {
  const { t } = useText();
  return (
    <p className={styles.own} data-testid="mine">
      <span>{t("rain.mine")}</span>
      {rain.mine.map((packet) => (
        <MoneyText
          key={`${packet.at} ${packet.amount.minor}`}
          value={packet.amount}
          className={styles.chip}
        />
      ))}
    </p>
  );
}
