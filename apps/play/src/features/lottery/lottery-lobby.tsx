import type { ListedLottery } from "@perya/contract/lottery";
import { ChipRow } from "@perya/ui/chip-row";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { LotteryWinners } from "../../parts/money/lottery-winners.tsx";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { Art, DEFAULT_TILE } from "../../parts/pictures/art.tsx";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { Countdown } from "../../parts/time/countdown.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { api, queries } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import { Balls } from "./balls.tsx";
import styles from "./lottery-screen.module.css";
import type { LotterySearch } from "./lottery-search.ts";
import { isDrawing } from "./next-look.ts";

const MENUS = ["LOTT", "ELOTT", "VN", "SEA"] as const;
type Menu = (typeof MENUS)[number];
const MENU_TEXTS = {
  LOTT: "lottery.trad",
  ELOTT: "lottery.ent",
  VN: "lottery.vietnam",
  SEA: "lottery.sea",
} as const;

/** Menus of draws, each lottery with its countdown and its last numbers; the winner board. */
export function LotteryLobby({ lotteries }: { lotteries: readonly ListedLottery[] }) {
  const { t } = useText();
  const launched = useSearch({ from: "/m/lottery" });
  const [menu, setMenu] = useState<Menu>(() => firstMenu(launched));
  const entries = useMenu(menu);
  const codes = entries.data?.list.map(({ gameCode }) => gameCode) ?? [];
  const shown = lotteries.filter(({ gameCode }) => codes.includes(gameCode));
  return (
    <>
      <ChipRow
        label={t("lottery.menus")}
        value={menu}
        onValueChange={setMenu}
        choices={MENUS.map((value) => ({ value, label: t(MENU_TEXTS[value]) }))}
      />
      {entries.data === undefined ? (
        <Unloaded query={entries} rows={2} />
      ) : shown.length === 0 ? (
        <EmptyScene title={t("lottery.no_games")} />
      ) : (
        <ul className={styles.cards}>
          {shown.map((lottery) => (
            <li key={lottery.gameCode}>
              <LotteryCard lottery={lottery} />
            </li>
          ))}
        </ul>
      )}
      <LotteryWinners />
    </>
  );
}

/** The launcher's menu: a prize mode follows the vendors' mapping, a play type the game. */
function firstMenu({ vendor, playType }: LotterySearch): Menu {
  if (vendor === "TCG_SEA") return "SEA";
  if (vendor === "TCG_LOTTO_VN") return "VN";
  return playType === "ent" || vendor === "ELOTT" ? "ELOTT" : "LOTT";
}

function useMenu(menu: Menu) {
  const vietnam = useQuery({ ...screenQueries.lotteryVietnam(), enabled: menu === "VN" });
  const other = useQuery({
    ...queries.lotteryMenu(menu === "VN" ? "LOTT" : menu),
    enabled: menu !== "VN",
  });
  return menu === "VN" ? vietnam : other;
}

function LotteryCard({ lottery }: { lottery: ListedLottery }) {
  const { t, when } = useText();
  const { name, nodeId, gameCode, next, last, open } = lottery;
  return (
    <Link
      to="/m/lottery"
      search={(old) => ({ ...old, gameCode })}
      className={styles.card}
      data-testid="lottery-card"
    >
      <Art src={`/art/tile/${nodeId}.svg`} instead={DEFAULT_TILE} width={64} height={80} />
      <span className={styles.head}>
        <span className={styles.name}>{name}</span>
        <span className={styles.timer}>
          {!open ? (
            t("lottery.closed")
          ) : next === null ? (
            t("lottery.no_draw")
          ) : (
            <Countdown until={next.drawsAt} />
          )}
        </span>
      </span>
      <span className={styles.last}>
        {isDrawing(lottery, api.serverNow()) ? (
          <span className="small-print">{t("lottery.drawing")}</span>
        ) : (
          last !== null && (
            <span className="small-print">
              {t("lottery.last_result")} · {when(last.drawsAt)}
            </span>
          )
        )}
        {last?.numbers != null && <Balls numbers={last.numbers} small />}
        {last?.state === "voided" && (
          <span className="small-print">{t("lottery.voided_draw")}</span>
        )}
        {last === null && <span className="small-print">{t("lottery.no_results")}</span>}
      </span>
    </Link>
  );
}
