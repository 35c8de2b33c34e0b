import type { ListedLottery, LotteryDraw } from "@perya/contract/lottery";
import { seedHash } from "@perya/games/fairness";
import { drawLottery } from "@perya/games/lottery";
import { Badge } from "@perya/ui/badge";
import { useInfiniteQuery } from "@tanstack/react-query";
import { PagedList } from "../../parts/lists/paged-list.tsx";
import { SeedProof } from "../../parts/proofs/seed-proof.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { useText } from "../../shell/text.ts";
import { Balls } from "./balls.tsx";
import { GameChoice, useGameChoice } from "./game-choice.tsx";
import styles from "./lottery-screen.module.css";

/** The drawn numbers, draw by draw, with the seeds from which anyone can recompute them. */
export function ResultsPage(props: {
  lotteries: readonly ListedLottery[];
  first: ListedLottery | null;
}) {
  const [gameCode, choose] = useGameChoice(props.lotteries, props.first);
  return (
    <>
      <GameChoice lotteries={props.lotteries} value={gameCode} onChange={choose} />
      <Draws key={gameCode} gameCode={gameCode} />
    </>
  );
}

function Draws({ gameCode }: { gameCode: string }) {
  const { t } = useText();
  const list = useInfiniteQuery(screenQueries.lotteryDraws(gameCode));
  return (
    <PagedList
      list={list}
      keyOf={({ id }) => id}
      empty={t("lottery.no_results")}
      row={(draw) => <DrawRow draw={draw} />}
    />
  );
}

function DrawRow({ draw }: { draw: LotteryDraw }) {
  const { t, when } = useText();
  return (
    <div className={styles.entry} data-testid="draw">
      <div className={styles.between}>
        <b>{t("lottery.draw_number", { number: draw.number })}</b>
        <span className="small-print">{when(draw.drawsAt)}</span>
      </div>
      {draw.numbers === null ? (
        <div>
          <Badge tone="warn">{t("lottery.voided_draw")}</Badge>
        </div>
      ) : (
        <Balls numbers={draw.numbers} />
      )}
      {draw.serverSeed !== null && <Proof draw={draw} serverSeed={draw.serverSeed} />}
    </div>
  );
}

function Proof({ draw, serverSeed }: { draw: LotteryDraw; serverSeed: string }) {
  const { t } = useText();
  return (
    <details>
      <summary className={styles.summary}>{t("lottery.proof")}</summary>
      <SeedProof
        facts={[
          [t("lottery.seed_hash"), draw.seedHash],
          [t("lottery.server_seed"), serverSeed],
          [t("lottery.draw_id"), draw.id],
        ]}
        texts={{
          verify: t("lottery.verify"),
          good: t("lottery.proof_good"),
          bad: t("lottery.proof_bad"),
        }}
        of={{ kind: "draw", id: draw.id, text: draw.seedHash }}
        prove={() => isProved(draw, serverSeed)}
      />
    </details>
  );
}

/** By the same code that the server draws with. */
function isProved({ id, kind, numbers, seedHash: hash }: LotteryDraw, serverSeed: string): boolean {
  const drawn = drawLottery(kind, { serverSeed, drawId: id });
  // A void draw shows no numbers, but its seed must still be the promised one.
  return seedHash(serverSeed) === hash && (numbers === null || numbers.join() === drawn.join());
}
