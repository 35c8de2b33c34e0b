import type { CockfightBet } from "@perya/contract/cockfight";
import type { CockfightState } from "@perya/contract/socket";
import { COCKFIGHT_SIDES, type CockfightSide, isContest } from "@perya/games/cockfight";
import type { Currency } from "@perya/kernel/money";
import { Button } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import { currencySymbol, MoneyText, moneyLabel } from "@perya/ui/money-text";
import { useEffect, useRef, useState } from "react";
import { useHashSheets } from "../../parts/browser/use-hash-sheet.ts";
import { useBalance } from "../../parts/money/wallet.ts";
import { useCountdown } from "../../parts/time/use-countdown.ts";
import { api } from "../../shell/server.ts";
import { type MessageId, useText } from "../../shell/text.ts";
import { GameFrame } from "../game-frame.tsx";
import { GAME_SHEETS, type GameSheets } from "../game-sheets.ts";
import { useKeptStake } from "../kept-stake.ts";
import { announce, play } from "../sound.ts";
import { StakeControl } from "../stake-control.tsx";
import { RING_LADDER } from "../stake-ladder.ts";
import styles from "./client.module.css";
import { CockfightInfo } from "./cockfight-info.tsx";
import {
  backedMinor,
  betsOn,
  type OwnResult,
  ownResult,
  paysMinor,
  poolIn,
  type ShownPool,
} from "./cockfight-table.ts";
import { RingScene } from "./ring-scene.tsx";
import { Beads, RoadSheet, SIDE_TEXTS } from "./road.tsx";
import { type Ring, useCockfight } from "./use-cockfight.ts";

export default function CockfightClient() {
  const { t } = useText();
  const sheets = useHashSheets(GAME_SHEETS);
  const balance = useBalance();
  const currency = balance?.currency ?? "PHP";
  const ring = useCockfight({ currency, onNoFunds: () => sheets.open("funds") });
  const { match } = ring.table;
  const bets = betsOn(ring.table);
  const pool = poolIn(match, currency);
  const result = ownResult(bets);
  const said = useSaid({ match, bets, result, currency });
  const away = ring.line === "waiting" || (ring.line === "connecting" && match !== null);
  return (
    <>
      <GameFrame
        game="cockfight"
        className={styles.frame}
        state={match?.phase ?? "loading"}
        bet={ring.sending ? "sending" : (result?.kind ?? (bets.length > 0 ? "placed" : "none"))}
        roundId={match?.matchId ?? null}
        balance={balance}
        sheets={sheets}
        said={said}
        notice={away ? t("games.reconnecting") : ring.checking ? t("shell.checking") : null}
        info={<CockfightInfo />}
        stage={
          <div className={styles.stage}>
            <Beads history={match?.history ?? []} onOpen={() => sheets.open("road")} />
            <div className={styles.ring} data-phase={match?.phase}>
              <RingScene match={match} />
              <Headline match={match} pool={pool} bets={bets} settled={result !== null} />
              {result !== null && <Own result={result} currency={currency} />}
            </div>
          </div>
        }
        panel={<BetPanel ring={ring} bets={bets} pool={pool} currency={currency} sheets={sheets} />}
      />
      <RoadSheet open={sheets.sheet === "road"} close={sheets.close} match={match} />
    </>
  );
}

interface HeadlineProps {
  readonly match: CockfightState | null;
  readonly bets: readonly CockfightBet[];
  readonly pool: ShownPool;
  readonly settled: boolean;
}

/** Over the ring: the phase, and the time left in it. */
function Headline({ match, bets, pool, settled }: HeadlineProps) {
  const { t } = useText();
  const left = useCountdown(match?.closesAt ?? null, api.serverNow);
  if (match === null) return <p className={styles.state}>{t("games.loading")}</p>;
  const betting = match.phase === "betting";
  const off = match.phase !== "betting" && bets.length > 0 && !isContest(pool);
  return (
    <div className={styles.headline}>
      <p className={styles.number}>{t("games.cock_match", { number: match.number })}</p>
      <p className={classNames(styles.state, match.result !== null && styles[match.result])}>
        {t(stateText(match))}
      </p>
      {betting && (
        <p className={styles.clock} role="timer" data-testid="countdown">
          {left}
        </p>
      )}
      {!settled && off && <p className={styles.note}>{t("games.cock_no_contest")}</p>}
    </div>
  );
}

function Own({ result, currency }: { result: OwnResult; currency: Currency }) {
  const { t } = useText();
  return (
    <p className={classNames(styles.own, result.kind === "won" && styles.won)}>
      {t(OWN_TEXTS[result.kind])}
      {result.kind !== "lost" && <MoneyText value={{ minor: result.backMinor, currency }} />}
    </p>
  );
}

const OWN_TEXTS = {
  won: "games.cock_own_won",
  returned: "games.cock_own_returned",
  lost: "games.cock_own_lost",
} as const satisfies Readonly<Record<OwnResult["kind"], MessageId>>;

function stateText({ phase, result }: CockfightState): MessageId {
  if (result !== null) return RESULT_TEXTS[result];
  return PHASE_TEXTS[phase];
}

const RESULT_TEXTS = {
  meron: "games.cock_won_meron",
  wala: "games.cock_won_wala",
  draw: "games.cock_drawn",
} as const satisfies Readonly<Record<CockfightSide, MessageId>>;

const PHASE_TEXTS = {
  betting: "games.cock_betting",
  closed: "games.cock_closed",
  fighting: "games.cock_fighting",
  settled: "games.cock_fighting",
  cancelled: "games.cock_cancelled",
} as const satisfies Readonly<Record<CockfightState["phase"], MessageId>>;

interface BetPanelProps {
  readonly ring: Ring;
  readonly bets: readonly CockfightBet[];
  readonly pool: ShownPool;
  readonly currency: Currency;
  readonly sheets: GameSheets;
}

function BetPanel({ ring, bets, pool, currency, sheets }: BetPanelProps) {
  const { t } = useText();
  const { match } = ring.table;
  const stake = useKeptStake("cockfight", RING_LADDER, 1_000n);
  const [side, setSide] = useState<CockfightSide | null>(null);
  const open = match?.phase === "betting" && ring.line === "live";
  const amount = moneyLabel({ minor: stake.minor, currency });
  return (
    <div className={styles.panel}>
      <fieldset className={styles.sides} aria-label={t("games.cock_choose")}>
        {COCKFIGHT_SIDES.map((one) => (
          <Side
            key={one}
            side={one}
            chosen={side === one}
            choose={() => {
              play("tap");
              setSide(one);
            }}
            pool={pool}
            currency={currency}
            mine={bets.filter((bet) => bet.side === one)}
            result={match?.result ?? null}
          />
        ))}
      </fieldset>
      <p className={styles.hint}>
        {open && t(isContest(pool) ? "games.cock_pays_hint" : "games.cock_needs_both")}
      </p>
      <StakeControl stake={stake} currency={currency} disabled={ring.sending} sheets={sheets} />
      <Button
        size="lg"
        block
        glow={open && side !== null}
        loading={ring.sending}
        disabled={!open || side === null}
        onClick={() => {
          if (side === null) return;
          play("chip");
          ring.bet({ side, stakeMinor: stake.minor });
        }}
      >
        {!open
          ? t("games.cock_wait")
          : side === null
            ? t("games.cock_choose")
            : t("games.cock_bet_on", { amount, side: t(SIDE_TEXTS[side]) })}
      </Button>
    </div>
  );
}

interface SideProps {
  readonly side: CockfightSide;
  readonly chosen: boolean;
  readonly choose: () => void;
  readonly pool: ShownPool;
  readonly currency: Currency;
  readonly mine: readonly CockfightBet[];
  readonly result: CockfightSide | null;
}

/** A side: its name, its present payout per peso, its stakes, the player's own part. */
function Side({ side, chosen, choose, pool, currency, mine, result }: SideProps) {
  const { t } = useText();
  const pays = paysMinor(pool, side);
  const own = mine.reduce((sum, { stake }) => sum + stake.minor, 0n);
  const symbol = currencySymbol({ currency });
  return (
    <label
      className={classNames(
        styles.side,
        styles[side],
        result !== null && (result === side ? styles.hit : styles.missed),
      )}
    >
      <input
        type="radio"
        name="side"
        className="visually-hidden"
        checked={chosen}
        onChange={choose}
      />
      <span className={styles.name}>{t(SIDE_TEXTS[side])}</span>
      <span className={styles.pays}>
        <span className={styles.small}>{t("games.cock_pays", { one: `${symbol}1` })}</span>
        <b>{pays === null ? "—" : <MoneyText value={{ minor: pays, currency }} />}</b>
      </span>
      <span className={styles.small}>
        <span className="visually-hidden">{t("games.cock_staked")} </span>
        <MoneyText value={{ minor: backedMinor(pool, side), currency }} />
      </span>
      {own > 0n && (
        <span className={styles.mine}>
          <span className="visually-hidden">{t("games.cock_mine")} </span>
          <MoneyText value={{ minor: own, currency }} />
        </span>
      )}
    </label>
  );
}

interface Saying {
  readonly match: CockfightState | null;
  readonly bets: readonly CockfightBet[];
  readonly result: OwnResult | null;
  readonly currency: Currency;
}

/** The latest event in words; the announcer calls only results that the open page has seen. */
function useSaid({ match, bets, result, currency }: Saying): string {
  const { t } = useText();
  const phase = match?.phase ?? null;
  const state = match === null ? "" : t(stateText(match));
  const before = useRef(phase);
  useEffect(() => {
    if (before.current === "closed" && phase === "fighting") play("rise");
    if (before.current === "fighting" && phase === "settled") {
      play("cash");
      announce(state);
    }
    before.current = phase;
  }, [phase, state]);
  if (result !== null) {
    const back = result.kind === "lost" ? "" : moneyLabel({ minor: result.backMinor, currency });
    return `${state}. ${t(OWN_TEXTS[result.kind])} ${back}`.trim();
  }
  const last = bets.at(-1);
  if (last === undefined || phase !== "betting") return state;
  return t("games.cock_placed", { amount: moneyLabel(last.stake), side: t(SIDE_TEXTS[last.side]) });
}
