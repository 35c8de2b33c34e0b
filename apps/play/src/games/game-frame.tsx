import type { Round } from "@perya/contract/rounds";
import { type HouseGameId, houseGame } from "@perya/games/house-games";
import type { Money } from "@perya/kernel/money";
import { buttonClass, IconButton } from "@perya/ui/button";
import { classNames } from "@perya/ui/class-names";
import {
  BackIcon,
  HistoryIcon,
  InfoIcon,
  MoreIcon,
  SoundOffIcon,
  SoundOnIcon,
} from "@perya/ui/icon";
import { MoneyText } from "@perya/ui/money-text";
import { Skeleton } from "@perya/ui/skeleton";
import { Link, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { useOwnTitle } from "../shell/page-head.ts";
import { usePopups } from "../shell/popups.ts";
import { isTrial, useSession } from "../shell/session.ts";
import { useSound } from "../shell/sound.ts";
import { useText } from "../shell/text.ts";
import { useShows } from "../shell/use-shows.ts";
import { Bunting } from "./bunting.tsx";
import { FundsSheet } from "./funds-sheet.tsx";
import styles from "./game-frame.module.css";
import type { GameSheets } from "./game-sheets.ts";
import { HistorySheet } from "./history-sheet.tsx";
import { InfoSheet } from "./info-sheet.tsx";
import { startGameSound } from "./sound.ts";
import { SoundSheet } from "./sound-sheet.tsx";

export interface GameFrameProps {
  readonly game: HouseGameId;
  /** The client's class, which may set `--tint` and `--deep`. */
  readonly className?: string | undefined;
  /** The table's state: `rest`, `sending`, `showing` …; tests wait for it. */
  readonly state: string;
  readonly roundId: string | null;
  /** The state of the player's own bet, in a game that takes bets beside its rounds. */
  readonly bet?: string;
  readonly balance: Money | null;
  readonly sheets: GameSheets;
  /** The last result in words, read aloud by assistive tech. */
  readonly said: string;
  /** Shown over the stage: reconnecting, a round under way elsewhere. */
  readonly notice?: string | null;
  readonly info: ReactNode;
  readonly onReplay?: ((round: Round) => void) | undefined;
  readonly stage: ReactNode;
  readonly panel: ReactNode;
}

/** The frame that all our games share: bar, balance, sheets, the spoken result. */
export function GameFrame(props: GameFrameProps) {
  const { game, sheets, notice } = props;
  const { t } = useText();
  const sound = useSound((settings) => settings.on);
  const title = houseGame(game)?.name ?? game;
  const SoundIcon = sound ? SoundOnIcon : SoundOffIcon;
  useEffect(startGameSound, []);
  useOwnTitle(title);
  const sheet = (name: NonNullable<typeof sheets.sheet>) => ({
    open: sheets.sheet === name,
    close: sheets.close,
  });
  return (
    <div
      className={classNames(styles.game, props.className)}
      data-testid="game"
      data-game={game}
      data-state={props.state}
      data-round-id={props.roundId ?? ""}
      data-bet={props.bet}
    >
      <TopBar title={title} balance={props.balance} />
      <div className={styles.stage}>
        <Bunting className={styles.bunting} />
        <div className={styles.tools}>
          <IconButton label={t("games.info")} onClick={() => sheets.open("info")}>
            <InfoIcon size={20} />
          </IconButton>
          <span className={styles.gap} />
          <IconButton label={t("games.history")} onClick={() => sheets.open("history")}>
            <HistoryIcon size={20} />
          </IconButton>
          <IconButton label={t("games.sound")} onClick={() => sheets.open("sound")}>
            <SoundIcon size={20} />
          </IconButton>
        </div>
        {props.stage}
        {notice != null && (
          <p className={styles.notice} role="status">
            <span className={styles.dot} aria-hidden="true" />
            {notice}
          </p>
        )}
      </div>
      <div className={styles.panel}>{props.panel}</div>
      <p className="visually-hidden" aria-live="polite" data-testid="result">
        {props.said}
      </p>
      <InfoSheet {...sheet("info")} title={title}>
        {props.info}
      </InfoSheet>
      <HistorySheet {...sheet("history")} game={game} onReplay={props.onReplay} />
      <SoundSheet {...sheet("sound")} />
      <FundsSheet {...sheet("funds")} />
    </div>
  );
}

function TopBar({ title, balance }: { title: string; balance: Money | null }) {
  const { t } = useText();
  const router = useRouter();
  const popups = usePopups();
  const session = useSession((held) => held.session);
  const shows = useShows();
  const back = () => {
    if (router.history.canGoBack()) router.history.back();
    else void router.navigate({ to: "/m/home" });
  };
  const more = classNames(buttonClass({ variant: "secondary", size: "sm" }), styles.more);
  return (
    <header className={styles.bar}>
      <IconButton label={t("games.back")} onClick={back}>
        <BackIcon size={22} />
      </IconButton>
      <h1 className={styles.title}>{title}</h1>
      <div className={styles.purse}>
        <span className="visually-hidden">{t("games.balance")} </span>
        <span className={styles.balance} aria-live="polite" data-testid="balance">
          {balance === null ? <Skeleton width={72} height={16} /> : <MoneyText value={balance} />}
        </span>
        {isTrial(session) ? (
          <button
            type="button"
            className={more}
            aria-label={t("games.register_for_real")}
            onClick={() => popups.open("register")}
          >
            <MoreIcon size={18} strokeWidth={2.5} />
          </button>
        ) : (
          shows("/m/voucherCenter") && (
            <Link to="/m/voucherCenter" className={more} aria-label={t("games.deposit")}>
              <MoreIcon size={18} strokeWidth={2.5} />
            </Link>
          )
        )}
      </div>
    </header>
  );
}
