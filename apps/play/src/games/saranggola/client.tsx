import type { SaranggolaBet } from "@perya/contract/saranggola";
import type { SaranggolaState } from "@perya/contract/socket";
import { elapsedAtMs, MAX_CRASH_HUNDREDTHS, multiplierAt } from "@perya/games/saranggola";
import type { Currency } from "@perya/kernel/money";
import { Button } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { MoneyText, moneyLabel } from "@perya/ui/money-text";
import { useReducedMotion } from "@perya/ui/reduced-motion";
import { Link } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState } from "react";
import { useHashSheets } from "../../parts/browser/use-hash-sheet.ts";
import { useBalance } from "../../parts/money/wallet.ts";
import { api } from "../../shell/server.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { drawFrames } from "../frames.ts";
import { GameFrame } from "../game-frame.tsx";
import { GAME_SHEETS, type GameSheets } from "../game-sheets.ts";
import { useKeptStake } from "../kept-stake.ts";
import { play } from "../sound.ts";
import { StakeControl } from "../stake-control.tsx";
import { SARANGGOLA_LADDER } from "../stake-ladder.ts";
import styles from "./client.module.css";
import { CashOutButton, setText, useSaid } from "./flight-ride.tsx";
import {
  type FlightTable,
  multiplierText,
  readTargetText,
  secondsText,
  shownBets,
  type TargetFault,
  waitingShare,
} from "./flight-table.ts";
import { createKiteScene } from "./kite-scene.ts";
import { SaranggolaInfo } from "./saranggola-info.tsx";
import { type OwnFlight, useFlight } from "./use-flight.ts";

/** How long the server takes bets; only the bar's full length depends on it. */
const WAITING_MS = 6_000;

const FAULTS: Readonly<Record<TargetFault, MessageId>> = {
  bad_format: "games.target_malformed",
  too_small: "games.target_low",
  too_big: "games.target_high",
};

export default function SaranggolaClient() {
  const { t } = useText();
  const sheets = useHashSheets(GAME_SHEETS);
  const balance = useBalance();
  const currency = balance?.currency ?? "PHP";
  const kite = useFlight({ currency, onNoFunds: () => sheets.open("funds") });
  const { flight, bet, queued } = kite.table;
  useFlightSounds(flight, bet);
  const said = useSaid(bet);
  const betState = kite.sending ? "sending" : (bet?.state ?? (queued === null ? "none" : "queued"));
  const away = kite.line === "waiting" || (kite.line === "connecting" && flight !== null);
  return (
    <GameFrame
      game="saranggola"
      className={styles.frame}
      state={flight?.phase ?? "loading"}
      bet={betState}
      roundId={flight?.roundId ?? null}
      balance={balance}
      sheets={sheets}
      said={said}
      notice={away ? t("games.reconnecting") : kite.checking ? t("shell.checking") : null}
      info={<SaranggolaInfo />}
      stage={
        <div className={styles.stage}>
          <Crashes flight={flight} />
          <Sky flight={flight} bet={bet} />
          <Bets table={kite.table} />
        </div>
      }
      panel={<BetPanel kite={kite} currency={currency} sheets={sheets} />}
    />
  );
}

/** The latest crashes, newest first; each leads to its proof. */
function Crashes({ flight }: { flight: SaranggolaState | null }) {
  const { t } = useText();
  return (
    <ul className={styles.crashes} aria-label={t("games.kite_crashes")}>
      {flight?.history.map(({ roundId, crashedAt }) => (
        <li key={roundId}>
          <Link
            to="/m/fairness"
            search={{ round: roundId }}
            className={classNames(styles.crash, crashedAt >= 200 && styles.high)}
          >
            {multiplierText(crashedAt)}
            <span className="visually-hidden"> {t("games.verify")}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The kite and its multiplier, drawn outside React. */
function Sky({ flight, bet }: { flight: SaranggolaState | null; bet: SaranggolaBet | null }) {
  const { t } = useText();
  const reduced = useReducedMotion();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const figure = useRef<HTMLSpanElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const seen = useRef({ flight, snappedMs: 0 });
  if (seen.current.flight !== flight) {
    const snapped = flight?.phase === "crashed" && seen.current.flight?.phase === "flying";
    seen.current = { flight, snappedMs: snapped ? performance.now() : 0 };
  }

  useEffect(() => {
    const [area, picture] = [box.current, canvas.current];
    if (area === null || picture === null) return;
    const scene = createKiteScene(picture);
    const fit = () => scene.resize(area.clientWidth, area.clientHeight);
    const sizes = new ResizeObserver(fit);
    sizes.observe(area);
    fit();
    const end = drawFrames(reduced, (nowMs) => {
      const { flight: now, snappedMs } = seen.current;
      const phase = now?.phase ?? "waiting";
      const serverNow = api.serverNow();
      const sinceMs = now === null ? 0 : serverNow - now.startsAt;
      const crash = now?.crashedAt ?? MAX_CRASH_HUNDREDTHS;
      const elapsedMs = phase === "crashed" ? elapsedAtMs(crash) : Math.max(0, sinceMs);
      const crashedMs = snappedMs === 0 ? 10_000 : nowMs - snappedMs;
      scene.draw({ phase, elapsedMs, crashedMs, nowMs, reduced });
      const hundredths = phase === "crashed" ? crash : multiplierAt(elapsedMs);
      const waitsMs = Math.max(0, -sinceMs);
      setText(
        figure.current,
        phase === "waiting" ? secondsText(waitsMs) : multiplierText(hundredths),
      );
      if (bar.current !== null && now !== null) {
        const share = phase === "waiting" ? waitingShare(now.startsAt, serverNow, WAITING_MS) : 0;
        bar.current.style.transform = `scaleX(${share})`;
      }
    });
    return () => {
      end();
      sizes.disconnect();
    };
  }, [reduced]);

  const phase = flight?.phase ?? "waiting";
  return (
    <div ref={box} className={styles.sky} data-phase={phase}>
      <div aria-hidden="true">
        <canvas ref={canvas} />
      </div>
      <div className={styles.figures}>
        <p className={styles.state}>
          {flight === null ? t("games.loading") : t(PHASE_TEXTS[phase])}
        </p>
        <p
          className={styles.multiplier}
          hidden={flight === null || phase === "voided"}
          aria-hidden="true"
        >
          <span ref={figure} />
        </p>
        <div className={styles.countdown} hidden={phase !== "waiting" || flight === null}>
          <div ref={bar} />
        </div>
        {bet?.state === "cashed" && bet.cashedOutAt !== null && (
          <p className={styles.cashed}>
            {t("games.kite_cashed", { at: multiplierText(bet.cashedOutAt) })}{" "}
            <MoneyText value={bet.payout} />
          </p>
        )}
      </div>
    </div>
  );
}

const PHASE_TEXTS = {
  waiting: "games.kite_waiting",
  flying: "games.kite_flying",
  crashed: "games.kite_crashed",
  voided: "games.kite_down",
} as const satisfies Readonly<Record<SaranggolaState["phase"], MessageId>>;

/** The bets on this flight: the player's own first, then the largest of all the others. */
function Bets({ table }: { table: FlightTable }) {
  const { t } = useText();
  const bets = shownBets(table);
  // The player's own bet is shown before the channel lists it.
  const count = Math.max(table.flight?.betCount ?? 0, bets.length);
  return (
    <section className={styles.bets} aria-label={t("games.kite_bets")}>
      <h2 className={styles.betsHead}>{t("games.kite_bets_count", { count })}</h2>
      {bets.length === 0 && <p className={styles.noBets}>{t("games.kite_no_bets")}</p>}
      <ul>
        {bets.map((bet) => (
          <li
            key={bet.betId}
            className={classNames(
              styles.bet,
              bet.isOwn && styles.mine,
              bet.cashedOutAt !== null && styles.out,
            )}
          >
            <span>{bet.isOwn ? t("games.you") : bet.account}</span>
            <MoneyText value={bet.stake} />
            <span>{bet.cashedOutAt === null ? "" : multiplierText(bet.cashedOutAt)}</span>
            {bet.payout === null ? <span /> : <MoneyText value={bet.payout} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface BetPanelProps {
  readonly kite: OwnFlight;
  readonly currency: Currency;
  readonly sheets: GameSheets;
}

function BetPanel({ kite, currency, sheets }: BetPanelProps) {
  const { t } = useText();
  const stake = useKeptStake("kite", SARANGGOLA_LADDER, 1_000n);
  const stakeMinor = stake.minor;
  const [target, setTarget] = useState("");
  const id = useId();
  const read = readTargetText(target);
  const fault = "fault" in read ? t(FAULTS[read.fault]) : null;
  const { table, sending, cashing } = kite;
  const { flight, bet, queued } = table;
  const riding = bet?.state === "placed";
  const locked = sending || queued !== null || (riding && flight?.phase === "waiting");
  return (
    <div className={styles.panel}>
      <div className={styles.fields}>
        <StakeControl stake={stake} currency={currency} disabled={locked} sheets={sheets} />
        <label className={classNames(styles.target, fault !== null && styles.wrong)}>
          <span>{t("games.kite_target")}</span>
          <input
            type="text"
            inputMode="decimal"
            autoComplete="off"
            placeholder="2.00×"
            value={target}
            disabled={locked}
            aria-invalid={fault !== null}
            aria-describedby={`${id}-fault`}
            onChange={(event) => setTarget(event.target.value)}
          />
        </label>
      </div>
      <p id={`${id}-fault`} className={styles.fault} aria-live="polite">
        {fault}
      </p>
      {riding && flight?.phase === "flying" ? (
        <CashOutButton flight={flight} bet={bet} loading={cashing} onPress={kite.cashOut} />
      ) : queued !== null ? (
        <Button size="lg" variant="secondary" block onClick={kite.cancel}>
          {t("games.kite_cancel")}
        </Button>
      ) : riding ? (
        <Button size="lg" variant="secondary" block disabled>
          {t("games.kite_placed", { amount: moneyLabel(bet.stake) })}
        </Button>
      ) : (
        <Button
          size="lg"
          block
          glow
          loading={sending}
          disabled={flight === null || fault !== null || kite.line !== "live"}
          onClick={() => {
            play("chip");
            if ("hundredths" in read) kite.bet({ stakeMinor, autoHundredths: read.hundredths });
          }}
        >
          {t(flight?.phase === "waiting" ? "games.kite_bet" : "games.kite_bet_next")}
        </Button>
      )}
    </div>
  );
}

function useFlightSounds(flight: SaranggolaState | null, bet: SaranggolaBet | null): void {
  const phase = flight?.phase ?? null;
  const before = useRef(phase);
  useEffect(() => {
    // Only a change that happened while the page was open has a sound.
    if (before.current === "waiting" && phase === "flying") play("rise");
    if (before.current === "flying" && phase === "crashed") play("snap");
    before.current = phase;
  }, [phase]);
  const state = bet?.state ?? null;
  const cashed = useRef(state);
  useEffect(() => {
    if (cashed.current === "placed" && state === "cashed") play("cash");
    cashed.current = state;
  }, [state]);
}
