import type { Rain } from "@perya/contract/red-rain";
import { formatMoney, type Money } from "@perya/kernel/money";
import { Button } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { MoneyText } from "@perya/ui/money-text";
import { useReducedMotion } from "@perya/ui/reduced-motion";
import { type CSSProperties, useEffect, useState, useSyncExternalStore } from "react";
import { Countdown } from "../../parts/time/countdown.tsx";
import { faultText } from "../../shell/fault.ts";
import { useText } from "../../shell/text.ts";
import { PacketArt } from "./packet-art.tsx";
import styles from "./red-rain-screen.module.css";
import { useCatch } from "./use-rain.ts";

/** Packets in the air, or in the grid for players who asked for less motion. */
const FALLING = 12;
const STANDING = 9;
/** How long a catch is shown over the rain (look and feel, motion). */
const SHOWN_MS = 1_200;

/** The rain itself: a tapped packet opens when the server has named its amount. */
export function RainStage({ rain }: { rain: Rain }) {
  const { t } = useText();
  const still = useReducedMotion();
  const hidden = usePageHidden();
  const { view, caught, catchOne } = useCatch(rain.id);
  const opening = view.phase !== "rest";
  const failed = view.phase === "rest" ? view.error : null;
  const [tapped, setTapped] = useState<number | null>(null);
  const shown = useShownFor(caught ?? undefined, SHOWN_MS);
  const spent = rain.mine.length >= rain.catchMax;
  const over = spent || rain.left === 0;
  const tap = (place: number | null) => {
    if (catchOne()) setTapped(place);
  };
  return (
    <>
      <section
        className={styles.stage}
        aria-label={t("rain.falling")}
        data-testid="red-rain"
        data-phase="falling"
        data-paused={hidden}
      >
        <p className={styles.hud}>
          <span>
            {t("rain.ends_in")} <Countdown until={rain.endsAt} />
          </span>
          <span>{t("rain.left", { count: rain.left })}</span>
        </p>
        {over ? (
          <div className={styles.middle}>
            <span className={styles.hero}>
              <PacketArt open={spent} />
            </span>
            <p className={styles.said}>
              {spent ? t("rain.share_spent", { count: rain.catchMax }) : t("rain.none_left")}
            </p>
          </div>
        ) : still ? (
          <ul className={styles.grid}>
            {places(STANDING).map((place) => (
              <li key={place}>
                <button
                  type="button"
                  className={classNames(
                    styles.packet,
                    opening && tapped === place && styles.opening,
                  )}
                  aria-label={t("rain.packet", { number: place + 1 })}
                  onClick={() => tap(place)}
                >
                  <PacketArt />
                </button>
              </li>
            ))}
          </ul>
        ) : (
          // Moving packets are for fingers; everyone else has the button below.
          <div className={styles.sky} aria-hidden="true">
            {places(FALLING).map((place) => (
              <button
                key={place}
                type="button"
                tabIndex={-1}
                style={fallOf(place)}
                className={classNames(
                  styles.packet,
                  styles.falling,
                  opening && tapped === place && styles.opening,
                )}
                // A click ends where it began, and by then the packet is elsewhere.
                onPointerDown={() => tap(place)}
              >
                <PacketArt />
              </button>
            ))}
          </div>
        )}
        {shown !== null && <Opened key={shown.id} amount={shown.amount} />}
      </section>
      <p
        role="status"
        className={classNames(
          styles.status,
          failed !== null && styles.bad,
          !opening && failed === null && caught !== null && styles.good,
        )}
      >
        {opening
          ? t(view.phase === "checking" ? "shell.checking" : "rain.opening")
          : failed !== null
            ? faultText(failed)
            : caught === null
              ? t("rain.hint")
              : t("rain.caught", { amount: formatMoney(caught.amount) })}
      </p>
      <Button block size="lg" glow disabled={over} loading={opening} onClick={() => tap(null)}>
        {t("rain.catch", { caught: rain.mine.length, of: rain.catchMax })}
      </Button>
    </>
  );
}

/** An opened packet, over the rain; the status says the same in words. */
function Opened({ amount }: { amount: Money }) {
  return (
    <div className={styles.opened} aria-hidden="true">
      <span className={styles.hero}>
        <PacketArt open />
      </span>
      <MoneyText value={amount} className={styles.won} />
    </div>
  );
}

function places(count: number): readonly number[] {
  return Array.from({ length: count }, (_, place) => place);
}

/** The golden ratio's fraction: neighbours are never at one height. */
const APART = 0.618;

/** Spread over the width and over time, no two alike, and the same in every rain. */
function fallOf(place: number): CSSProperties {
  const seconds = 3.4 + ((place * 7) % 5) * 0.4;
  return {
    "--lane": `${(place * 100) / FALLING}%`,
    "--fall": `${seconds}s`,
    "--ahead": `${-((place * APART) % 1) * seconds}s`,
    "--tilt": `${((place * 11) % 30) - 15}deg`,
  } as CSSProperties; // React's type does not know custom properties.
}

/** The last value, for so long. */
function useShownFor<T>(came: T | undefined, forMs: number): T | null {
  const [shown, setShown] = useState<T | null>(null);
  useEffect(() => {
    if (came === undefined) return;
    setShown(came);
    const timer = setTimeout(() => setShown(null), forMs);
    return () => clearTimeout(timer);
  }, [came, forMs]);
  return shown;
}

/** Whether the page is hidden: then nothing needs to fall. */
function usePageHidden(): boolean {
  return useSyncExternalStore(
    (changed) => {
      document.addEventListener("visibilitychange", changed);
      return () => document.removeEventListener("visibilitychange", changed);
    },
    () => document.hidden,
  );
}
