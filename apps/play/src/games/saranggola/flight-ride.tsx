import type { SaranggolaBet } from "@perya/contract/saranggola";
import type { SaranggolaState } from "@perya/contract/socket";
import { cashOutMinor, multiplierAt } from "@perya/games/saranggola";
import { type Currency, formatMoney } from "@perya/kernel/money";
import { Button } from "@perya/ui/button";
import { moneyLabel } from "@perya/ui/money-text";
import { useReducedMotion } from "@perya/ui/reduced-motion";
import { type RefObject, useEffect, useRef } from "react";
import { api } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { drawFrames } from "../frames.ts";
import { announce } from "../sound.ts";
import styles from "./flight-ride.module.css";
import { multiplierText } from "./flight-table.ts";

interface CashOutProps {
  readonly flight: SaranggolaState;
  readonly bet: SaranggolaBet;
  readonly loading: boolean;
  readonly onPress: () => void;
}

/** Shows the payout of a press now; the server pays by its own clock. */
export function CashOutButton({ flight, bet, loading, onPress }: CashOutProps) {
  const { t } = useText();
  const amount = useRef<HTMLSpanElement>(null);
  const { startsAt } = flight;
  const { autoCashOut, stake } = bet;
  usePayoutText(amount, startsAt, autoCashOut, stake.minor, stake.currency);
  return (
    <Button
      size="lg"
      block
      glow
      loading={loading}
      aria-label={t("games.kite_cash")}
      onClick={onPress}
    >
      <span className={styles.cash}>{t("games.kite_cash")}</span>
      <span ref={amount} className={styles.cashAmount} />
    </Button>
  );
}

function usePayoutText(
  target: RefObject<HTMLSpanElement | null>,
  startsAt: number,
  autoCashOut: number | null,
  stakeMinor: bigint,
  currency: Currency,
): void {
  const reduced = useReducedMotion();
  useEffect(() => {
    return drawFrames(reduced, () => {
      const now = multiplierAt(api.serverNow() - startsAt);
      const minor = cashOutMinor(stakeMinor, Math.min(now, autoCashOut ?? now));
      setText(target.current, formatMoney({ minor, currency }));
    });
  }, [reduced, target, startsAt, autoCashOut, stakeMinor, currency]);
}

/** Written outside React: it changes with each drawing. */
export function setText(element: HTMLElement | null, text: string): void {
  if (element !== null && element.textContent !== text) element.textContent = text;
}

/** The state of the player's bet, in words. */
export function useSaid(bet: SaranggolaBet | null): string {
  const { t } = useText();
  const text = (() => {
    if (bet === null) return "";
    if (bet.state === "placed") return t("games.kite_placed", { amount: moneyLabel(bet.stake) });
    if (bet.state === "lost") return t("games.kite_lost");
    if (bet.state === "voided") return t("games.kite_voided");
    const at = multiplierText(bet.cashedOutAt ?? 100);
    return `${t("games.kite_cashed", { at })} ${moneyLabel(bet.payout)}`;
  })();
  const won = bet?.state === "cashed";
  const first = useRef(true);
  useEffect(() => {
    if (!first.current && won) announce(text);
    first.current = false;
  }, [won, text]);
  return text;
}
