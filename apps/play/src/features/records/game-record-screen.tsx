import type { ItemOf } from "@perya/client/api";
import { HOUSE_VENDOR, isLotteryVendor, isSportsVendor } from "@perya/contract/launch-terms";
import { houseGame } from "@perya/games/house-games";
import { Badge } from "@perya/ui/badge";
import { buttonClass } from "@perya/ui/button";
import { MoneyText } from "@perya/ui/money-text";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { useOpenPopup, usePopups } from "../../shell/popups.ts";
import { screenQueries } from "../../shell/screen-queries.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { useShows } from "../../shell/use-shows.ts";
import { RecordTabs } from "./record-tabs.tsx";
import styles from "./records.module.css";

type GameRecord = ItemOf<"GET /api/v1/game-records">;

/** Every round of every vendor, newest first; a tap shows it and leads to its proof. */
export default function GameRecordScreen() {
  const { t } = useText();
  const popups = usePopups();
  const list = useInfiniteQuery(screenQueries.gameRecords());
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className="page-body">
      <RecordTabs current="games" />
      <PagedList
        list={list}
        keyOf={keyOf}
        empty={t("records.no_rounds")}
        row={(record) => (
          <button
            type="button"
            className={styles.row}
            onClick={() => popups.open("round", { id: keyOf(record) })}
          >
            <RoundSummary record={record} />
          </button>
        )}
      />
      <RoundSheet records={items} />
    </div>
  );
}

/** Two vendors may give the same id. */
function keyOf({ vendor, id }: GameRecord): string {
  return `${vendor} ${id}`;
}

function RoundSummary({ record }: { record: GameRecord }) {
  const { t, when } = useText();
  return (
    <>
      <span className={styles.what}>
        <b>{record.gameName}</b>
        <span>{when(record.at)}</span>
      </span>
      <span className={styles.amounts}>
        {record.state === "settled" ? (
          <MoneyText
            value={record.payout}
            className={isWin(record) ? styles.gained : styles.plain}
          />
        ) : (
          <Badge tone={record.state === "open" ? "info" : "warn"}>
            {t(record.state === "open" ? "records.state_open" : "records.state_voided")}
          </Badge>
        )}
        <span className="small-print">
          {t("records.stake")} <MoneyText value={record.stake} />
        </span>
      </span>
    </>
  );
}

/** A payout of no more than the stake is not shown as a win. */
function isWin({ stake, payout }: GameRecord): boolean {
  return payout.minor > stake.minor;
}

function RoundSheet({ records }: { records: readonly GameRecord[] }) {
  const { t, when } = useText();
  const popups = usePopups();
  const { popup, id } = useOpenPopup();
  const record = records.find((one) => keyOf(one) === id);
  return (
    <Sheet
      open={popup === "round" && record !== undefined}
      close={popups.close}
      title={record?.gameName ?? t("records.games")}
      footer={record !== undefined && hasProof(record) ? <ProofLink record={record} /> : undefined}
    >
      {record !== undefined && (
        <dl className={styles.facts}>
          <dt>{t("records.stake")}</dt>
          <dd>
            <MoneyText value={record.stake} />
          </dd>
          <dt>{t("records.payout")}</dt>
          <dd>
            <MoneyText value={record.payout} />
          </dd>
          <dt>{t("records.when")}</dt>
          <dd>{when(record.at)}</dd>
          <dt>{t("records.round_id")}</dt>
          <dd className={styles.id}>{record.id}</dd>
        </dl>
      )}
    </Sheet>
  );
}

/** We cannot prove the rounds of an outside vendor. */
function hasProof({ vendor }: GameRecord): boolean {
  return vendor === HOUSE_VENDOR || isLotteryVendor(vendor) || isSportsVendor(vendor);
}

function ProofLink({ record }: { record: GameRecord }) {
  const { t } = useText();
  const shows = useShows();
  const look = buttonClass({ block: true });
  if (isSportsVendor(record.vendor)) {
    return (
      <Link to="/m/sportsLobby" search={{ part: "bets" }} replace className={look}>
        {t("sports.see_bets")}
      </Link>
    );
  }
  const game = record.vendor === HOUSE_VENDOR ? houseGame(record.gameId) : undefined;
  if (game !== undefined && typeof game.proof === "object") {
    if (!shows(`/m/play/${game.id}`)) return null;
    const { id, proof } = game;
    return (
      <Link to="/m/play/$game" params={{ game: id }} hash={proof.sheet} replace className={look}>
        {t("records.verify_in_game")}
      </Link>
    );
  }
  return isLotteryVendor(record.vendor) ? (
    <Link to="/m/lottery" search={{ view: "tickets" }} replace className={look}>
      {t("lottery.see_tickets")}
    </Link>
  ) : (
    <Link to="/m/fairness" search={{ round: record.id }} replace className={look}>
      {t("records.verify")}
    </Link>
  );
}
