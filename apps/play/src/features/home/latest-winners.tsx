import type { Reply } from "@perya/client/api";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { SectionHead } from "../../parts/lists/section-head.tsx";
import { WinnerRow } from "../../parts/money/winner-row.tsx";
import { Art, DEFAULT_TILE } from "../../parts/pictures/art.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { live, queryClient } from "../../shell/server.ts";
import { useText } from "../../shell/text.ts";
import styles from "./latest-winners.module.css";

type Winner = Reply<"GET /api/v1/winners">["list"][number];

const SHOWN = 6;

/** The latest wins, shown when home's foot comes near; new ones come over the socket. */
export function LatestWinners() {
  const { t, time } = useText();
  const { data } = useQuery(screenQueries.winners());
  useEffect(
    () =>
      live.subscribe("winners", {
        onSnapshot: () => undefined,
        onEvent: ({ type: _, ...winner }) => addWinner(winner),
      }),
    [],
  );
  if (data?.list.length === 0) return null;
  return (
    <section aria-labelledby="home-winners">
      <SectionHead id="home-winners" title={t("home.winners")} />
      <ul className={styles.list}>
        {(data?.list ?? []).slice(0, SHOWN).map((winner) => (
          <WinnerRow
            key={`${winner.at} ${winner.account} ${winner.nodeId}`}
            lead={
              <Art
                className={styles.tile}
                src={`/art/tile/${winner.nodeId}.svg`}
                instead={DEFAULT_TILE}
                width={36}
                height={45}
                loading="lazy"
              />
            }
            account={winner.account}
            gameName={winner.gameName}
            when={time(winner.at)}
            amount={winner.payout}
          />
        ))}
      </ul>
    </section>
  );
}

function addWinner(winner: Winner): void {
  queryClient.setQueryData(screenQueries.winners().queryKey, (shown) =>
    shown === undefined ? shown : { list: [winner, ...shown.list].slice(0, 30) },
  );
}
